import { describe, expect, it } from "vitest";
import type { Usage } from "../../../src/contract/goal.ts";
import {
  DEFAULT_BUDGET,
  estimatedTokens,
  grantedBudget,
  leftOf,
  mightOvershoot,
  parseMaximum,
  spentLimit,
  type Spend,
} from "../../../src/orchestration/budget.ts";

const NOTHING: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  modelCalls: 0,
  costUsd: 0,
  turns: 0,
  cells: 0,
  calls: 0,
  agents: 0,
};
const spend = (usage: Partial<Usage>, elapsedMs = 0) => ({ budget: {}, usage: { ...NOTHING, ...usage }, elapsedMs });

describe("G4: a limit that is reached forbids the next step", () => {
  it.each([
    {
      name: "turns",
      state: { ...spend({ turns: 2 }), budget: { turns: 2 } },
      limit: { limit: "turns", allowed: 2, spent: 2 },
    },
    {
      name: "tokens of every kind",
      state: { ...spend({ input: 1, output: 2, cacheRead: 3, cacheWrite: 4 }), budget: { tokens: 10 } },
      limit: { limit: "tokens", allowed: 10, spent: 10 },
    },
    {
      name: "cost",
      state: { ...spend({ costUsd: 0.5 }), budget: { cost: 0.25 } },
      limit: { limit: "cost", allowed: 0.25, spent: 0.5 },
    },
    {
      name: "seconds",
      state: { ...spend({}, 3_900), budget: { seconds: 3 } },
      limit: { limit: "seconds", allowed: 3, spent: 3 },
    },
  ])("$name", ({ state, limit }) => expect(spentLimit(state, "model")).toEqual({ kind: "budget-spent", ...limit }));

  it.each([
    {
      limit: "turns",
      state: { ...spend({ turns: 2 }), budget: { turns: 2 } },
      free: "cell",
      because: "a cell belongs to a turn that is paid for",
    },
    {
      limit: "cells",
      state: { ...spend({ cells: 2 }), budget: { cells: 2 } },
      free: "model",
      because: "a model may still answer with text",
    },
  ] as const)("$limit do not forbid a $free: $because", ({ state, free, limit }) => {
    expect(spentLimit(state, free)).toBeUndefined();
    expect(spentLimit(state, free === "cell" ? "model" : "cell")).toMatchObject({ limit });
  });
});

describe("a limit that is not reached", () => {
  it.each([
    { name: "one turn left", state: { ...spend({ turns: 1 }), budget: { turns: 2 } } },
    { name: "one token left", state: { ...spend({ input: 9 }), budget: { tokens: 10 } } },
    { name: "a cost nobody knows, and nobody limited", state: spend({ costUsd: null, input: 5 }) },
    { name: "part of the last second", state: { ...spend({}, 2_999), budget: { seconds: 3 } } },
    { name: "nothing spent and nothing set", state: spend({}) },
  ])("allows the next step: $name", ({ state }) => {
    expect(spentLimit(state, "model")).toBeUndefined();
    expect(spentLimit(state, "cell")).toBeUndefined();
  });
});

describe("a goal that sets no limits", () => {
  it.each(Object.entries(DEFAULT_BUDGET))("has the default for %s", (limit, allowed) => {
    const state = spend({ turns: 1e9, input: 1e12, costUsd: 1e6, cells: 1e9, calls: 1e9, agents: 1e9 }, 1e12);
    const others = Object.fromEntries(Object.keys(DEFAULT_BUDGET).map((name) => [name, 1e15]));
    delete others[limit];
    const next = { cells: "cell", agents: "agent" }[limit] as Spend | undefined;
    expect(spentLimit({ ...state, budget: others }, next ?? "model")).toMatchObject({
      limit,
      allowed,
    });
  });
});

describe("a limit on cost that somebody named", () => {
  it.each(["model", "cell", "llm", "agent"] as const)("forbids the next %s once a price is unknown", (next) => {
    const state = { ...spend({ costUsd: null, input: 5 }), budget: { cost: 2 } };
    expect(spentLimit(state, next)).toEqual({ kind: "price-unknown", allowed: 2 });
  });

  it("is known from the default, also by the agents below", () => {
    expect(grantedBudget({}, {})).not.toHaveProperty("cost");
    expect(grantedBudget({ cost: 3 }, { cost: 1 }).cost).toBe(1);
    expect(grantedBudget({}, { cost: 1 }).cost).toBe(1);
    expect(leftOf({ ...spend({ costUsd: null }), budget: {} })).not.toHaveProperty("cost");
    expect(leftOf({ ...spend({ costUsd: 0.5 }), budget: { cost: 2 } }).cost).toBe(1.5);
  });
});

describe("model calls at the same time", () => {
  const state = { ...spend({ input: 500, costUsd: 0.05 }), budget: { tokens: 1_000, cost: 0.1 } };
  it.each([
    ["one alone goes, however large", state, { underWay: 0, next: 5_000 }, false],
    ["what fits together goes", state, { underWay: 200, next: 200 }, false],
    ["tokens that might be too many wait", state, { underWay: 300, next: 300 }, true],
    ["cost that might be too much waits", { ...state, budget: { cost: 0.08 } }, { underWay: 200, next: 200 }, true],
  ])("%s", (_what, before, calls, waits) => expect(mightOvershoot(before, calls)).toBe(waits));

  it("are estimated by the length of the prompt and some output", () => {
    expect(estimatedTokens(4_000)).toBeGreaterThan(1_000);
    expect(estimatedTokens(4_000)).toBeLessThan(2_000);
  });
});

describe("what a run is granted", () => {
  it.each([
    ["the default", {}, {}, DEFAULT_BUDGET.tokens],
    ["what it asks for", { tokens: 5 }, {}, 5],
    ["no more than the maximum", { tokens: 500 }, { tokens: 100 }, 100],
    ["the maximum where the default is more", {}, { tokens: 100 }, 100],
  ])("is %s", (_what, asked, maximum, tokens) => expect(grantedBudget(asked, maximum).tokens).toBe(tokens));

  it.each([
    [undefined, {}],
    ["", {}],
    ['{"cost":1}', { cost: 1 }],
    ["no JSON", undefined],
    ['{"cost":-1}', undefined],
    ['{"costs":1}', undefined],
  ])("reads the maximum %j", (text, maximum) => expect(parseMaximum(text)).toEqual(maximum));
});
