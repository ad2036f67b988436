import { describe, expect, it } from "vitest";
import { describeEvent, describeUsage, formatResult } from "../../../src/cli/progress.ts";
import type { RunEvent } from "../../../src/contract/event.ts";
import type { RunView } from "../../../src/contract/goal.ts";

const show = (event: RunEvent, logged: number[] = []): string[] =>
  describeEvent({ id: 1, at: "2026-01-01T00:00:00.000Z", ...event }, new Set(logged));

describe("progress lines", () => {
  it("show a cell's code indented", () => {
    expect(show({ type: "cell-started", cell: 2, turn: 1, code: "const a = 1;\na + 1\n" })).toEqual([
      "cell 2:",
      "    const a = 1;",
      "    a + 1",
    ]);
  });

  it("show a log line as it comes, and not again with the answer", () => {
    expect(show({ type: "cell-logged", cell: 2, text: "hello" })).toEqual(["  | hello"]);
    const finished: RunEvent = { type: "cell-finished", cell: 2, turn: 1, answer: { logs: ["hello"], value: "3" } };
    expect(show(finished, [2])).toEqual(["  = 3"]);
    expect(show(finished)).toEqual(["  | hello", "  = 3"]);
  });

  it("show where and how a cell failed", () => {
    const error = { kind: "thrown", message: "x is not defined", line: 3, hint: "declare it" } as const;
    expect(show({ type: "cell-finished", cell: 1, turn: 1, answer: { error } })).toEqual([
      "cell 1 failed (thrown, line 3): x is not defined",
    ]);
  });

  it("show a retry with its reason and delay", () => {
    expect(show({ type: "model-retried", turn: 1, attempt: 2, reason: "529", delayMs: 1500 })).toEqual([
      "turn 1: attempt 2 failed (529), again in 1.5 s",
    ]);
  });

  it("name a variable that was not kept", () => {
    const answer = { unsaved: [{ name: "socket", reason: "functions cannot be stored" }] };
    expect(show({ type: "cell-finished", cell: 1, turn: 1, answer })).toEqual([
      "  not kept: socket (functions cannot be stored)",
    ]);
  });

  it("do not let a model's words drive the terminal", () => {
    const lines = show({ type: "cell-logged", cell: 1, text: "\u001b[2J\u001b]0;owned\u0007a\r\u009bb\tc" });
    expect(lines).toEqual(["  | [2J]0;ownedab\tc"]);
  });

  it("bound a long value", () => {
    const [line = ""] = show({ type: "cell-finished", cell: 1, turn: 1, answer: { value: "x".repeat(9000) } });
    expect(line).toHaveLength("  = ".length + 500 + "… (9,000 characters)".length);
  });

  it("end with the failure's message", () => {
    const failure = { kind: "budget-spent", message: "5 turns are spent" };
    expect(show({ type: "run-ended", status: "exhausted", failure })).toEqual(["exhausted: 5 turns are spent"]);
  });
});

const run = (costUsd: number | null): RunView => ({
  id: "s.1",
  session: "s",
  goal: "g",
  status: "succeeded",
  own: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0, modelCalls: 0, costUsd: 0 },
  budget: {},
  usage: {
    input: 1200,
    output: 96,
    cacheRead: 1000,
    cacheWrite: 4,
    modelCalls: 2,
    costUsd,
    turns: 2,
    cells: 1,
    calls: 0,
    agents: 0,
  },
  createdAt: "2026-01-01T00:00:00.000Z",
  endedAt: "2026-01-01T00:00:03.400Z",
  links: {},
});

describe("the last line", () => {
  it("tells tokens, cost, turns, cells and time", () => {
    expect(describeUsage(run(0.0021))).toBe(
      "2,204 + 96 tokens (1,000 from cache) · $0.0021 · 2 turns · 1 cell · 3.4 s",
    );
  });

  it("does not call an unknown price free", () => {
    expect(describeUsage(run(null))).toContain("cost unknown");
    expect(describeUsage(run(0))).toContain("$0.0000");
  });
});

describe("a result", () => {
  it("is printed as it is when it is text, and as JSON otherwise", () => {
    expect(formatResult("two words")).toBe("two words");
    expect(JSON.parse(formatResult({ words: 2 }))).toEqual({ words: 2 });
    expect(formatResult(null)).toBe("null");
  });
});
