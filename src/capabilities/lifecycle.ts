/**
 * L3: state follows evidence. Which state a version is in next, as one pure function of what is known of it.
 *
 *     draft        saved; its own tests have not passed. Nobody is offered it (L2).
 *     probation    its tests passed. It is offered; beside an active version it gets a share of the runs.
 *     active       it did well in real runs.
 *     quarantined  it fails, or something it needs is gone, or a person took it back. Only what put it there lets it out.
 *     superseded   a newer version is active. Rollback brings it back.
 *     retired      nobody used it for long, or a person retired it. Only a person brings it back.
 */
import type { CapabilityState, QuarantineCause, VersionStatistics } from "../contract/capability.ts";

/** Every number that decides. */
export const THRESHOLDS = {
  successesToActivate: 5, // uses in real runs: fewer could be luck
  callersToActivate: 2, // runs: one that calls it in a loop is one witness
  rateToActivate: 0.8, // of all its uses
  failuresInARow: 3, // an API that changed fails always: three calls are enough to see it
  outcomesToJudge: 6, // of the recent window, before its rate says anything
  failureRate: 0.4, // of the recent window
  idleDays: 90, // a quarter without a use
  idleDraftDays: 14, // a draft that nobody mended
  canaryShare: 0.2, // of the runs, for a newer version on probation beside an active one
} as const;

const DAY_MS = 86_400_000;

export interface VersionRecord {
  version: number;
  state: CapabilityState;
  /** Set while it is quarantined. */
  cause?: QuarantineCause;
  /** Its own tests passed in an isolate (L2). */
  testsPassed: boolean;
  /** When it came into its state, ISO 8601. */
  since: string;
  statistics: VersionStatistics;
}

/** What a person asked for. `withdraw` and `restore` are the two halves of a rollback. */
export type Order = "promote" | "retire" | "withdraw" | "restore";

export interface LifecycleContext {
  /** Milliseconds since the epoch. */
  now: number;
  /** The capabilities and tools it needs that are in trouble or could be: each with its state, `missing` when it is gone. */
  dependencies: readonly { name: string; state: CapabilityState | "missing" }[];
  /** The other versions of the same capability. */
  siblings: readonly Pick<VersionRecord, "version" | "state">[];
  order?: Order;
}

export interface Decision {
  state: CapabilityState;
  /** In a sentence, for people and authors. Empty when nothing changed. */
  why: string;
  cause?: QuarantineCause;
}

/** The state a version is in next. One step at a time: `applyDecision`, then ask again, without the order. */
export function nextState(version: VersionRecord, context: LifecycleContext): Decision {
  return (
    (context.order && obey(version, context.order, context.siblings)) ??
    quarantine(version, context) ??
    release(version, context) ??
    supersede(version, context) ??
    promote(version) ??
    retireIdle(version, context.now) ?? {
      state: version.state,
      why: "",
      ...(version.cause && { cause: version.cause }),
    }
  );
}

/** The version after a decision. One that comes back on offer is judged by what it does from then on. */
export function applyDecision(version: VersionRecord, { state, cause }: Decision, now: number): VersionRecord {
  if (state === version.state) return version;
  const comesBack = isOffered(state) && !isOffered(version.state);
  return {
    version: version.version,
    state,
    ...(cause && { cause }),
    testsPassed: version.testsPassed,
    since: new Date(now).toISOString(),
    statistics: comesBack ? { ...version.statistics, recent: [] } : version.statistics,
  };
}

function obey(version: VersionRecord, order: Order, siblings: LifecycleContext["siblings"]): Decision | undefined {
  switch (order) {
    case "retire":
      return version.state === "retired" ? undefined : { state: "retired", why: "A person retired it." };
    case "promote":
      // L2 holds for people too. Past a newer active version the way back is a rollback: it would be superseded at once.
      return version.testsPassed && version.state !== "active" && !newerActive(version, siblings)
        ? { state: "active", why: "A person promoted it." }
        : undefined;
    case "restore":
      return version.testsPassed && version.state === "superseded"
        ? { state: "active", why: "A person rolled back to it." }
        : undefined;
    case "withdraw":
      return isOffered(version.state)
        ? { state: "quarantined", cause: "person", why: "A person rolled back from it." }
        : undefined;
  }
}

function quarantine(version: VersionRecord, { dependencies }: LifecycleContext): Decision | undefined {
  if (!isOffered(version.state)) return undefined;
  const broken = dependencies.find(({ state }) => isBroken(state));
  if (broken !== undefined)
    return { state: "quarantined", cause: "dependency", why: `It needs ${broken.name}, which is ${broken.state}.` };
  const why = whyFailing(version.statistics.recent);
  return why === undefined ? undefined : { state: "quarantined", cause: "failures", why };
}

