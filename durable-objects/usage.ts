import type { RunState } from "../src/orchestration/turn.ts";
import type { Usage } from "../src/contract/goal.ts";
import type { Stores } from "./stores.ts";

/** What a run has used of everything that a budget limits. */
export const usageOf = ({ ledger, runs, journal }: Stores, run: string): Usage => ({
  ...ledger.spent(run),
  ...runs.counts(run),
  calls: journal.calls(run),
});

/** A run as the pure core sees it. */
export function stateOf(stores: Stores, run: string): RunState {
  const row = stores.runs.find(run)!; // callers have the run at hand
  const now = Date.now();
  return {
    turns: stores.runs.turns(run),
    budget: row.budget,
    usage: usageOf(stores, run),
    elapsedMs: now - (row.startedAt ?? now) - row.waitedMs,
  };
}
