import { DurableObject } from "cloudflare:workers";
import { openStores } from "../../durable-objects/stores.ts";
import type { LibraryApi } from "../../src/contract/library.ts";
import { encode } from "../../src/kernel/codec.ts";
import { FtsIndex } from "../../src/capabilities/fts-index.ts";
import { runCell } from "../../src/kernel/kernel.ts";
import { type CellRunnerApi, NearRunner } from "../../src/kernel/runner.ts";
import { shapeOf } from "../../src/kernel/shape.ts";
import { Desk } from "../../tool-bindings/desk.ts";
import type { ToolHost } from "../../tool-bindings/host.ts";
import { callFresh, callWarm } from "./bare-isolate.ts";
import { BenchCapability } from "./capability.ts";
import { echo } from "./echo.ts";
import { compiled, parse, programOf } from "./program.ts";
import type { LibraryTask } from "./retrieval/library-task.ts";
import { runStored, storedModule } from "./stored-module.ts";
import type { Task } from "./task.ts";
import type { BenchEnv } from "./worker.ts";

const NO_HOST = {} as ToolHost; // the one tool here asks nothing of it

interface Exports {
  CellRunner(options: { props: object }): CellRunnerApi;
}

/** A session's kernel without its model: runs cells as the Coordinator does, on the same stores and the same desk. */
export class BenchKernel extends DurableObject<BenchEnv> {
  readonly #stores = openStores(this.ctx.storage, {
    bucket: this.env.BUCKET,
    prefix: `bench/${this.ctx.id.toString()}`,
    decisionTtlMs: 1_000,
  });
  // The type of ctx.exports is known only to a Worker's own build; worker.ts exports the entrypoint.
  readonly #runner = new NearRunner(
    this.env.LOADER,
    (this.ctx.exports as unknown as Exports).CellRunner({ props: {} }),
  );
  readonly #index = new FtsIndex(this.ctx.storage);
  readonly #run = crypto.randomUUID();
  readonly #stored = storedModule();
  readonly #capability = new BenchCapability({
    stores: this.#stores,
    runner: this.#runner,
    // A cast: the stub's own type unfolds JSON without end.
    library: this.env.LIBRARY.getByName("bench") as unknown as LibraryApi,
  });
  #cells = 0;

  async perform(task: Exclude<Task, { do: "codemode" } | LibraryTask>): Promise<void> {
    switch (task.do) {
      case "nothing":
        return;
      case "wait":
        return scheduler.wait(task.ms);
      case "cells":
        return repeat(task.count, () => this.#runCell(task.source));
      case "stored-cells":
        return repeat(task.count, () => runStored(this.#runner, this.#stored));
      case "capability-runs":
        return repeat(task.count, () => this.#capability.run());
      case "bare-loads":
        return repeat(task.count, () => callFresh(this.env.LOADER));
      case "bare-gets":
        return repeat(task.count, () => callWarm(this.env.LOADER));
      case "fill":
        return this.#fill(task);
      case "index":
        return this.#index.put(task.entries);
      case "search":
        for (const query of task.queries)
          if ((await this.#index.search(query, { limit: 5 })).length === 0) throw new Error(`nothing for ${query}`);
        return;
      case "compile":
        return times(task.count, compiled, programOf(task.chars));
      case "parse":
        return times(task.count, parse, programOf(task.chars));
    }
  }

  async #runCell(source: string): Promise<void> {
    const { journal, variables, texts, storage } = this.#stores;
    const cell = ++this.#cells;
    const desk = new Desk({
      cell: `bench:${this.#run}:${cell}`,
      tools: [echo],
      host: NO_HOST,
      journal: journal.of(this.#run, cell),
      signal: new AbortController().signal,
      log: () => {},
    });
    const { answer, saved } = await runCell({
      source,
      startedAt: Date.now(),
      seed: this.#run,
      variables,
      backend: desk,
      runner: this.#runner,
    });
    desk.close();
    if (answer.error !== undefined || answer.unsaved !== undefined) throw new Error(JSON.stringify(answer));
    const prepared = await Promise.all(
      saved.map(async ({ variable, data }) => ({ variable, data: await texts.prepare(data) })),
    );
    storage.transactionSync(() => {
      for (const { variable, data } of prepared) {
        const refusal = variables.refusal(variable);
        if (refusal !== undefined) throw new Error(refusal);
        variables.write(variable, data);
      }
    });
  }

  /** Variables `v<from>` up to `v<to>`, each about `chars` long when stored. */
  async #fill({ from, to, chars }: Extract<Task, { do: "fill" }>): Promise<void> {
    const { variables, texts, storage } = this.#stores;
    const rows = Array.from({ length: Math.ceil(chars / 100) }, (_, id) => ({ id, text: "x".repeat(70) }));
    const { data } = encode(rows);
    const prepared = await texts.prepare(data);
    const common = { kind: "let" as const, functions: [], classes: [], mentions: [], neededAtOnce: [] };
    storage.transactionSync(() => {
      for (let i = from; i < to; i++)
        variables.write(
          { ...common, info: { name: `v${i}`, size: data.length, ...shapeOf(rows) }, chars: data.length },
          prepared,
        );
    });
  }
}

async function repeat(count: number, action: () => unknown): Promise<void> {
  for (let i = 0; i < count; i++) await action();
}

/** Without a turn of the event loop between two. */
function times(count: number, action: (source: string) => unknown, source: string): void {
  for (let i = 0; i < count; i++) action(source);
}
