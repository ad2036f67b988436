import type { Failure } from "../contract/failure.ts";
import { Budget, type Usage } from "../contract/goal.ts";

type Limits = { [limit in keyof Budget]-?: number };

/** What a run may spend when its goal doesn't say. */
export const DEFAULT_BUDGET: Limits = {
  turns: 30,
  tokens: 1_000_000,
  cost: 10,
  cells: 60,
  calls: 10_000,
  agents: 1_000,
  seconds: 1_800,
};

/** `cost` is there when somebody named one: only then must it hold, whatever is known of prices. */
export type Granted = Omit<Limits, "cost"> & Pick<Budget, "cost">;

/** What a run may spend: what its goal asks for, or the default, and never more than the tenant's maximum. */
export function grantedBudget(asked: Budget, maximum: Budget): Granted {
  const granted: Limits = { ...DEFAULT_BUDGET };
  for (const limit of Object.keys(granted) as (keyof Budget)[])
    granted[limit] = Math.min(asked[limit] ?? granted[limit], maximum[limit] ?? Infinity);
  const { cost, ...others } = granted;
  return asked.cost === undefined && maximum.cost === undefined ? others : { ...others, cost };
}

/** The maximum from configuration: JSON such as {"cost": 1}. Undefined when it can't be read. */
export function parseMaximum(text: string | undefined): Budget | undefined {
  if (text === undefined || text.trim() === "") return {};
  try {
    return Budget.parse(JSON.parse(text));
  } catch {
    return undefined;
  }
}

/** What is about to be spent on. `llm`: a model call from inside a cell, which is no turn. */
export type Spend = "model" | "cell" | "call" | "llm" | "agent";

/** G4: the limit that forbids the next step, if there is one. */
export function spentLimit(
  state: { budget: Budget; usage: Usage; elapsedMs: number },
  next: Spend,
): Failure | undefined {
  const { usage } = state;
  const spent: Limits = {
    turns: next === "model" ? usage.turns : 0, // a cell belongs to a turn that is paid for
    tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
    cost: usage.costUsd ?? 0,
    cells: next === "cell" ? usage.cells : 0,
    // One more than allowed is one that was refused: it ends the run at its next step.
    calls: next === "call" ? usage.calls : usage.calls - 1,
    agents: next === "agent" ? usage.agents : -1,
    seconds: Math.floor(state.elapsedMs / 1000),
  };
  for (const limit of Object.keys(DEFAULT_BUDGET) as (keyof Budget)[]) {
    const allowed = state.budget[limit] ?? DEFAULT_BUDGET[limit];
    if (spent[limit] >= allowed) return { kind: "budget-spent", limit, allowed, spent: spent[limit] };
  }
  // A limit that can't be checked is not kept: it must not seem to be.
  if (state.budget.cost !== undefined && usage.costUsd === null)
    return { kind: "price-unknown", allowed: state.budget.cost };
  return undefined;
}

const OUTPUT_TOKENS = 500; // of an answer, as a rule: what is asked in maps over data is short
const CHARS_PER_TOKEN = 4;

/** What a model call may come to, before it is made. */
export const estimatedTokens = (promptChars: number): number =>
  Math.ceil(promptChars / CHARS_PER_TOKEN) + OUTPUT_TOKENS;

/**
 * G4 for calls at the same time: whether one of `next` tokens might overshoot together with those under way. It waits then
 * until one of them has ended and its cost is known. One alone is never held back: what it costs nobody knows before.
 */
export function mightOvershoot(
  { budget, usage }: { budget: Budget; usage: Usage },
  { underWay, next }: { underWay: number; next: number },
): boolean {
  if (underWay === 0) return false;
  const spent = usage.input + usage.output + usage.cacheRead + usage.cacheWrite;
  const cost = usage.costUsd ?? 0;
  const costPerToken = spent === 0 ? 0 : cost / spent;
  return (
    spent + underWay + next > (budget.tokens ?? DEFAULT_BUDGET.tokens) ||
    cost + (underWay + next) * costPerToken > (budget.cost ?? DEFAULT_BUDGET.cost)
  );
}

/** What is left of a budget for a child: it can't be granted more. Turns and cells are of each agent's own loop. */
export function leftOf(state: { budget: Budget; usage: Usage; elapsedMs: number }): Budget {
  const { usage, budget } = state;
  const left = (limit: keyof Budget, spent: number, least: number): number =>
    Math.max(least, (budget[limit] ?? DEFAULT_BUDGET[limit]) - spent);
  return {
    turns: budget.turns ?? DEFAULT_BUDGET.turns,
    cells: budget.cells ?? DEFAULT_BUDGET.cells,
    tokens: left("tokens", usage.input + usage.output + usage.cacheRead + usage.cacheWrite, 1),
    ...(budget.cost === undefined ? {} : { cost: left("cost", usage.costUsd ?? 0, 1e-9) }),
    calls: left("calls", usage.calls, 1),
    agents: 0, // G1
    seconds: left("seconds", Math.floor(state.elapsedMs / 1000), 1),
  };
}

/** How long the run may still go on, and a moment more: when it is over, it is over for sure. */
export function timeLeftMs({ budget, elapsedMs }: { budget: Budget; elapsedMs: number }): number {
  return Math.max(0, (budget.seconds ?? DEFAULT_BUDGET.seconds) * 1000 - elapsedMs) + 20;
}
