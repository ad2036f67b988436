/** What can be read of a session's runs beside their status: cells, variables and events, in full. */
import type { CellView, VariableInfo } from "../src/contract/cell.ts";
import type { StoredEvent } from "../src/contract/event.ts";
import { fail, ok, type Result } from "../src/contract/failure.ts";
import { isEnded } from "../src/contract/goal.ts";
import { toPlain } from "../src/kernel/plain.ts";
import type { Feed } from "./feed.ts";
import type { Stores } from "./stores.ts";

const MAX_SHOWN_CHARS = 8 * 1024 * 1024; // one message holds 32 MiB, and a character may take two bytes, escaped six

export interface EventPage {
  events: StoredEvent[];
  ended: boolean;
}

export class RunReader {
  readonly #stores: Stores;
  readonly #feed: Feed;

  constructor(stores: Stores, feed: Feed) {
    this.#stores = stores;
    this.#feed = feed;
  }

  cells(run: string, page: { after: number; limit: number }): Result<{ items: CellView[]; next?: number }> {
    if (!this.#has(run)) return unknownRun(run);
    const items = this.#stores.runs.cellViews(run, { after: page.after, limit: page.limit + 1 });
    const shown = items.slice(0, page.limit);
    return ok({ items: shown, ...(items.length > page.limit ? { next: shown.at(-1)!.cell } : {}) });
  }

  variables(run: string): Result<VariableInfo[]> {
    return this.#has(run) ? ok(this.#stores.variables.list()) : unknownRun(run);
  }

  async variable(run: string, name: string): Promise<Result<VariableInfo & { value: unknown }>> {
    if (!this.#has(run)) return unknownRun(run);
    const { variables } = this.#stores;
    const variable = variables.find(name);
    const data = variable && (await variables.load(name));
    if (variable === undefined || data === undefined)
      return fail({ kind: "unknown-variable", name, known: variables.list().map((info) => info.name) });
    if (data.length > MAX_SHOWN_CHARS)
      return fail({ kind: "variable-too-large", name, chars: data.length, limit: MAX_SHOWN_CHARS });
    return ok({ ...variable.info, value: toPlain(data, variable.functions, variable.classes) });
  }

  /** Events after one, at once if there are any, else as soon as one comes, else none after `waitMs`. */
  async events(run: string, after: number, waitMs: number): Promise<Result<EventPage>> {
    const { runs } = this.#stores;
    if (after > 0 && after > runs.lastEvent(run))
      return fail({ kind: "bad-input", field: "Last-Event-ID", problem: "must be the id of an event of this run" });
    if (!this.#has(run)) return unknownRun(run);
    const page = (): EventPage => ({ events: runs.eventsAfter(run, after), ended: isEnded(runs.find(run)!.status) });
    const first = page();
    if (first.events.length > 0 || first.ended) return ok(first);
    await this.#feed.wait(run, waitMs);
    return ok(page());
  }

  #has(run: string): boolean {
    return this.#stores.runs.find(run) !== undefined;
  }
}

const unknownRun = (id: string): { ok: false; failure: { kind: "unknown-run"; id: string } } => ({
  ok: false,
  failure: { kind: "unknown-run", id },
});
