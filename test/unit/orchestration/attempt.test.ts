import { describe, expect, it } from "vitest";
import type { Failure } from "../../../src/contract/failure.ts";
import { afterAttempts, type Attempt, type AttemptPlan } from "../../../src/orchestration/attempt.ts";

const ONCE: AttemptPlan = { retry: 0, hasFallback: false };
const open: Attempt = { by: "definition" };
const gave = (answer: string, by: Attempt["by"] = "definition"): Attempt => ({ by, outcome: { answer } });
const broke = (kind: Failure["kind"] = "timed-out", by: Attempt["by"] = "definition"): Attempt => ({
  by,
  outcome: { failure: (kind === "timed-out" ? { kind, seconds: 1 } : { kind }) as Failure },
});

describe("what a subtask does after its attempts", () => {
  it.each<[string, Partial<AttemptPlan>, Attempt[], object]>([
    ["starts one", {}, [], { do: "start", by: "definition", count: 1 }],
    ["waits for it", {}, [open], { do: "wait" }],
    ["takes its answer", {}, [gave("1")], { do: "succeed", attempt: 0 }],
    ["fails with its failure", {}, [broke()], { do: "fail", failure: { kind: "timed-out" }, attempt: 0 }],
    ["tries again", { retry: 1 }, [broke()], { do: "start", by: "definition", count: 1 }],
    ["tries no more often", { retry: 1 }, [broke(), broke()], { do: "fail", attempt: 1 }],
    ["takes a later answer", { retry: 2 }, [broke(), gave("1")], { do: "succeed", attempt: 1 }],
    [
      "does not try again what was cancelled",
      { retry: 3 },
      [broke("cancelled")],
      { do: "fail", failure: { kind: "cancelled" } },
    ],
    ["does not try again what no recipe serves", { retry: 3 }, [broke("no-recipe")], { do: "fail" }],
    [
      "falls back after the tries",
      { retry: 1, hasFallback: true },
      [broke(), broke()],
      { do: "start", by: "fallback", count: 1 },
    ],
    ["falls back once", { hasFallback: true }, [broke(), broke("timed-out", "fallback")], { do: "fail", attempt: 1 }],
    [
      "takes the fallback's answer",
      { hasFallback: true },
      [broke(), gave("x", "fallback")],
      { do: "succeed", attempt: 1 },
    ],
    ["never falls back for what was cancelled", { hasFallback: true }, [broke("cancelled")], { do: "fail" }],
    [
      "falls back from an open circuit",
      { hasFallback: true },
      [broke("circuit-open")],
      { do: "start", by: "fallback" },
    ],
  ])("%s", (_what, plan, attempts, expected) => {
    expect(afterAttempts({ ...ONCE, ...plan }, attempts)).toMatchObject(expected);
  });

  const quorum = { agree: 2, of: 3 };
  it.each<[string, Partial<AttemptPlan>, Attempt[], object]>([
    ["starts all copies at once", { quorum }, [], { do: "start", count: 3 }],
    ["waits while it can still be reached", { quorum }, [gave("a"), gave("b"), open], { do: "wait" }],
    ["needs no more than agree", { quorum }, [gave("a"), open, gave("a")], { do: "succeed", attempt: 0 }],
    [
      "says how many agreed at most",
      { quorum },
      [gave("a"), gave("b"), gave("c")],
      { do: "fail", failure: { kind: "no-quorum", agree: 2, of: 3, most: 1 } },
    ],
    ["replaces a failed copy by a retry", { quorum, retry: 1 }, [gave("a"), broke(), open], { do: "start", count: 1 }],
    ["replaces no more than the retries", { quorum, retry: 1 }, [gave("a"), broke(), broke(), open], { do: "wait" }],
    [
      "gives the failure when none answered",
      { quorum },
      [broke(), broke(), broke()],
      { do: "fail", failure: { kind: "timed-out" } },
    ],
    [
      "a fallback's answer needs no quorum",
      { quorum, hasFallback: true },
      [gave("a"), gave("b"), gave("c"), gave("d", "fallback")],
      { do: "succeed", attempt: 3 },
    ],
  ])("with a quorum: %s", (_what, plan, attempts, expected) => {
    expect(afterAttempts({ ...ONCE, ...plan }, attempts)).toMatchObject(expected);
  });
});
