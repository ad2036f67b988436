import type { AgentDefinition, AgentTask, PlanStep, SubtaskView, TaskFailure, Who } from "../src/contract/agent.ts";
import type { Result } from "../src/contract/failure.ts";
import type { CapabilityView, LessonView, Saved } from "../src/contract/library.ts";
import type { VersionView } from "../src/contract/capability.ts";
import type { SearchEntry, SearchHit } from "../src/capabilities/search-index.ts";
import type { SourceFile } from "../src/capabilities/source-file.ts";
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

/** A capability as its callers may know it: the version that is offered, or else the newest. */
export interface CapabilityRecord {
  view: CapabilityView;
  version: VersionView;
  file: SourceFile;
}

/** The tenant's library as one cell of an agent, or one run of a capability, has it. */
export interface LibraryHost {
  search(query: string, limit: number): Promise<SearchHit[]>;
  find(name: string): Promise<Result<CapabilityRecord>>;
  /** `draft` as it was written: the gate says what is wrong with it. */
  save(draft: unknown): Promise<Result<Saved>>;
  /**
   * Runs a capability. Idempotent per key: what it did in an earlier attempt is not done again (J2). Throws a ToolFailure for
   * what went wrong, and Suspended when something in it waits for a person.
   */
  run(order: { name: string; input: unknown; version?: number | undefined }, key: string): Promise<unknown>;
  /** Names of capabilities that are much like this one. */
  nearest(name: string): Promise<string[]>;
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
  /** Searches all that the tenant's agents can call, or what is of a kind. */
  search(query: string, limit: number, kinds?: SearchEntry["kind"][]): Promise<SearchHit[]>;
  /** Lessons of earlier runs. */
  recall(query: string, limit: number): Promise<LessonView[]>;
  remember(text: string): Promise<Result<LessonView>>;
  library: LibraryHost;
  files: Files;
  /** A coordinator's alone (G1). */
  agents?: AgentsHost | undefined;
  /** A sub-agent's alone: what the coordinator answers. */
  escalate?: ((request: HelpRequest, key: string, signal: AbortSignal) => Promise<unknown>) | undefined;
  /** One model call of the run, within its budget. */
  llm(request: LlmRequest, signal: AbortSignal): Promise<Result<unknown>>;
}
