import type { TokenUsage } from "../contract/model.ts";

/** US dollars per million tokens. A cache write is the 5-minute one, the only kind we ask for. */
interface Rates {
  input: number;
  output: number;
  cacheWrite: number;
  cacheRead: number;
}

interface Price extends Rates {
  /** Rates of the whole call once its prompt, cached parts included, is longer than this many tokens. */
  long?: Rates & { overTokens: number };
}

// As published by Anthropic, read on 2026-11-18.
const OPUS_4_5_TO_5: Price = { input: 5, output: 25, cacheWrite: 6.25, cacheRead: 0.5 };
const SONNET_4: Price = { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 };
const FABLE_5: Price = { input: 10, output: 50, cacheWrite: 12.5, cacheRead: 1 };
const FABLE_5_1: Price = { ...FABLE_5, cacheRead: 0.25 };

const PRICES = new Map<string, Price>([
  ["claude-fable-5-2", { input: 8, output: 40, cacheWrite: 10, cacheRead: 0.2 }],
  ["claude-fable-5-1", FABLE_5_1],
  ["claude-mythos-5-1", FABLE_5_1],
  ["claude-fable-5", FABLE_5],
  ["claude-mythos-5", FABLE_5],
  ["claude-opus-5-5", { input: 4, output: 20, cacheWrite: 5, cacheRead: 0.2 }],
  ["claude-opus-5", OPUS_4_5_TO_5],
  ["claude-opus-4-8", OPUS_4_5_TO_5],
  ["claude-opus-4-7", OPUS_4_5_TO_5],
  ["claude-opus-4-6", OPUS_4_5_TO_5],
  ["claude-opus-4-5", OPUS_4_5_TO_5],
  ["claude-sonnet-5-5", { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.1 }],
  ["claude-sonnet-5", { input: 2, output: 10, cacheWrite: 2.5, cacheRead: 0.2 }],
  ["claude-sonnet-4-6", SONNET_4],
  ["claude-sonnet-4-5", SONNET_4],
  [
    "claude-haiku-5-5",
    {
      input: 0.1,
      output: 0.5,
      cacheWrite: 0.125,
      cacheRead: 0.01,
      long: { overTokens: 100_000, input: 0.5, output: 2.5, cacheWrite: 0.625, cacheRead: 0.05 },
    },
  ],
  ["claude-haiku-4-5", { input: 1, output: 5, cacheWrite: 1.25, cacheRead: 0.1 }],
]);

// A dated snapshot costs what its model costs. Nothing else may follow: `claude-opus-5-9` is not a `claude-opus-5`.
const SNAPSHOT = /[-@]\d{8}$/;

/** US dollars of one call; null for a model whose price is not known, such as a local one. */
export function costOf(model: string, usage: TokenUsage): number | null {
  const price = PRICES.get(model.replace(SNAPSHOT, ""));
  if (price === undefined) return null;
  const prompt = usage.input + usage.cacheRead + usage.cacheWrite;
  const rates = price.long !== undefined && prompt > price.long.overTokens ? price.long : price;
  return (
    (usage.input * rates.input +
      usage.output * rates.output +
      usage.cacheWrite * rates.cacheWrite +
      usage.cacheRead * rates.cacheRead) /
    1_000_000
  );
}
