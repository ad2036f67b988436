import type { Failure } from "../contract/failure.ts";
import type { Budget, Usage } from "../contract/goal.ts";

type Limits = { [limit in keyof Budget]-?: number };

/** What a run may spend when its goal doesn't say. */
export const DEFAULT_BUDGET: Limits = {
  turns: 30,
  tokens: 1_000_000,
  costUsd: 10,
  cells: 60,
  seconds: 1_800,
};

/** G4: the limit that forbids the next step, if there is one. */
export function spentLimit(
  state: { budget: Budget; usage: Usage; elapsedMs: number },
  next: "model" | "cell",
): Failure | undefined {
  const { usage } = state;
  const spent: Limits = {
    turns: next === "model" ? usage.turns : 0, // a cell belongs to a turn that is paid for
    tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
    costUsd: usage.costUsd ?? 0,
    cells: next === "cell" ? usage.cells : 0,
    seconds: Math.floor(state.elapsedMs / 1000),
  };
  for (const limit of Object.keys(DEFAULT_BUDGET) as (keyof Budget)[]) {
    const allowed = state.budget[limit] ?? DEFAULT_BUDGET[limit];
    if (spent[limit] >= allowed) return { kind: "budget-spent", limit, allowed, spent: spent[limit] };
  }
  return undefined;
}
