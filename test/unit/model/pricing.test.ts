import { describe, expect, it } from "vitest";
import { DEFAULT_MODELS } from "../../../src/model/configure.ts";
import { costOf } from "../../../src/model/pricing.ts";

const NONE = { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 };
const MILLION = 1_000_000;

describe("costOf", () => {
  it("adds up input, output, cache writes and cache reads at their own rates", () => {
    const usage = { input: 1_200, output: 300, cacheWrite: 2_000, cacheRead: 50_000 };
    // 1,200 × $4 + 300 × $20 + 2,000 × $5 + 50,000 × $0.20, per million
    expect(costOf("claude-opus-5-5", usage)).toBeCloseTo(0.0308, 10);
  });

  it.each([
    ["input", 2],
    ["output", 10],
    ["cacheWrite", 2.5],
    ["cacheRead", 0.1],
  ] as const)("charges a million tokens of %s to claude-sonnet-5-5 at $%d", (kind, dollars) => {
    expect(costOf("claude-sonnet-5-5", { ...NONE, [kind]: MILLION })).toBeCloseTo(dollars, 10);
  });

  it("charges a longer prompt to claude-haiku-5-5 at its higher rates, cached parts counted", () => {
    const at = (input: number, cacheRead: number) =>
      costOf("claude-haiku-5-5", { ...NONE, input, cacheRead, output: 1_000 });
    expect(at(20_000, 80_000)).toBeCloseTo((20_000 * 0.1 + 80_000 * 0.01 + 1_000 * 0.5) / MILLION, 12);
    expect(at(20_001, 80_000)).toBeCloseTo((20_001 * 0.5 + 80_000 * 0.05 + 1_000 * 2.5) / MILLION, 12);
  });

  it("charges a dated snapshot as its model", () => {
    const usage = { ...NONE, output: MILLION };
    expect(costOf("claude-haiku-4-5-20251001", usage)).toBe(5);
    expect(costOf("claude-opus-4-5@20251101", usage)).toBe(25);
  });

  it("knows the price of every default model", () => {
    for (const model of Object.values(DEFAULT_MODELS)) expect(costOf(model, { ...NONE, output: 1 })).toBeGreaterThan(0);
  });

  it.each(["qwen3:8b", "claude-opus-5-9", "claude-opus", "claude-opus-5-5-turbo", ""])(
    "does not guess for %j",
    (model) => {
      expect(costOf(model, { ...NONE, output: 1 })).toBeNull();
    },
  );
});
