import { describeFailure } from "../src/contract/describe.ts";
import { isEnded, type PlanView, type RunStatus, type RunView } from "../src/contract/goal.ts";
import { toPlain } from "../src/kernel/plain.ts";
import { DEFAULT_BUDGET } from "../src/orchestration/budget.ts";
import type { StoredPlan } from "./agents-host.ts";
import type { RunRow } from "./run-store.ts";
import type { Stores } from "./stores.ts";
import { pendingBelow } from "./subtask-view.ts";
import { usageOf } from "./usage.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/** A run as the API shows it. */
export async function runView(stores: Stores, row: RunRow, session: string): Promise<RunView> {
  const encoded = row.endedAt === undefined ? undefined : await stores.texts.load(`result:${row.id}`);
  const model = stores.runs.turns(row.id).findLast((turn) => turn.reply !== undefined)?.reply?.model;
  const base = `/v1/goals/${row.id}`;
  const agents = stores.subtasks.byStatus(row.id);
  const plan = await planOf(stores, row.id);
  // A detached agent may ask after its run has ended.
  const own = isEnded(row.status) ? [] : stores.decisions.pending(row.id);
  const waitingOn = [...own, ...pendingBelow(stores, row.id)];
  return {
    id: row.id,
    session,
    goal: row.goal,
    // Agents that ask a person make the run one that waits, also while others still work.
    status: row.status === "running" && waitingOn.length > 0 ? "waiting" : row.status,
    ...(waitingOn.length > 0 ? { waitingOn } : {}),
    ...(encoded === undefined ? {} : { result: toPlain(encoded) }),
    ...(row.failure === undefined
      ? {}
      : { failure: { kind: row.failure.kind, message: describeFailure(row.failure) } }),
    budget: { ...DEFAULT_BUDGET, ...row.budget },
    usage: usageOf(stores, row.id),
    own: stores.ledger.spent(row.id, "own"),
    ...(Object.keys(agents).length === 0 ? {} : { agents }),
    ...(plan === undefined ? {} : { plan }),
    ...(model === undefined ? {} : { model }),
    createdAt: iso(row.createdAt),
    ...(row.startedAt === undefined ? {} : { startedAt: iso(row.startedAt) }),
    ...(row.endedAt === undefined ? {} : { endedAt: iso(row.endedAt) }),
    links: {
      self: base,
      events: `${base}/events`,
      cells: `${base}/cells`,
      variables: `${base}/variables`,
      agents: `${base}/agents`,
      approvals: `${base}/approvals`,
      cancel: `${base}/cancel`,
    },
  };
}

async function planOf({ texts, subtasks }: Stores, run: string): Promise<PlanView | undefined> {
  const text = await texts.load(`plan:${run}`);
  if (text === undefined) return undefined;
  const { revision, steps } = JSON.parse(text) as StoredPlan;
  const byId = new Map(steps.map((step) => [step.id, step]));
  /** A step that needs a failed one is not taken. */
  const statusOf = (id: string): RunStatus => {
    const { subtask, needs } = byId.get(id)!;
    const status = subtasks.find(subtask)?.status;
    if (status !== undefined) return status;
    return needs.some((need) => ["failed", "cancelled", "exhausted"].includes(statusOf(need))) ? "cancelled" : "queued";
  };
  return {
    revision,
    steps: steps.map((step) => ({ ...step, status: statusOf(step.id) })),
  };
}
