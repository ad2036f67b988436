import { APIConnectionError, APIError } from "@anthropic-ai/sdk";
import type { Attempt } from "./retry.ts";

/** Why an attempt at the Messages API came to nothing: what each way to fail means, and whether it may pass. */
export type Trouble = Exclude<Attempt<never>, { outcome: "done" }>;

export const dropped = (reason: string): Trouble => ({
  outcome: "passing",
  reason,
  exhausted: (attempts) => ({ kind: "model-unreachable", attempts, reason }),
});

export const malformed = (reason: string): Trouble => ({
  outcome: "passing",
  reason,
  exhausted: (attempts) => ({ kind: "model-malformed", attempts, reason }),
});

/** For what the SDK throws when a request fails. Anything else is a bug and thrown on. */
export function troubleOfError(error: unknown): Trouble {
  if (error instanceof APIConnectionError) return dropped(rootCause(error));
  if (error instanceof APIError && error.status !== undefined)
    return troubleOfStatus(error.status, wordsOf(error), error.headers?.get("retry-after"));
  throw error; // not the endpoint's doing
}

const ERROR_STATUS: Record<string, number> = {
  invalid_request_error: 400,
  authentication_error: 401,
  billing_error: 402,
  permission_error: 403,
  not_found_error: 404,
  request_too_large: 413,
  rate_limit_error: 429,
  timeout_error: 504,
  overloaded_error: 529,
};

/** For an error inside a stream, which has a type where a response has a status. */
export const troubleOfType = (type: string, said: string): Trouble => troubleOfStatus(ERROR_STATUS[type] ?? 500, said);

const MAX_MESSAGE_CHARS = 1_000; // an endpoint may answer with a whole page

function troubleOfStatus(status: number, said: string, retryAfter: string | null = null): Trouble {
  const message = said.slice(0, MAX_MESSAGE_CHARS);
  if (status === 401 || status === 403)
    return { outcome: "final", failure: { kind: "model-unauthorized", status, message } };
  if (status === 408 || status === 409 || status === 429 || status >= 500)
    return {
      outcome: "passing",
      reason: `${status} ${message}`,
      retryAfter,
      exhausted: (attempts) => ({ kind: "model-busy", status, attempts }),
    };
  return { outcome: "final", failure: { kind: "model-rejected", status, message } };
}

// The SDK passes on what it found in the body: typed a string, but an endpoint may send anything.
const wordsOf = ({ apiMessage, message }: APIError): string => (typeof apiMessage === "string" ? apiMessage : message);

/** `fetch failed` says nothing; what caused it does. */
export function rootCause(error: unknown): string {
  let root = error;
  while (root instanceof Error && root.cause instanceof Error) root = root.cause;
  if (!(root instanceof Error)) return String(root);
  // Node's error for several refused addresses has a code and no message.
  return root.message || ("code" in root && String(root.code)) || root.name;
}
