import type { Failure } from "../contract/failure.ts";

/** How many of one agent must fail alike, one after another, before no more are started. */
export const CIRCUIT_FAILURES = 5;
/** After so long one more is tried: what was broken may be whole again. */
export const CIRCUIT_REST_MS = 60_000;

/** An agent that ended, the newest first. `failure` is absent for a success. */
export interface Ended {
  failure?: { kind: string; message: string };
  endedAt: number;
}

/**
 * Why no further agent of this definition may start, if so. Failures that say nothing about the agent (it was
 * cancelled, the run's budget is spent) neither open the circuit nor close it.
 */
export function openCircuit(agent: string, ended: readonly Ended[], now: number): Failure | undefined {
  const telling = ended.filter(({ failure }) => failure === undefined || !SAYS_NOTHING.has(failure.kind));
  const recent = telling.slice(0, CIRCUIT_FAILURES);
  const last = recent[0];
  if (recent.length < CIRCUIT_FAILURES || last?.failure === undefined) return undefined;
  const alike = recent.every(({ failure }) => failure !== undefined && signOf(failure) === signOf(last.failure!));
  if (!alike || now - last.endedAt >= CIRCUIT_REST_MS) return undefined;
  return { kind: "circuit-open", agent, failures: CIRCUIT_FAILURES, last: last.failure.message };
}

const SAYS_NOTHING = new Set(["cancelled", "circuit-open", "budget-spent"]); // a budget tells of the size of a task

/** Equal failures differ in numbers at most: attempts, times, sizes. */
const signOf = ({ kind, message }: { kind: string; message: string }): string =>
  `${kind} ${message.replace(/\d+/g, "#").slice(0, 300)}`;
