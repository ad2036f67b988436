import { describe, expect, it } from "vitest";
import {
  codeOf,
  DISTIL_TOKENS,
  DISTIL_TURNS,
  type EndedRun,
  isWorthDistilling,
  lessonOf,
} from "../../../src/orchestration/aftermath.ts";
import { distilData, repairPrompt } from "../../../src/orchestration/distillation.ts";

const cell = (code: string, error?: string): EndedRun["cells"][number] => ({
  cell: 1,
  code,
  status: error === undefined ? "succeeded" : "failed",
  answer: error === undefined ? { value: "1" } : { error: { kind: "thrown", message: error, hint: "" } },
});
const run: EndedRun = {
  goal: "Average the prices",
  status: "succeeded",
  turns: DISTIL_TURNS,
  tokens: DISTIL_TOKENS,
  cells: [cell("let a = 1"), cell("oops", "TypeError: x"), cell("done(a)")],
  tools: ["http.get"],
  isByCode: true,
  model: "m",
};

describe("what a run teaches", () => {
  it.each<[string, Partial<EndedRun>, object | undefined]>([
    [
      "how an error was mended",
      {},
      { kind: "mended", outcome: "succeeded", text: expect.stringContaining("TypeError") },
    ],
    ["what worked", { cells: [cell("done(1)")] }, { kind: "worked", text: expect.stringContaining("http.get") }],
    [
      "that plain code worked",
      { cells: [cell("done(1)")], tools: [] },
      { text: expect.stringContaining("plain code") },
    ],
    [
      "why it failed",
      { status: "failed", failure: { kind: "model-refused", message: "It refused." } },
      { kind: "failed", outcome: "failed", text: expect.stringContaining("refused") },
    ],
    [
      "which limit ended it",
      { status: "exhausted", failure: { kind: "budget-spent", message: "5 turns are spent" } },
      { kind: "failed", text: expect.stringContaining("5 turns") },
    ],
    ["nothing when it was cancelled", { status: "cancelled" }, undefined],
    ["nothing when no code ran", { cells: [] }, undefined],
  ])("%s", (_what, change, expected) => {
    const lesson = lessonOf({ ...run, ...change });
    if (expected === undefined) expect(lesson).toBeUndefined();
    else expect(lesson).toMatchObject(expected);
  });
});

describe("whether a run is worth distilling", () => {
  it.each<[string, Partial<EndedRun>, boolean, boolean]>([
    ["a long run by its own code", {}, false, true],
    ["too few turns to save any", { turns: DISTIL_TURNS - 1 }, false, false],
    ["too few tokens to pay for it", { tokens: DISTIL_TOKENS - 1 }, false, false],
    ["by rule it costs nothing", { turns: 1, tokens: 0 }, true, true],
    ["a failure", { status: "failed" }, true, false],
    ["a final text", { isByCode: false }, true, false],
    ["a run that reused a capability", { tools: ["library.run"] }, true, false],
    ["a run that called one by its name", { tools: ["sum-by"] }, true, false],
    ["more code than can be read", { cells: [cell("x".repeat(30_000))] }, true, false],
    ["no code that worked", { cells: [cell("x", "broken")] }, true, false],
  ])("%s", (_what, change, hasRule, worth) => {
    expect(isWorthDistilling({ ...run, ...change }, hasRule)).toBe(worth);
  });

  it("shows the code that worked, in order, and nothing that failed", () => {
    expect(codeOf(run)).toBe("let a = 1\n\n// next cell\ndone(a)");
  });
});

describe("the material of a distillation", () => {
  it("is bounded, whatever the inputs are", () => {
    const data = distilData({ goal: "g", code: "c", variables: [], inputs: { big: "x".repeat(1e6) }, result: [1] });
    expect(JSON.stringify(data).length).toBeLessThan(8_000);
  });
  it("names every reason of the gate", () => {
    expect(
      repairPrompt([
        { rule: "tests", problem: "one fails" },
        { rule: "name", problem: "is taken" },
      ]),
    ).toMatch(/tests: one fails.*name: is taken/);
  });
});
