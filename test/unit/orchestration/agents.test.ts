import { describe, expect, it } from "vitest";
import { AgentDefinition, parseSubtask } from "../../../src/contract/agent.ts";
import { durationMs } from "../../../src/contract/duration.ts";
import { leftOf } from "../../../src/orchestration/budget.ts";
import { isGranted } from "../../../src/orchestration/grant.ts";
import { checkPlan } from "../../../src/orchestration/plan.ts";
import { SPECIALISTS, specialistFor } from "../../../src/orchestration/specialists.ts";
import { chooseTier, TIER_RULES, type TierQuestion } from "../../../src/orchestration/tier.ts";
import { CATALOG } from "../../../tool-bindings/catalog.ts";
import { grantOf } from "../../../tool-bindings/define.ts";

describe("grants", () => {
  const post = { name: "http.post", grant: "http" };
  it.each([
    [[["*"]], true],
    [[["http"]], true],
    [[["http.post"]], true],
    [[["http.get"]], false],
    [[["htt"]], false],
    [[[]], false],
    [[], true], // the root
    [[["http"], ["text"]], false],
    [[["http"], ["*"]], true],
    [[["text"], ["http"]], false],
  ])("%j: http.post %s", (chain, granted) => {
    expect(isGranted(post, chain)).toBe(granted);
  });

  it("searching and sleeping need none", () => {
    expect(isGranted({ name: "tools.search", grant: "tools" }, [[]])).toBe(true);
    expect(isGranted({ name: "time.sleep", grant: "time" }, [[]])).toBe(true);
  });
});

describe("the specialists", () => {
  it.each(SPECIALISTS)("$name is a definition whose grants cover tools there are", (definition) => {
    expect(AgentDefinition.safeParse(definition).error).toBeUndefined();
    for (const grant of definition.tools ?? [])
      expect(
        CATALOG.some(
          (tool) => isGranted({ name: tool.name, grant: grantOf(tool) }, [[grant]]) && tool.name.startsWith(grant),
        ),
      ).toBe(true);
  });

  it("have grants of their own", () => {
    const grants = SPECIALISTS.map(({ tools }) => tools!.join());
    expect(new Set(grants).size).toBeGreaterThanOrEqual(5);
  });

  it.each([
    ["Find sources on the web about tides", "researcher"],
    ["Write a letter to the customer", "writer"],
    ["implement a function that parses dates", "coder"],
    ["compare the averages in this table", "analyst"],
    ["an HTML page layout", "designer"],
    ["verify and test the result", "qa-tester"],
    ["hm", undefined],
  ])("%s → %s", (need, name) => {
    expect(specialistFor(need)).toBe(name);
  });
});

describe("tier auto", () => {
  const small: TierQuestion = {
    asked: "auto",
    inherited: "medium",
    taskChars: 100,
    dataChars: 1_000,
    maxTurns: 2,
    hasSchema: false,
  };
  it.each<[Partial<TierQuestion>, string, string]>([
    [{}, "small", "few turns"],
    [{ maxTurns: 9, hasSchema: true }, "small", "fixed form"],
    [{ maxTurns: 9 }, "medium", "judgement"],
    [{ taskChars: TIER_RULES.smallTaskChars + 1 }, "medium", "task"],
    [{ dataChars: TIER_RULES.smallDataChars + 1 }, "medium", "data"],
    [{ taskChars: TIER_RULES.largeTaskChars + 1 }, "large", "task"],
    [{ dataChars: TIER_RULES.largeDataChars + 1 }, "large", "data"],
    [{ asked: "large" }, "large", "definition"],
    [{ asked: undefined, inherited: "small" }, "small", "inherited"],
  ])("%j → %s", (change, tier, reason) => {
    const choice = chooseTier({ ...small, ...change });
    expect(choice.tier).toBe(tier);
    expect(choice.reason).toContain(reason);
  });
});

describe("plans", () => {
  const step = (id: string, ...needs: string[]) => ({ id, needs });
  it.each([
    [[step("a"), step("b", "a"), step("c", "a", "b")], undefined],
    [[step("a", "a")], "leads back"],
    [[step("a"), step("b", "c"), step("c", "b")], "leads back"],
    [[step("a", "x")], "no step"],
    [[step("a"), step("a")], "twice"],
  ])("%j", (steps, problem) => {
    const checked = checkPlan(steps);
    if (problem === undefined) expect(checked.ok).toBe(true);
    else expect(checked).toMatchObject({ ok: false, failure: { problem: expect.stringContaining(problem) } });
  });
});

describe("what is left for a child", () => {
  it("is what is left above, never nothing at all, and no agents (G1)", () => {
    const usage = {
      input: 90,
      output: 5,
      cacheRead: 0,
      cacheWrite: 0,
      modelCalls: 1,
      costUsd: 0.4,
      turns: 3,
      cells: 2,
      calls: 9,
      agents: 1,
    };
    const left = leftOf({
      budget: { tokens: 100, cost: 0.5, calls: 5, seconds: 10, turns: 4 },
      usage,
      elapsedMs: 4_500,
    });
    expect(left).toMatchObject({ tokens: 5, calls: 1, seconds: 6, turns: 4, agents: 0 });
    expect(left.cost).toBeCloseTo(0.1);
  });
});

describe("addresses and durations", () => {
  it.each(["subtask://s-1.r1.t1", "s-1.r1.t1"])("%s names its run and session", (text) => {
    expect(parseSubtask(text)).toEqual({ id: "s-1.r1.t1", run: "s-1.r1", session: "s-1" });
  });
  it.each(["", "subtask://", "s.r", "s.r.t.u", "../x.r.t", "s.R.t", "subtask://s.r.t/../x", `s.r.${"t".repeat(40)}`])(
    "%j is none",
    (text) => {
      expect(parseSubtask(text)).toBeUndefined();
    },
  );
  it.each([
    ["0s", 0],
    ["15m", 900_000],
    ["12h", 43_200_000],
    ["30d", 2_592_000_000],
  ])("%s is %i ms", (text, ms) => {
    expect(durationMs(text)).toBe(ms);
  });
});