/** Whether what needs a capability in this state can't work. */
export const isBroken = (state: CapabilityState | "missing"): boolean =>
  state === "quarantined" || state === "retired" || state === "missing";

function whyFailing(recent: readonly boolean[]): string | undefined {
  const last = recent.slice(-THRESHOLDS.failuresInARow);
  if (last.length === THRESHOLDS.failuresInARow && !last.includes(true))
    return `It failed ${THRESHOLDS.failuresInARow} times in a row.`;
  const failures = recent.filter((succeeded) => !succeeded).length;
  if (recent.length < THRESHOLDS.outcomesToJudge || failures / recent.length < THRESHOLDS.failureRate) return undefined;
  return `It failed ${failures} of its last ${recent.length} uses.`;
}

/** What was quarantined for another's sake comes back with it, and proves itself anew. */
function release(version: VersionRecord, { dependencies }: LifecycleContext): Decision | undefined {
  if (version.state !== "quarantined" || version.cause !== "dependency" || !version.testsPassed) return undefined;
  if (dependencies.some((dependency) => isBroken(dependency.state))) return undefined;
  return { state: "probation", why: "What it needs works again." };
}

const newerActive = ({ version }: VersionRecord, siblings: LifecycleContext["siblings"]) =>
  siblings.find((other) => other.state === "active" && other.version > version);

function supersede(version: VersionRecord, { siblings }: LifecycleContext): Decision | undefined {
  const newer = isOffered(version.state) ? newerActive(version, siblings) : undefined;
  return newer && { state: "superseded", why: `Version ${newer.version} took its place.` };
}

function promote({ state, testsPassed, statistics }: VersionRecord): Decision | undefined {
  if (state === "draft") return testsPassed ? { state: "probation", why: "Its tests passed." } : undefined;
  if (state !== "probation" || !testsPassed) return undefined;
  const { uses, successes, callers } = statistics;
  if (successes < THRESHOLDS.successesToActivate || callers.length < THRESHOLDS.callersToActivate) return undefined;
  if (successes / uses < THRESHOLDS.rateToActivate) return undefined;
  return { state: "active", why: `It succeeded in ${successes} of ${uses} uses.` };
}

function retireIdle({ state, since, statistics }: VersionRecord, now: number): Decision | undefined {
  if (state === "retired") return undefined;
  const days = state === "draft" ? THRESHOLDS.idleDraftDays : THRESHOLDS.idleDays;
  // One that was brought back a moment ago was not idle since its last use.
  const idleMs = now - Math.max(Date.parse(statistics.lastUsedAt ?? statistics.createdAt), Date.parse(since));
  return idleMs >= days * DAY_MS ? { state: "retired", why: `Nobody used it for ${days} days.` } : undefined;
}

/** Whether a version in this state may be found, offered and run. */
export const isOffered = (state: CapabilityState): boolean => state === "active" || state === "probation";

/**
 * The version a run gets. `roll` is a number from 0 up to 1, drawn once for the run and recorded with it, so that it gets
 * the same one again.
 */
export function chooseVersion<V extends Pick<VersionRecord, "version" | "state">>(
  versions: readonly V[],
  roll: number,
): V | undefined {
  const newest = (state: CapabilityState): V | undefined =>
    versions.filter((one) => one.state === state).sort((a, b) => b.version - a.version)[0];
  const active = newest("active");
  const trial = newest("probation");
  if (active === undefined || trial === undefined) return active ?? trial;
  return trial.version > active.version && roll < THRESHOLDS.canaryShare ? trial : active;
}

/**
 * Who is withdrawn, first, and who is restored in its place, then. Nobody is withdrawn when the newer versions are in
 * quarantine already. Undefined when there is no earlier version to go back to; `to`: this very one.
 */
export function planRollback(
  versions: readonly Pick<VersionRecord, "version" | "state" | "testsPassed">[],
  to?: number,
): { withdraw?: number; restore: number } | undefined {
  const current = chooseVersion(versions, 1);
  const failed = versions.filter(({ state }) => state === "quarantined").map(({ version }) => version);
  const before = current?.version ?? Math.max(0, ...failed);
  const earlier = versions
    .filter(({ version, state, testsPassed }) => version < before && state === "superseded" && testsPassed)
    .filter(({ version }) => to === undefined || version === to)
    .sort((a, b) => b.version - a.version)[0];
  return earlier && { ...(current && { withdraw: current.version }), restore: earlier.version };
}
