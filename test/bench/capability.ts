import { CapabilityRuns } from "../../durable-objects/capability-runs.ts";
import type { DeskScope } from "../../durable-objects/cell-desk.ts";
import type { Stores } from "../../durable-objects/stores.ts";
import type { LibraryApi } from "../../src/contract/library.ts";
import type { CellRunnerApi } from "../../src/kernel/runner.ts";
import { Desk } from "../../tool-bindings/desk.ts";
import type { ToolHost } from "../../tool-bindings/host.ts";

const NAME = "double-numbers";
const NO_HOST = {} as ToolHost; // it calls no tool

/** One capability of a real library, run as an agent's object runs it: chosen, journaled, run, checked, recorded. */
export class BenchCapability {
  readonly #runs: CapabilityRuns;
  readonly #stores: Stores;
  readonly #library: LibraryApi;
  readonly #run = crypto.randomUUID();
  #isSaved = false;
  #count = 0;

  constructor(parts: { stores: Stores; runner: CellRunnerApi; library: LibraryApi }) {
    this.#stores = parts.stores;
    this.#library = parts.library;
    this.#runs = new CapabilityRuns({
      ...parts,
      tenant: () => "bench",
      library: () => parts.library,
      openDesk: (scope) => this.#desk(scope),
    });
  }

  async run(): Promise<void> {
    await this.#save();
    const scope: DeskScope = {
      run: this.#run,
      cell: 1,
      root: 1,
      grants: [],
      seed: this.#run,
      signal: new AbortController().signal,
      log: () => {},
    };
    const call = { key: `bench:${++this.#count}`, scope, desk: this.#desk(scope) };
    const output = await this.#runs.run({ name: NAME, input: [1, this.#count] }, call);
    if (JSON.stringify(output) !== `[2,${2 * this.#count}]`) throw new Error(JSON.stringify(output));
  }

  #desk({ run, cell, signal, log }: DeskScope): Desk {
    const journal = this.#stores.journal.of(run, cell);
    return new Desk({ cell: `bench:${run}:${cell}`, tools: [], host: NO_HOST, journal, signal, log });
  }

  async #save(): Promise<void> {
    if (this.#isSaved) return;
    const numbers = { type: "array", items: { type: "number" } };
    const saved = await this.#library.save(
      {
        name: NAME,
        description: "Doubles each number of a list.",
        input: numbers,
        output: numbers,
        source: "export default (input: number[]) => input.map((n) => 2 * n);",
        tests: [
          { input: [1, 2], expect: [2, 4] },
          { input: null, throws: true },
        ],
      },
      { grants: [], by: "api" },
    );
    if (!saved.ok || !saved.value.saved) throw new Error(JSON.stringify(saved));
    this.#isSaved = true;
  }
}
