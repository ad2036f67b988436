import type { AgentDefinition, AgentView, SubtaskView } from "./agent.ts";
import type { CapabilityRunRequest } from "./capability-run.ts";
import type { CellView, VariableInfo } from "./cell.ts";
import type { StoredEvent } from "./event.ts";
import type { Result } from "./failure.ts";
import type { UsageQuery, UsageReport } from "./usage.ts";
import type { DecisionAnswer, GoalRequest, RunSummary, RunView } from "./goal.ts";

/**
 * The Coordinator as HTTP sees it. One object per session; `run` is a full run id.
 * Every method may be called again with the same arguments; none throws for an expected failure.
 */
export interface CoordinatorApi {
  /** Idempotent per `run`: a second call with the same id starts nothing. */
  start(run: string, request: GoalRequest, scope: { tenant: string; session: string }): Promise<RunView>;
  /** A run that runs one capability and asks no model; its result is a `CapabilityOutcome`. Idempotent per `run`. */
  startCapability(
    run: string,
    order: CapabilityRunRequest & { name: string; goal: string },
    scope: { tenant: string; session: string },
  ): Promise<void>;
  view(run: string): Promise<Result<RunView>>;
  /** Resolves when the run has ended or `ms` have passed, whichever is first. */
  wait(run: string, ms: number): Promise<Result<RunView>>;
  cancel(run: string): Promise<Result<RunView>>;
  /** The same answer twice is one. */
  decide(run: string, decision: string, answer: DecisionAnswer): Promise<Result<RunView>>;
  agents(run: string, page: { after: number; limit: number }): Promise<Result<{ items: AgentView[]; next?: number }>>;
  subtask(id: string): Promise<Result<SubtaskView>>;
  cancelSubtask(id: string): Promise<Result<SubtaskView>>;
  /** What each of its agents did, kept when it ended. */
  log(subtask: string): Promise<Result<{ agent: string; events: StoredEvent[] }[]>>;
  cells(run: string, page: { after: number; limit: number }): Promise<Result<{ items: CellView[]; next?: number }>>;
  variables(run: string): Promise<Result<VariableInfo[]>>;
  variable(run: string, name: string): Promise<Result<VariableInfo & { value: unknown }>>;
  /** Events after `after`, at once if there are any, else as soon as one comes, else none after `waitMs`. */
  events(run: string, after: number, waitMs: number): Promise<Result<{ events: StoredEvent[]; ended: boolean }>>;
}

/** The Registry as HTTP sees it. One object per tenant. */
export interface RegistryApi {
  /**
   * Reserves an id for a goal (E2). With a key that was seen before, answers the run it made; with one that was seen
   * with another body, a conflict.
   */
  admit(entry: {
    run: RunSummary;
    idempotency?: { key: string; bodyHash: string };
  }): Promise<Result<{ id: string; isNew: boolean }>>;
  list(page: { cursor?: string; limit: number; status?: string }): Promise<{ items: RunSummary[]; cursor?: string }>;
  usage(query: UsageQuery): Promise<UsageReport>;
  /** The tenant's own definitions; those that ship with Praxis are not among them. */
  agents(): Promise<AgentDefinition[]>;
  /** Replaces one of the same name. */
  defineAgent(definition: AgentDefinition): Promise<Result<AgentDefinition>>;
  deleteAgent(name: string): Promise<Result<undefined>>;
}
