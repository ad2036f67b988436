import { describe, expect, it } from "vitest";
import { decisionTtl, needsApproval } from "../../../src/orchestration/decision.ts";

const WEEK_MS = 7 * 86_400_000;

describe("how long a question stays open", () => {
  it.each([
    [undefined, WEEK_MS],
    ["", WEEK_MS],
    ["60", 60_000],
    ["0.5", 500],
    ["0", WEEK_MS],
    ["-5", WEEK_MS],
    ["soon", WEEK_MS],
    ["Infinity", 3_650 * 86_400_000],
  ])("PRAXIS_DECISION_SECONDS=%s", (text, ms) => expect(decisionTtl(text)).toBe(ms));
});

describe("whether a person must agree first", () => {
  it.each([
    [undefined, { auto: false, trusted: false }, false],
    ["never", { auto: false, trusted: false }, false],
    ["ask", { auto: false, trusted: false }, true],
    ["ask", { auto: true, trusted: false }, false],
    ["ask", { auto: false, trusted: true }, false],
    ["always", { auto: true, trusted: true }, true],
  ] as const)("%s, %j: %s", (approval, given, needed) => expect(needsApproval(approval, given)).toBe(needed));
});
