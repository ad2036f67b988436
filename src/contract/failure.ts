import type { CellError } from "./cell.ts";
import type { ModelReply } from "./model.ts";

/**
 * Every expected way for something to go wrong, as data. Bugs throw; these are returned.
 *
 * Mapped once each: to HTTP in `src/http/problem.ts`, to a sentence in `describeFailure` below.
 */
export type Failure =
  // What a caller sent
  | { kind: "bad-input"; field: string; problem: string }
  | { kind: "not-json"; problem: string }
  | { kind: "body-too-large"; limitBytes: number }
  | { kind: "unknown-run"; id: string }
  | { kind: "unknown-variable"; name: string; known: string[] }
  | { kind: "variable-too-large"; name: string; chars: number; limit: number }
  | { kind: "unknown-decision"; id: string; pending: string[] }
  | { kind: "stale-decision"; id: string; digest: string }
  | { kind: "already-decided"; id: string; decision: string }
  | { kind: "unknown-route"; method: string; path: string }
  | { kind: "method-not-allowed"; method: string; path: string; allowed: string[] }
  | { kind: "unauthorized"; problem: string }
  | { kind: "loopback-only"; host: string }
  | { kind: "idempotency-conflict"; key: string; run: string }
  | { kind: "already-ended"; id: string; status: string }
  | { kind: "unknown-agent"; name: string; known: string[] }
  | { kind: "unknown-subtask"; id: string }
  | { kind: "too-many-agents"; limit: number }
  | { kind: "unknown-capability"; name: string; nearest: string[] }
  | { kind: "unknown-version"; name: string; version: number; known: number[] }
  /** There, but in no state to run. */
  | { kind: "capability-unavailable"; name: string; state: string; why: string }
  /** By the gate. All of it, so that the author can mend it in one go. */
  | { kind: "capability-refused"; reasons: { rule: string; problem: string }[]; duplicate?: string }
  /** It was run, and failed. */
  | { kind: "capability-failed"; name: string; problem: string }
  /** What the lifecycle does not allow. */
  | { kind: "capability-conflict"; name: string; problem: string }
  | { kind: "unknown-lesson"; id: string }
  // What a model did
  | { kind: "model-unauthorized"; status: number; message: string }
  | { kind: "model-rejected"; status: number; message: string }
  /** `spent`: a refusal is billed like an answer. `of`: what it refused, when that is not the goal. */
  | { kind: "model-refused"; message: string; of?: "prompt"; spent?: Pick<ModelReply, "model" | "usage" | "costUsd"> }
  | { kind: "model-busy"; status: number; attempts: number }
  | { kind: "model-unreachable"; attempts: number; reason: string }
  | { kind: "model-malformed"; attempts: number; reason: string }
  | { kind: "model-truncated"; maxTokens: number }
  | { kind: "model-misconfigured"; variable: string; problem: string }
  | { kind: "no-recipe"; goal: string; recipes: string[] }
  | { kind: "llm-invalid"; problem: string }
  // How a run ended
  | { kind: "cell-failed"; cell: number; error: CellError }
  | { kind: "budget-spent"; limit: string; allowed: number; spent: number }
  /** A limit on cost was named, and what a model costs is not known. */
  | { kind: "price-unknown"; allowed: number }
  | { kind: "call-rejected"; tool: string; note?: string }
  | { kind: "run-broken"; problem: string }
  // How a subtask ended
  /** A result, also after it was asked for again, that the agent's output schema refuses. */
  | { kind: "output-refused"; problem: string }
  | { kind: "timed-out"; seconds: number }
  | { kind: "cancelled" }
  /** Nothing more is spawned of an agent that keeps failing the same way. */
  | { kind: "circuit-open"; agent: string; failures: number; last: string }
  | { kind: "no-quorum"; agree: number; of: number; most: number }
  | { kind: "no-help"; reason: string };

export type FailureKind = Failure["kind"];

export type Result<T> = { ok: true; value: T } | { ok: false; failure: Failure };

export const ok = <T>(value: T): Result<T> => ({ ok: true, value });
export const fail = (failure: Failure): { ok: false; failure: Failure } => ({ ok: false, failure });
