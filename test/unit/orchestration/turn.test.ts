import { describe, expect, it } from "vitest";
import type { CellAnswer } from "../../../src/contract/cell.ts";
import type { Failure } from "../../../src/contract/failure.ts";
import type { ModelReply } from "../../../src/contract/model.ts";
import { type NextStep, nextStep, NUDGE, type RunState, type TurnRecord } from "../../../src/orchestration/turn.ts";

const reply = (more: Partial<ModelReply>): ModelReply => ({
  model: "m",
  text: "",
  usage: { input: 1, output: 1, cacheRead: 0, cacheWrite: 0 },
  costUsd: 0,
  ...more,
});
const code = (text: string): ModelReply => reply({ call: { id: "c", code: text } });
const ran = (turn: number, answer?: CellAnswer): TurnRecord => ({
  turn,
  reply: code(`cell of ${turn}`),
  cell: { cell: turn, ...(answer === undefined ? {} : { answer }) },
});
const empty = (turn: number): TurnRecord => ({ turn, reply: reply({ text: " \n" }), nudge: NUDGE });
const busy: Failure = { kind: "model-busy", status: 529, attempts: 3 };

const state = (turns: TurnRecord[], more: Partial<RunState> = {}): RunState => ({
  turns,
  budget: {},
  usage: {
    input: 0,
    output: 0,
    cacheRead: 0,
    cacheWrite: 0,
    modelCalls: turns.length,
    costUsd: 0,
    turns: turns.length,
    cells: turns.filter(({ cell }) => cell !== undefined).length,
    calls: 0,
    agents: 0,
  },
  elapsedMs: 0,
  ...more,
});

const STEPS: { when: string; turns: TurnRecord[]; more?: Partial<RunState>; next: NextStep }[] = [
  { when: "nothing happened yet", turns: [], next: { do: "model", turn: 1 } },
  {
    when: "the model wrote a cell",
    turns: [ran(1, { value: "1" }), { turn: 2, reply: code("x") }],
    next: { do: "cell", turn: 2, cell: 2, code: "x" },
  },
  {
    when: "a cell was begun and has no answer",
    turns: [ran(1, {}), ran(2)],
    next: { do: "cell", turn: 2, cell: 2, code: "cell of 2" },
  },
  { when: "a cell has an answer", turns: [ran(1, { value: "1" })], next: { do: "model", turn: 2 } },
  {
    when: "a cell failed",
    turns: [ran(1, { error: { kind: "thrown", message: "no", hint: "mend" } })],
    next: { do: "model", turn: 2 },
  },
  {
    when: "a cell called done",
    turns: [ran(1, { done: true })],
    next: { do: "end", status: "succeeded", from: "done" },
  },
  {
    when: "the model answered with text",
    turns: [ran(1, {}), { turn: 2, reply: reply({ text: "  42\n" }) }],
    next: { do: "end", status: "succeeded", from: "text", text: "42" },
  },
  {
    when: "the model answered with text and code",
    turns: [{ turn: 1, reply: { ...code("x"), text: "Let me see." } }],
    next: { do: "cell", turn: 1, cell: 1, code: "x" },
  },
  {
    when: "the model failed",
    turns: [ran(1, {}), { turn: 2, failure: busy }],
    next: { do: "end", status: "failed", failure: busy },
  },
  { when: "the model said nothing", turns: [empty(1)], next: { do: "model", turn: 2 } },
  { when: "it said nothing twice", turns: [empty(1), empty(2)], next: { do: "model", turn: 3 } },
  {
    when: "it said nothing three times",
    turns: [empty(1), empty(2), empty(3)],
    next: {
      do: "end",
      status: "failed",
      failure: { kind: "model-malformed", attempts: 3, reason: "its replies had neither code nor text" },
    },
  },
  {
    when: "the turns are spent before the next model call",
    turns: [ran(1, { value: "first" }), ran(2, {})],
    more: { budget: { turns: 2 } },
    next: {
      do: "end",
      status: "exhausted",
      failure: { kind: "budget-spent", limit: "turns", allowed: 2, spent: 2 },
      partial: "first",
    },
  },
  {
    when: "the turns are spent but the last one's cell has not run",
    turns: [{ turn: 1, reply: code("x") }],
    more: { budget: { turns: 1 } },
    next: { do: "cell", turn: 1, cell: 1, code: "x" },
  },
  {
    when: "the cells are spent",
    turns: [ran(1, {}), { turn: 2, reply: code("x") }],
    more: { budget: { cells: 1 } },
    next: { do: "end", status: "exhausted", failure: { kind: "budget-spent", limit: "cells", allowed: 1, spent: 1 } },
  },
  {
    when: "the budget is spent and the run is done",
    turns: [ran(1, { done: true })],
    more: { budget: { turns: 1, cells: 1, seconds: 1 }, elapsedMs: 5_000 },
    next: { do: "end", status: "succeeded", from: "done" },
  },
  {
    when: "the time is spent at the very start",
    turns: [],
    more: { budget: { seconds: 1 }, elapsedMs: 1_000 },
    next: { do: "end", status: "exhausted", failure: { kind: "budget-spent", limit: "seconds", allowed: 1, spent: 1 } },
  },
];

describe("what a run does next", () => {
  it.each(STEPS)("when $when", ({ turns, more, next }) => expect(nextStep(state(turns, more))).toEqual(next));

  it("follows from the record alone: a cell that was begun keeps its number and is not counted against itself", () => {
    const budget = { cells: 1 };
    expect(nextStep(state([{ turn: 1, reply: code("x") }], { budget }))).toMatchObject({ do: "cell", cell: 1 });
    // The same cell after a restart: it is in the record, without an answer.
    expect(nextStep(state([{ ...ran(1), reply: code("x") }], { budget }))).toMatchObject({ do: "cell", cell: 1 });
  });
});
