import type { Result } from "../contract/failure.ts";
import type { ModelReply, ModelRequest } from "../contract/model.ts";

export interface ModelRetry {
  attempt: number;
  reason: string;
  delayMs: number;
}

/**
 * One model, whoever serves it.
 *
 * Must not reject for anything an endpoint can do: every such outcome is a Failure. Retries inside; what it returns is
 * final. Holds no state between calls. When `signal` aborts it rejects with the signal's reason and nothing else.
 */
export interface Model {
  /** For people: `anthropic` or `embedded planner`. */
  readonly label: string;
  call(
    request: ModelRequest,
    options: { signal: AbortSignal; onRetry?: (retry: ModelRetry) => void },
  ): Promise<Result<ModelReply>>;
}
