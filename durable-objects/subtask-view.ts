import { type AgentView, type SubtaskView, uriOf } from "../src/contract/agent.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { Failure } from "../src/contract/failure.ts";
import type { PendingDecision, RunStatus, Usage } from "../src/contract/goal.ts";
import { llmKey } from "./llm.ts";
import type { Stores } from "./stores.ts";
import { type AgentRow, NO_USAGE, type SubtaskRow } from "./subtask-store.ts";

const iso = (ms: number): string => new Date(ms).toISOString();
const told = (failure: Failure | undefined): { failure?: { kind: string; message: string } } =>
  failure === undefined ? {} : { failure: { kind: failure.kind, message: describeFailure(failure) } };
const times = ({ startedAt, endedAt }: { startedAt: number | undefined; endedAt: number | undefined }) => ({
  ...(startedAt === undefined ? {} : { startedAt: iso(startedAt) }),
  ...(endedAt === undefined ? {} : { endedAt: iso(endedAt) }),
});

export const agentView = (row: AgentRow): AgentView => ({
  id: row.id,
  subtask: uriOf(row.subtask),
  name: row.name,
  attempt: row.attempt,
  status: row.status,
  tier: row.tier,
  reason: row.reason,
  ...(row.model === undefined ? {} : { model: row.model }),
  ...(row.progress === undefined ? {} : { progress: row.progress }),
  usage: row.usage,
  ...told(row.failure),
  ...times(row),
});

/** `outcome`: JSON texts of what came of it. */
export function subtaskView(
  stores: Stores,
  row: SubtaskRow,
  outcome: { result?: string; partial?: string },
): SubtaskView {
  const agents = stores.subtasks.agentsOf(row.id);
  const { order, run } = row;
  const usage =
    order.kind === "llm"
      ? { ...NO_USAGE, ...stores.ledger.spentBy(run, llmKey(run, order.request)) }
      : agents.reduce((sum, agent) => add(sum, agent.usage), NO_USAGE);
  const progress = agents.findLast((agent) => agent.progress !== undefined)?.progress;
  const base = `/v1/subtasks/${row.id}`;
  return {
    id: row.id,
    uri: uriOf(row.id),
    run: row.run,
    kind: row.order.kind,
    agent: row.agent,
    task: row.task,
    status: statusOf(row, agents),
    ...(progress === undefined ? {} : { progress }),
    turns: usage.turns,
    usage,
    ...(outcome.result === undefined ? {} : { result: JSON.parse(outcome.result) as unknown }),
    ...(outcome.partial === undefined ? {} : { partial: JSON.parse(outcome.partial) as unknown }),
    ...told(row.failure),
    ...(row.detached ? { detached: true as const } : {}),
    attempts: agents.map(agentView),
    createdAt: iso(row.createdAt),
    ...times(row),
    links: { self: base, log: `${base}/log`, cancel: `${base}/cancel`, run: `/v1/goals/${row.run}` },
  };
}

/** It waits when all of its agents that are under way do. */
function statusOf(row: SubtaskRow, agents: AgentRow[]): RunStatus {
  const open = agents.filter(({ endedAt }) => endedAt === undefined);
  const isWaiting = row.endedAt === undefined && open.length > 0 && open.every(({ status }) => status === "waiting");
  return isWaiting ? "waiting" : row.status;
}

const add = (a: Usage, b: Usage): Usage => ({
  input: a.input + b.input,
  output: a.output + b.output,
  cacheRead: a.cacheRead + b.cacheRead,
  cacheWrite: a.cacheWrite + b.cacheWrite,
  modelCalls: a.modelCalls + b.modelCalls,
  costUsd: a.costUsd === null || b.costUsd === null ? null : a.costUsd + b.costUsd,
  turns: a.turns + b.turns,
  cells: a.cells + b.cells,
  calls: a.calls + b.calls,
  agents: a.agents + b.agents,
});

/** What the agents of a run ask people, under ids that name the agent: `<task>.<attempt>.<decision>`. */
export const pendingBelow = ({ subtasks }: Stores, run: string): PendingDecision[] =>
  subtasks
    .active()
    .filter((agent) => agent.run === run)
    .flatMap((agent) =>
      agent.pending.map((pending) => ({
        ...pending,
        id: `${agent.id.slice(run.length + 1)}.${pending.id}`,
        agent: agent.name,
      })),
    );
