import type { Result } from "../src/contract/failure.ts";
import type { SearchHit } from "../src/capabilities/search-index.ts";
import type { LlmRequest } from "./llm.ts";

/** The run's workspace. Paths are checked by the tools. */
export interface Files {
  read(path: string): Promise<string | undefined>;
  /** Answers the size in bytes. */
  write(path: string, text: string): Promise<number>;
  list(folder?: string): Promise<{ path: string; size: number; modified: string }[]>;
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
  files: Files;
  /** One model call of the run, within its budget. */
  llm(request: LlmRequest, signal: AbortSignal): Promise<Result<unknown>>;
}
