import type { AgentDefinition, AgentTask, PlanStep, SubtaskView, TaskFailure, Who } from "../src/contract/agent.ts";
import type { Result } from "../src/contract/failure.ts";
import type { LessonView } from "../src/contract/library.ts";
import type { SearchHit } from "../src/capabilities/search-index.ts";
import type { LlmRequest } from "./llm.ts";

/** The run's workspace. Paths are checked by the tools. */
export interface Files {
  read(path: string): Promise<string | undefined>;
  /** Answers the size in bytes. */
  write(path: string, text: string): Promise<number>;
  list(folder?: string): Promise<{ path: string; size: number; modified: string }[]>;
}

/** What a coordinator lends to the `agents` family. Subtasks are those of the run that asks. */
export interface AgentsHost {
  /** Idempotent per key. A TaskFailure when nothing more may be started: that is the child's outcome, not the caller's mistake. */
  open(
    order: { who: Who; task: AgentTask; detached: boolean },
    key: string,
  ): Promise<Result<{ id: string } | TaskFailure>>;
  openLlm(request: LlmRequest, key: string): Promise<Result<{ id: string }>>;
  /** The result, or a TaskFailure, once there is one. */
  outcome(subtask: string, signal: AbortSignal): Promise<unknown>;
  view(subtask: string): Promise<Result<SubtaskView>>;
  cancel(subtask: string): Promise<Result<SubtaskView>>;
  define(definition: AgentDefinition): Promise<Result<AgentDefinition>>;
  list(): Promise<{ name: string; role: string; kind: "built-in" | "stored"; maxTurns?: number; tools?: string[] }[]>;
  /** `key`: of the call. A replay of it finds what it did; another call tries anew what failed. */
  plan(steps: PlanStep[], key: string, signal: AbortSignal): Promise<Result<Record<string, unknown>>>;
}

export interface HelpRequest {
  need: string;
  why: string;
  data?: unknown;
}

/**
 * What an agent's object lends to the tools its cells call. Filled by the Durable Object; tools see nothing else of it.
 */
export interface ToolHost {
  /** Hosts that tools may reach: the text of PRAXIS_EGRESS. Undefined: public hosts only. */
  egress: string | undefined;
  /** A secret by its name, for tools that inject it on the host side. Never to be returned or logged. */
  secret(name: string): string | undefined;
  /** Searches all that the tenant's agents can call. */
  search(query: string, limit: number): Promise<SearchHit[]>;
  /** Lessons of earlier runs. */
  recall(query: string, limit: number): Promise<LessonView[]>;
  remember(text: string): Promise<Result<LessonView>>;
  files: Files;
  /** A coordinator's alone (G1). */
  agents?: AgentsHost | undefined;
  /** A sub-agent's alone: what the coordinator answers. */
  escalate?: ((request: HelpRequest, key: string, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** One model call of the run, within its budget. */
  llm(request: LlmRequest, signal: AbortSignal): Promise<Result<unknown>>;
}
