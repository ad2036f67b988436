import type { Context } from "hono";
import type { ContentfulStatusCode } from "hono/utils/http-status";
import { describeFailure } from "../contract/describe.ts";
import type { Failure } from "../contract/failure.ts";

/** RFC 9457. `type` is stable: clients match on it, never on the text. */
export interface Problem {
  type: string;
  title: string;
  status: number;
  detail: string;
  errors?: { field: string; problem: string }[];
}

const TYPE_BASE = "urn:praxis:problem:";

/** The one mapping from failures to HTTP. */
export function problemOf(failure: Failure): Problem {
  const problem = (status: number, title: string): Problem => ({
    type: TYPE_BASE + failure.kind,
    title,
    status,
    detail: describeFailure(failure),
  });
  switch (failure.kind) {
    case "bad-input":
      return {
        ...problem(400, "The request does not fit"),
        errors: [{ field: failure.field, problem: failure.problem }],
      };
    case "not-json":
      return { ...problem(400, "The body is not JSON"), errors: [{ field: "body", problem: failure.problem }] };
    case "body-too-large":
      return {
        ...problem(413, "The body is too large"),
        errors: [{ field: "body", problem: `over ${failure.limitBytes} bytes` }],
      };
    case "unknown-run":
      return { ...problem(404, "No such run"), errors: [{ field: "id", problem: "names no run" }] };
    case "unknown-variable":
      return problem(404, "No such variable");
    case "variable-too-large":
      return problem(413, "The variable is too large to show");
    case "unknown-decision":
      return problem(404, "No such decision");
    case "stale-decision":
      return problem(409, "The answer is stale");
    case "already-decided":
      return problem(409, "Already decided");
    case "unknown-agent":
      return problem(404, "No such agent");
    case "unknown-subtask":
      return problem(404, "No such subtask");
    case "too-many-agents":
      return problem(409, "Too many agents");
    case "unknown-capability":
      return problem(404, "No such capability");
    case "unknown-version":
      return problem(404, "No such version");
    case "unknown-lesson":
      return problem(404, "No such lesson");
    case "capability-unavailable":
      return problem(409, "The capability can't be run");
    case "capability-failed":
      return problem(422, "The capability failed");
    case "capability-refused":
      return {
        ...problem(422, "The capability was refused"),
        errors: failure.reasons.map(({ rule, problem }) => ({ field: rule, problem })),
      };
    case "capability-conflict":
      return problem(409, "Not in this state");
    case "unknown-route":
      return problem(404, "No such route");
    case "method-not-allowed":
      return problem(405, "Wrong method");
    case "unauthorized":
      return problem(401, "A key is needed");
    case "loopback-only":
      return problem(403, "Loopback only");
    case "idempotency-conflict":
      return {
        ...problem(409, "The key was used for another body"),
        errors: [{ field: "Idempotency-Key", problem: "was used with another body" }],
      };
    case "already-ended":
      return problem(409, "The run has ended");
    case "model-misconfigured":
      return problem(500, "The server is misconfigured");
    // These end runs and are shown inside them; none is an answer to a request by itself.
    case "model-unauthorized":
    case "model-rejected":
    case "model-refused":
    case "model-busy":
    case "model-unreachable":
    case "model-malformed":
    case "model-truncated":
    case "no-recipe":
    case "llm-invalid":
    case "cell-failed":
    case "budget-spent":
    case "price-unknown":
    case "call-rejected":
    case "run-broken":
    case "output-refused":
    case "timed-out":
    case "cancelled":
    case "circuit-open":
    case "no-quorum":
    case "no-help":
      return problem(500, "Internal error");
  }
}

export function answerFailure(c: Context, failure: Failure): Response {
  const problem = problemOf(failure);
  const headers: Record<string, string> = { "content-type": "application/problem+json" };
  if (failure.kind === "method-not-allowed") headers["allow"] = failure.allowed.join(", ");
  if (failure.kind === "unauthorized") headers["www-authenticate"] = "Bearer";
  return c.json(problem, problem.status as ContentfulStatusCode, headers);
}
