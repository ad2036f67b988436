import type { AgentDefinition, AgentTask } from "../src/contract/agent.ts";
import { durationMs } from "../src/contract/duration.ts";
import type { AgentOrder } from "../src/contract/sub-agent.ts";
import type { Attempt } from "../src/orchestration/attempt.ts";
import { grantedBudget, leftOf } from "../src/orchestration/budget.ts";
import type { Stores } from "./stores.ts";
import type { AgentRow, SubtaskRow } from "./subtask-store.ts";
import { stateOf } from "./usage.ts";

const DEFAULT_RETENTION = "1d";

export interface OrderHost {
  stores: Stores;
  scope: () => { tenant: string; session: string };
  workspace: (run: string) => string;
}

export const definitionOf = ({ order }: SubtaskRow, by: Attempt["by"]): AgentDefinition => {
  if (order.kind === "llm") throw new Error("a model call has no definition");
  return by === "fallback" ? (order.fallback ?? order.definition) : order.definition;
};

export function attemptsOf(stores: Stores, agent: AgentRow): Pick<AgentTask, "retry" | "timeout" | "quorum"> {
  const { order } = stores.subtasks.find(agent.subtask)!;
  return order.kind === "agent" ? order.attempts : { retry: 0 };
}

/** G4: no child may spend more than is left above it. */
export function budgetOf(stores: Stores, agent: AgentRow): ReturnType<typeof grantedBudget> {
  const definition = definitionOf(stores.subtasks.find(agent.subtask)!, agent.by);
  const { timeout } = attemptsOf(stores, agent);
  const state = stateOf(stores, agent.run);
  const asked = {
    ...definition.budget,
    ...(definition.maxTurns === undefined ? {} : { turns: definition.maxTurns }),
    ...(timeout === undefined ? {} : { seconds: Math.ceil(timeout) }),
  };
  // Of the time its parent had left when it began.
  const began = agent.startedAt === undefined ? 0 : Date.now() - agent.startedAt;
  return grantedBudget(asked, leftOf({ ...state, elapsedMs: Math.max(0, state.elapsedMs - began) }));
}

/** All that the agent is told. The same at every call for the same agent, but for what is left of the budget above it. */
export async function orderOf({ stores, scope, workspace }: OrderHost, agent: AgentRow): Promise<AgentOrder> {
  const subtask = stores.subtasks.find(agent.subtask)!;
  const definition = definitionOf(subtask, agent.by);
  const run = stores.runs.find(agent.run)!;
  const data = await stores.texts.load(`data:${subtask.id}`);
  const retention = definition.retention ?? run.retention ?? DEFAULT_RETENTION;
  const { name, role, persona, model, output, tools = ["*"] } = definition;
  return {
    id: agent.id,
    ...scope(),
    run: agent.run,
    task: subtask.task,
    ...(data === undefined ? {} : { data }),
    name,
    role,
    ...(persona === undefined ? {} : { persona }),
    tier: agent.tier,
    ...(model === undefined ? {} : { model }),
    grants: [tools],
    ...(output === undefined ? {} : { output }),
    budget: budgetOf(stores, agent),
    autoApprove: run.autoApprove,
    retentionMs: durationMs(retention),
    workspace: workspace(agent.run),
  };
}
