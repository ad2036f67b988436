import { fail, ok } from "../contract/failure.ts";
import type { Failure, Result } from "../contract/failure.ts";
import type { ModelRetry } from "./port.ts";

export interface RetryPolicy {
  maxAttempts: number;
  /** The first delay is at most this, the second at most twice this, and so on. */
  baseDelayMs: number;
  /** No delay is longer, whatever a `retry-after` says. */
  capMs: number;
}

export const DEFAULT_RETRY: RetryPolicy = { maxAttempts: 5, baseDelayMs: 1_000, capMs: 60_000 };

/** What one attempt came to. A `passing` trouble may be gone next time; `exhausted` says what it is if it never is. */
export type Attempt<T> =
  | { outcome: "done"; value: T }
  | { outcome: "final"; failure: Failure }
  | { outcome: "passing"; reason: string; retryAfter?: string | null; exhausted: (attempts: number) => Failure };

/**
 * Repeats `attempt` while its trouble is passing. `onRetry` hears of each failed attempt, numbered from 1, before the
 * delay that follows it. Rejects with the signal's reason when the signal aborts, also during a delay.
 */
export async function withRetries<T>(
  attempt: () => Promise<Attempt<T>>,
  options: { policy: RetryPolicy; signal: AbortSignal; onRetry?: ((retry: ModelRetry) => void) | undefined },
): Promise<Result<T>> {
  const { policy, signal, onRetry } = options;
  for (let number = 1; ; number++) {
    signal.throwIfAborted();
    const came = await attempt();
    if (came.outcome === "done") return ok(came.value);
    if (came.outcome === "final") return fail(came.failure);
    if (number >= policy.maxAttempts) return fail(came.exhausted(number));
    const delayMs = retryDelay(policy, { number, retryAfter: came.retryAfter ?? null });
    onRetry?.({ attempt: number, reason: came.reason, delayMs });
    await pause(delayMs, signal);
  }
}

/** Exponential with full jitter, and at least what the endpoint asked for, up to the cap. */
export function retryDelay(
  policy: RetryPolicy,
  failed: { number: number; retryAfter: string | null; random?: () => number; now?: number },
): number {
  const { number, retryAfter, random = Math.random, now = Date.now() } = failed;
  const jittered = random() * policy.baseDelayMs * 2 ** (number - 1);
  return Math.round(Math.min(policy.capMs, Math.max(jittered, parseRetryAfter(retryAfter, now) ?? 0)));
}

/** Milliseconds from now. Takes seconds or an HTTP date; undefined for anything else. */
export function parseRetryAfter(header: string | null, now: number): number | undefined {
  if (header === null || header.trim() === "") return undefined;
  const seconds = Number(header);
  const ms = Number.isNaN(seconds) ? Date.parse(header) - now : seconds * 1_000;
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return reject(signal.reason);
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener("abort", onAbort);
      resolve();
    }, ms);
    signal.addEventListener("abort", onAbort, { once: true });
  });
}
