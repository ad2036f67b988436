import * as fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DEFAULT_RETRY, parseRetryAfter, retryDelay, withRetries } from "../../../src/model/retry.ts";
import type { Attempt } from "../../../src/model/retry.ts";

const NOW = Date.parse("2026-11-18T00:00:00Z");
const policy = { maxAttempts: 5, baseDelayMs: 100, capMs: 1_000 };

describe("retryDelay", () => {
  it("doubles its ceiling with each attempt, up to the cap", () => {
    const ceilings = [1, 2, 3, 4, 5].map((number) =>
      retryDelay(policy, { number, retryAfter: null, random: () => 1, now: NOW }),
    );
    expect(ceilings).toEqual([100, 200, 400, 800, 1_000]);
  });

  it("has full jitter: anything between nothing and the ceiling", () => {
    const at = (r: number) => retryDelay(policy, { number: 2, retryAfter: null, random: () => r, now: NOW });
    expect([at(0), at(0.5), at(0.99)]).toEqual([0, 100, 198]);
  });

  it("is at least what the endpoint asked for, and never above the cap", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 50 }),
        fc.nat(5_000),
        fc.double({ min: 0, max: 1, noNaN: true }),
        (number, ms, r) => {
          const delay = retryDelay(policy, { number, retryAfter: String(ms / 1_000), random: () => r, now: NOW });
          expect(delay).toBeGreaterThanOrEqual(Math.min(ms, policy.capMs));
          expect(delay).toBeLessThanOrEqual(policy.capMs);
        },
      ),
    );
  });
});

describe("parseRetryAfter", () => {
  it.each([
    ["3", 3_000],
    ["0.5", 500],
    ["Wed, 18 Nov 2026 00:00:09 GMT", 9_000],
    ["Wed, 18 Nov 2026 00:00:00 GMT", 0],
    ["Tue, 17 Nov 2026 00:00:00 GMT", 0],
    ["-4", 0],
    ["soon", undefined],
    ["", undefined],
    [null, undefined],
  ])("reads %j as %j ms", (header, ms) => {
    expect(parseRetryAfter(header, NOW)).toBe(ms);
  });
});

describe("withRetries", () => {
  const signal = new AbortController().signal;
  const passing: Attempt<string> = {
    outcome: "passing",
    reason: "not yet",
    exhausted: (attempts) => ({ kind: "model-busy", status: 529, attempts }),
  };
  const fast = { ...DEFAULT_RETRY, baseDelayMs: 1, capMs: 1 };

  it("makes five attempts unless told otherwise", async () => {
    let made = 0;
    const result = await withRetries(async () => (made++, passing), { policy: fast, signal });
    expect(result).toEqual({ ok: false, failure: { kind: "model-busy", status: 529, attempts: 5 } });
    expect(made).toBe(5);
  });

  it("stops at the first success", async () => {
    const outcomes: Attempt<string>[] = [passing, passing, { outcome: "done", value: "yes" }, passing];
    let made = 0;
    const result = await withRetries(async () => outcomes[made++] ?? passing, { policy: fast, signal });
    expect(result).toEqual({ ok: true, value: "yes" });
    expect(made).toBe(3);
  });

  it("lets what an attempt throws through: that is a bug", async () => {
    const attempt = async () => {
      throw new TypeError("bug");
    };
    await expect(withRetries(attempt, { policy: fast, signal })).rejects.toThrow("bug");
  });
});
