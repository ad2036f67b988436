import { describeFailure } from "../src/contract/describe.ts";
import type { RunView } from "../src/contract/goal.ts";
import { toPlain } from "../src/kernel/plain.ts";
import type { RunRow } from "./run-store.ts";
import type { Stores } from "./stores.ts";
import { usageOf } from "./usage.ts";

const iso = (ms: number): string => new Date(ms).toISOString();

/** A run as the API shows it. */
export async function runView(stores: Stores, row: RunRow, session: string): Promise<RunView> {
  const encoded = row.endedAt === undefined ? undefined : await stores.texts.load(`result:${row.id}`);
  const model = stores.runs.turns(row.id).findLast((turn) => turn.reply !== undefined)?.reply?.model;
  const base = `/v1/goals/${row.id}`;
  return {
    id: row.id,
    session,
    goal: row.goal,
    status: row.status,
    ...(row.status === "waiting" ? { waitingOn: stores.decisions.pending(row.id) } : {}),
    ...(encoded === undefined ? {} : { result: toPlain(encoded) }),
    ...(row.failure === undefined
      ? {}
      : { failure: { kind: row.failure.kind, message: describeFailure(row.failure) } }),
    budget: row.budget,
    usage: usageOf(stores, row.id),
    ...(model === undefined ? {} : { model }),
    createdAt: iso(row.createdAt),
    ...(row.startedAt === undefined ? {} : { startedAt: iso(row.startedAt) }),
    ...(row.endedAt === undefined ? {} : { endedAt: iso(row.endedAt) }),
    links: {
      self: base,
      events: `${base}/events`,
      cells: `${base}/cells`,
      variables: `${base}/variables`,
      cancel: `${base}/cancel`,
    },
  };
}
