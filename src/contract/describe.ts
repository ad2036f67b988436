import type { Failure } from "./failure.ts";

/** The words of others, without their full stop: ours follows. */
const unstopped = (text: string): string => text.replace(/[.\s]+$/, "");

/** The one mapping from failures to a sentence for people and models: what happened, then what to do. */
export function describeFailure(failure: Failure): string {
  switch (failure.kind) {
    case "bad-input":
      return `${failure.field}: ${failure.problem}.`;
    case "not-json":
      return `The body could not be read as JSON: ${failure.problem}.`;
    case "body-too-large":
      return `The body is larger than ${failure.limitBytes} bytes. Send less, or let the run fetch the data.`;
    case "unknown-run":
      return `There is no run "${failure.id}". GET /v1/goals lists the runs there are.`;
    case "unknown-variable":
      return `There is no variable "${failure.name}". Known: ${failure.known.slice(0, 20).join(", ") || "none"}.`;
    case "variable-too-large":
      return `"${failure.name}" is ${failure.chars} characters long; ${failure.limit} can be shown. Look at a part of it with a cell, or write it to a file.`;
    case "unknown-decision":
      return `Nothing waits for a decision "${failure.id}". Pending: ${failure.pending.join(", ") || "none"}.`;
    case "stale-decision":
      return `What you answered is not what decision ${failure.id} is about now (its digest is ${failure.digest}). Look again at what is asked.`;
    case "already-decided":
      return `Decision ${failure.id} was answered already (${failure.decision}), and an answer stays.`;
    case "unknown-route":
      return `There is no ${failure.method} ${failure.path}. GET /openapi.json lists the routes.`;
    case "method-not-allowed":
      return `${failure.path} takes ${failure.allowed.join(", ")}, not ${failure.method}.`;
    case "unauthorized":
      return `${failure.problem}. Send the key as "Authorization: Bearer <key>".`;
    case "loopback-only":
      return `No PRAXIS_ROOT_KEY is set, so the API answers on loopback only, not for the host "${failure.host}". Set the key to open it.`;
    case "idempotency-conflict":
      return `The Idempotency-Key "${failure.key}" was used with another body, for run ${failure.run}. Use a new key for a new goal.`;
    case "already-ended":
      return `The run ${failure.id} has ended (${failure.status}).`;
    case "model-unauthorized":
      return `The model endpoint refused the key (${failure.status}): ${unstopped(failure.message)}. Check ANTHROPIC_API_KEY.`;
    case "model-rejected":
      return `The model endpoint rejected the request (${failure.status}): ${unstopped(failure.message)}.`;
    case "model-refused":
      return `The model refused: ${failure.message || "it gave no reason"}. Put the ${failure.of ?? "goal"} in other words.`;
    case "model-busy":
      return `The model endpoint stayed busy (${failure.status}) through ${failure.attempts} attempts. Try again later.`;
    case "model-unreachable":
      return `The model endpoint could not be reached in ${failure.attempts} attempts: ${unstopped(failure.reason)}. Check ANTHROPIC_BASE_URL and the network.`;
    case "model-malformed":
      return `The model endpoint sent something unreadable in ${failure.attempts} attempts: ${unstopped(failure.reason)}. Is it compatible with the Messages API?`;
    case "model-truncated":
      return `The model's reply was cut off at ${failure.maxTokens} tokens. Ask for less in one step.`;
    case "model-misconfigured":
      return `${failure.variable} is not usable: ${failure.problem}.`;
    case "no-recipe":
      return `The embedded planner has no recipe for this goal. It can: ${failure.recipes.join("; ")}. For anything else set ANTHROPIC_API_KEY, or ANTHROPIC_BASE_URL for a compatible server.`;
    case "llm-invalid":
      return `The model gave no JSON that fits the schema, also when asked again: ${failure.problem}. Simplify the schema or the prompt.`;
    case "cell-failed":
      return `Cell ${failure.cell} failed (${failure.error.kind}${failure.error.line === undefined ? "" : `, line ${failure.error.line}`}): ${failure.error.message}`;
    case "budget-spent":
      return `The budget of ${failure.allowed} ${failure.limit} is spent (${failure.spent}). Submit again with a larger budget.${failure.limit}.`;
    case "price-unknown":
      return `The cost can't be kept under $${failure.allowed}: no price is known for a model that was used. Leave cost out of the budget (and of PRAXIS_MAX_BUDGET) and limit tokens, or use a model with a known price.`;
    case "call-rejected":
      return `The call of ${failure.tool} was rejected${failure.note === undefined ? "" : `: ${failure.note}`}.`;
    case "unknown-agent":
      return `There is no agent "${failure.name}". Known: ${failure.known.join(", ")}. Or give a definition: { name, role }.`;
    case "unknown-subtask":
      return `There is no subtask "${failure.id}". GET /v1/goals/<run>/agents lists those of a run.`;
    case "too-many-agents":
      return `There are ${failure.limit} stored agents, and no more can be. Delete one first.`;
    case "unknown-capability":
      return `There is no capability "${failure.name}". ${failure.nearest.length > 0 ? `Nearest: ${failure.nearest.join(", ")}.` : "Look for one with library.search(query) or GET /v1/capabilities?q=."}`;
    case "unknown-version":
      return `${failure.name} has no version ${failure.version}. Versions: ${failure.known.join(", ")}.`;
    case "capability-unavailable":
      return `${failure.name} is ${failure.state} and can't be run: ${unstopped(failure.why)}. Save a version that mends it.`;
    case "capability-refused":
      return `The capability was not saved. ${failure.reasons.map(({ problem }) => `${unstopped(problem)}.`).join(" ")}`;
    case "capability-failed":
      return `${unstopped(failure.problem)}. Look at it with GET /v1/capabilities/${failure.name}/source.`;
    case "capability-conflict":
      return `${failure.name}: ${unstopped(failure.problem)}.`;
    case "unknown-lesson":
      return `There is no lesson "${failure.id}". GET /v1/lessons lists those there are.`;
    case "output-refused":
      return `The result does not fit the agent's output schema, also when asked again: ${unstopped(failure.problem)}. Simplify the schema or the task.`;
    case "timed-out":
      return `It took longer than ${failure.seconds} s and was stopped. Give it more time or a smaller task.`;
    case "cancelled":
      return "It was cancelled.";
    case "circuit-open":
      return `No further "${failure.agent}" is started: the last ${failure.failures} failed alike (${unstopped(failure.last)}). Mend the cause, or use another agent.`;
    case "no-quorum":
      return `No ${failure.agree} of ${failure.of} answers were equal; at most ${failure.most} were. Ask for a narrower answer, or settle for fewer.`;
    case "no-help":
      return `No help is given: ${unstopped(failure.reason)}. Go on with what you have, and say what is missing.`;
    case "run-broken":
      return `The run broke off inside Praxis: ${failure.problem}. This is a bug.`;
  }
}
