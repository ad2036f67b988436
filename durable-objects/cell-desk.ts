/** The desks of an agent: one for each cell, and one for each run of a capability inside a cell. */
import { needsApproval } from "../src/orchestration/decision.ts";
import { spentLimit } from "../src/orchestration/budget.ts";
import { Desk } from "../tool-bindings/desk.ts";
import type { ToolHost } from "../tool-bindings/host.ts";
import { mayCall, mayRun, type Reach, ungranted } from "./capability-grant.ts";
import { CapabilityRuns } from "./capability-runs.ts";
import type { DriverHost } from "./driver.ts";
import { libraryHost } from "./library-host.ts";
import type { Llm } from "./llm.ts";
import { stateOf } from "./usage.ts";
import { workspace } from "./workspace.ts";

/** Whose calls a desk takes, and what these may reach. */
export interface DeskScope extends Reach {
  run: string;
  /** What its calls are journaled under. */
  cell: number;
  /** The run's own cell: this one, or the one it is in. */
  root: number;
  /** Of its dice. */
  seed: string;
  capability?: { name: string; needs: readonly string[]; depth: number };
  signal: AbortSignal;
  log: (text: string) => void;
  onStuck?: () => void;
}

export class CellDesks {
  readonly #host: DriverHost;
  readonly #llm: Llm;
  readonly #capabilities: CapabilityRuns;

  constructor(host: DriverHost, llm: Llm) {
    this.#host = host;
    this.#llm = llm;
    const { stores, runner, tenant, library } = host;
    this.#capabilities = new CapabilityRuns({ stores, runner, tenant, library, openDesk: (scope) => this.open(scope) });
  }

  open(scope: DeskScope): Desk {
    const { run, cell, signal, log, onStuck } = scope;
    const { stores, identity, tools, isTrusted } = this.#host;
    const desk: Desk = new Desk({
      cell: `${identity}:${run}:${cell}`,
      tools,
      host: this.#toolHost(scope, () => desk),
      refusal: () => spentLimit(stateOf(stores, run), "call"),
      needsApproval: ({ name, approval }) =>
        needsApproval(approval, { auto: stores.runs.find(run)!.autoApprove, trusted: isTrusted(run, name) }),
      ungranted: (tool) => ungranted(tool, scope),
      journal: stores.journal.of(run, cell),
      signal,
      log,
      ...(onStuck === undefined ? {} : { onStuck }),
    });
    return desk;
  }

  #toolHost(scope: DeskScope, desk: () => Desk): ToolHost {
    const { run } = scope;
    const base = this.#host.toolHost(run);
    const tools = new Map(this.#host.tools.map((tool) => [tool.name, tool]));
    /** Code is shown what it may call. */
    const search: ToolHost["search"] = async (query, limit, kinds) =>
      (await base.search(query, 2 * limit, kinds))
        .filter(({ name, kind }) => {
          const tool = tools.get(name);
          return kind === "capability" ? mayRun(name, scope) : tool === undefined || mayCall(tool, scope);
        })
        .slice(0, limit);
    return {
      ...base,
      search,
      files: workspace(this.#host.bucket, this.#host.workspace(run), this.#host.results(run)),
      llm: (request, aborting) => this.#llm.ask(run, request, aborting),
      library: libraryHost({
        scope,
        stores: this.#host.stores,
        library: this.#host.library,
        search,
        run: (order, key) => this.#capabilities.run(order, { key, scope, desk: desk() }),
      }),
    };
  }
}
