/**
 * Lets states follow evidence (L3): asks `nextState` of every version that a change could concern, until nothing moves, and
 * goes on to what needs the capability. All of one change is one transaction.
 */
import type { CapabilityState } from "../src/contract/capability.ts";
import {
  applyDecision,
  chooseVersion,
  isBroken,
  type LifecycleContext,
  nextState,
  type Order,
} from "../src/capabilities/lifecycle.ts";
import type { CapabilityStore, VersionRow } from "./capability-store.ts";

const MAX_ROUNDS = 8; // a version moves at most a few times before it settles (tested in lifecycle.test.ts)

export class CapabilityStates {
  readonly #store: CapabilityStore;
  readonly #isTool: (name: string) => boolean;

  constructor(store: CapabilityStore, isTool: (name: string) => boolean) {
    this.#store = store;
    this.#isTool = isTool;
  }

  /** Of the version that is offered, or else of the newest. */
  stateOf(name: string): CapabilityState | "missing" {
    const versions = this.#store.states(name);
    return (chooseVersion(versions, 1) ?? versions.at(-1))?.state ?? "missing";
  }

  /** Makes a change to a capability, and all that follows from it. */
  change<T>(name: string, mutate: () => T): T {
    return this.#store.together(() => this.#change(name, mutate, new Set()));
  }

  /** What a person orders of a version; false when the lifecycle has no such step from where it is. */
  obey(name: string, version: number, order: Order): boolean {
    return this.change(name, () => this.#step(name, version, order));
  }

  /** A version whose file can't be trusted. Its tests say nothing of it any more (L2). */
  distrust(name: string, version: number, why: string): void {
    this.change(name, () => {
      const row = this.#store.versions(name).find((one) => one.version === version);
      if (row === undefined || (row.state === "quarantined" && !row.testsPassed)) return;
      const since = new Date().toISOString();
      this.#store.saveState(name, { ...row, state: "quarantined", cause: "person", testsPassed: false, since, why });
    });
  }

  #change<T>(name: string, mutate: () => T, above: ReadonlySet<string>): T {
    const before = this.stateOf(name);
    const result = mutate();
    this.#evolve(name);
    if (isBroken(before) === isBroken(this.stateOf(name))) return result;
    const path = new Set([...above, name]);
    // Files that were put into the bucket by hand may need one another in a circle.
    for (const dependent of this.#store.dependents(name))
      if (!path.has(dependent)) this.#change(dependent, () => {}, path);
    return result;
  }

  #evolve(name: string): void {
    for (let round = 0; round < MAX_ROUNDS; round++) {
      const moved = this.#store.states(name).filter(({ version }) => this.#step(name, version));
      if (moved.length === 0) return;
    }
  }

  #step(name: string, version: number, order?: Order): boolean {
    const rows = this.#store.versions(name);
    const row = rows.find((one) => one.version === version);
    if (row === undefined) return false;
    const now = Date.now();
    const decision = nextState(row, {
      now,
      dependencies: this.#dependenciesOf(row),
      siblings: rows.filter((one) => one !== row),
      ...(order && { order }),
    });
    if (decision.state === row.state) return false;
    this.#store.saveState(name, { ...applyDecision(row, decision, now), why: decision.why });
    return true;
  }

  #dependenciesOf({ facts }: VersionRow): LifecycleContext["dependencies"] {
    return facts.needs.flatMap((name) => (this.#isTool(name) ? [] : [{ name, state: this.stateOf(name) }]));
  }
}
