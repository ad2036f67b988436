import type { Failure, Result } from "./failure.ts";
import type { Budget, DecisionAnswer, PendingDecision, RunStatus, Usage } from "./goal.ts";
import type { Tier } from "./model.ts";
import type { Spent } from "./usage.ts";

/** All that a sub-agent is told when it begins. It learns nothing more of its parent (G2). */
export interface AgentOrder {
  id: string;
  tenant: string;
  session: string;
  /** The run whose tree it belongs to. */
  run: string;
  task: string;
  /** JSON text of its variable `data`. */
  data?: string;
  name: string;
  role: string;
  persona?: string;
  tier: Tier;
  model?: string;
  /** Its own grant and those of all above it. */
  grants: string[][];
  output?: Record<string, unknown>;
  budget: Budget;
  autoApprove: boolean;
  retentionMs: number;
  /** The workspace of the run. */
  workspace: string;
}

/** What a sub-agent has spent so far, in all: said again, it replaces what was said. */
export interface CheckIn {
  usage: Usage;
  byModel: Record<string, Spent>;
  progress?: string;
}

export interface AgentReport extends CheckIn {
  status: RunStatus;
  pending: PendingDecision[];
  failure?: Failure;
  /** JSON text. */
  result?: string;
  partial?: string;
}

/** A sub-agent as its coordinator sees it. Each method may be called again. */
export interface SubAgentApi {
  /** Idempotent: called again it only wakes the agent. */
  begin(order: AgentOrder): Promise<void>;
  cancel(): Promise<void>;
  decide(decision: string, answer: DecisionAnswer): Promise<Result<undefined>>;
}

/** A coordinator as its sub-agents see it. */
export interface ParentApi {
  /** Before each spend (G4). A Failure says that it may not, and ends the agent. */
  checkIn(agent: string, note: CheckIn): Promise<{ refused?: Failure; trusted: string[] }>;
  /** The last word about an agent that has ended counts once. */
  note(agent: string, report: AgentReport): Promise<void>;
  /** What the coordinator answers to an escalation. Idempotent per key. */
  help(agent: string, request: { need: string; why: string; data?: unknown }, key: string): Promise<string>;
}
