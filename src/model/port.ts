import type { VariableInfo } from "../contract/cell.ts";
import type { Result } from "../contract/failure.ts";
import type { ModelReply, ModelRequest } from "../contract/model.ts";

export interface ModelRetry {
  attempt: number;
  reason: string;
  delayMs: number;
}

/** What code reached a goal, on what, with what result. */
export interface DistilMaterial {
  goal: string;
  code: string;
  variables: VariableInfo[];
  inputs: Record<string, unknown>;
  result: unknown;
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
  /** Where code is made by rule, so is a capability: a draft for the gate, or nothing. Without it a model is asked. */
  readonly distil?: (material: DistilMaterial) => unknown;
  call(
    request: ModelRequest,
    options: { signal: AbortSignal; onRetry?: (retry: ModelRetry) => void },
  ): Promise<Result<ModelReply>>;
}
