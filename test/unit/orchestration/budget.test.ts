import { describe, expect, it } from "vitest";
import type { Usage } from "../../../src/contract/goal.ts";
import {
  DEFAULT_BUDGET,
  grantedBudget,
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
    { name: "a cost nobody knows", state: { ...spend({ costUsd: null, input: 5 }), budget: { cost: 0.01 } } },
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
