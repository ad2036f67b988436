import type { CapabilityTest } from "../contract/capability.ts";
import { canonicalJson, type Json, whyNotJson } from "../contract/json.ts";

/** How a module's run ended: with a value of any kind, or with an error's message. */
export type TestOutcome = { ok: true; value: unknown } | { ok: false; message: string };

const OUTPUT = { depth: 64, chars: 256 * 1024 }; // an output that is compared; larger ones no test can expect
const SHOWN_CHARS = 200;

/** Why a test did not pass; undefined when it did. */
export function whyFailed(test: CapabilityTest, outcome: TestOutcome): string | undefined {
  if ("throws" in test) {
    if (outcome.ok) return `must throw, and gave ${shown(outcome.value)}`;
    const isIt = test.throws === true || outcome.message.includes(test.throws);
    return isIt
      ? undefined
      : `must throw ${cut(JSON.stringify(test.throws))}, and threw ${cut(JSON.stringify(outcome.message))}`;
  }
  if (!outcome.ok) return `must give ${shown(test.expect)}, and threw ${cut(JSON.stringify(outcome.message))}`;
  const unfit = whyNotJson(outcome.value, OUTPUT);
  if (unfit !== undefined) return `must give ${shown(test.expect)}, and gave a value that ${unfit}`;
  return canonicalJson(outcome.value as Json) === canonicalJson(test.expect)
    ? undefined
    : `must give ${shown(test.expect)}, and gave ${shown(outcome.value)}`;
}

const cut = (text: string): string => (text.length > SHOWN_CHARS ? `${text.slice(0, SHOWN_CHARS)}…` : text);

const shown = (value: unknown): string => {
  const unfit = whyNotJson(value, OUTPUT);
  return unfit === undefined ? cut(JSON.stringify(value)) : `a value that ${unfit}`;
};
