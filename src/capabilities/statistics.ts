import { CAPABILITY_LIMITS, type VersionStatistics } from "../contract/capability.ts";

export interface Use {
  succeeded: boolean;
  latencyMs: number;
  /** Against the run that first did this without the capability. */
  tokensSaved: number;
  /** The run that used it. */
  caller: string;
  /** ISO 8601. */
  at: string;
  error?: string;
}

export const noStatistics = (createdAt: string): VersionStatistics => ({
  uses: 0,
  successes: 0,
  failures: 0,
  recent: [],
  latencyMs: 0,
  tokensSaved: 0,
  callers: [],
  createdAt,
});

/** The statistics after one more use in a real run. A failure that was the caller's doing is not to be recorded here. */
export function recordUse(before: VersionStatistics, use: Use): VersionStatistics {
  const callers = [...before.callers.filter((caller) => caller !== use.caller), use.caller.slice(0, 200)];
  return {
    ...before,
    uses: before.uses + 1,
    successes: before.successes + Number(use.succeeded),
    failures: before.failures + Number(!use.succeeded),
    recent: [...before.recent, use.succeeded].slice(-CAPABILITY_LIMITS.recent),
    latencyMs: before.latencyMs + Math.max(0, use.latencyMs),
    // What failed saved nothing, whatever it would have.
    tokensSaved: before.tokensSaved + (use.succeeded ? Math.max(0, Math.round(use.tokensSaved)) : 0),
    ...(use.error === undefined ? {} : { lastError: use.error.slice(0, CAPABILITY_LIMITS.errorChars) }),
    callers: callers.slice(-CAPABILITY_LIMITS.callers),
    lastUsedAt: use.at,
  };
}
