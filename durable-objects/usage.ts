import type { RunState } from "../src/orchestration/turn.ts";
import type { Usage } from "../src/contract/goal.ts";
import type { Stores } from "./stores.ts";

/** What a run and all below it have used of everything that a budget limits; turns and cells are its own (G4). */
export function usageOf({ ledger, runs, journal, subtasks }: Stores, run: string): Usage {
  const below = subtasks.totals(run);
  return {
    ...ledger.spent(run),
    ...runs.counts(run),
    calls: journal.calls(run) + below.calls,
    agents: below.agents,
  };
}

/** A run as the pure core sees it. */
export function stateOf(stores: Stores, run: string): RunState {
  const row = stores.runs.find(run)!; // callers have the run at hand
  const now = Date.now();
  const usage = usageOf(stores, run);
  return {
    turns: stores.runs.turns(run),
    budget: row.budget,
    // A call too many was refused and is none, but it ends the run at its next step.
    usage: stores.journal.isOverdrawn(run) ? { ...usage, calls: usage.calls + 1 } : usage,
    elapsedMs: now - (row.startedAt ?? now) - row.waitedMs,
  };
}
