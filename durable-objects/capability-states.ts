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
    return this.#store.together(() => {
      const [result, isTurned] = this.#turn(name, mutate);
      if (isTurned) this.#ripple(name);
      return result;
    });
  }

  /** What a person orders of versions, one after another; for each whether the lifecycle has such a step from where it is. */
  obey(name: string, orders: readonly { version: number; order: Order }[]): boolean[] {
    // One change: between the two halves of a rollback nothing is gone for those that need it.
    return this.change(name, () => orders.map(({ version, order }) => this.#step(name, version, order)));
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

  /** Makes a change, lets it settle, and says whether what needs the capability is concerned. */
  #turn<T>(name: string, mutate: () => T): [T, boolean] {
    const before = this.stateOf(name);
    const result = mutate();
    this.#evolve(name);
    return [result, isBroken(before) !== isBroken(this.stateOf(name))];
  }

  /** Not by recursion, for chains may be long; each once, for files that were put into the bucket by hand may form circles. */
  #ripple(name: string): void {
    const met = new Set([name]);
    const turned = [name];
    for (const source of turned)
      for (const dependent of this.#store.dependents(source)) {
        if (met.has(dependent)) continue;
        const [, isTurned] = this.#turn(dependent, () => {});
        if (!isTurned) continue; // another of its needs may still turn, and then it is asked again
        met.add(dependent);
        turned.push(dependent);
      }
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
