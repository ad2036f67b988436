/**
 * The capabilities of one tenant: saved through the gate (L2), kept as immutable files (L1), chosen, judged by use (L3).
 *
 * Owns: the order in which these things happen. What is true of a version stands in `CapabilityStore`, its file in R2, what it
 * becomes is `lifecycle.ts`'s, and the index follows the states: what is not offered is not found.
 */
import type { CapabilityDraft, CapabilityState, CapabilitySummary, VersionView } from "../src/contract/capability.ts";
import { fail, type Failure, ok, type Result } from "../src/contract/failure.ts";
import type { Author, CapabilityView, LibraryApi, Offer, Runnable, Saved, Use } from "../src/contract/library.ts";
import { chooseVersion, isOffered, planRollback } from "../src/capabilities/lifecycle.ts";
import { patchBetween } from "../src/capabilities/patch.ts";
import { OFFER_CONFIDENCE } from "../src/capabilities/ranking.ts";
import { recordUse } from "../src/capabilities/statistics.ts";
import { nearest } from "../tool-bindings/nearest.ts";
import { type CapabilitiesParts, CapabilitySaving } from "./capability-saving.ts";
import type { VersionRow } from "./capability-store.ts";
import { capabilityView, entryOf, shownOf, summaryOf, versionView } from "./capability-view.ts";

const MAX_OFFERS = 3; // two or three help a model most
const MAX_FOUND = 1_000; // of one search, over all its pages
const NAMES_AT_ONCE = 100;

export class Capabilities {
  readonly #parts: CapabilitiesParts;
  readonly #saving: CapabilitySaving;
  #following: Promise<void> = Promise.resolve();

  constructor(parts: CapabilitiesParts) {
    this.#parts = parts;
    this.#saving = new CapabilitySaving(parts, () => this.follow());
  }

  /** What was made in a run serves that run's goal: the first thing that is learnt of it. */
  async save(draft: CapabilityDraft, author: Author): Promise<Result<Saved>> {
    const done = await this.#saving.save(draft, author);
    if (done.ok && done.value.saved && author.goal !== undefined)
      await this.#parts.index.learn(author.goal, done.value.name, "success");
    return done;
  }

  /** A run that used several saved as much as the one that saved it most: they served one goal together. */
  credit(run: { id: string; tokens: number }, used: readonly { name: string; version?: number }[]): number {
    const { store } = this.#parts;
    return store.together(() => {
      const savings = used.map(({ name, version }) => {
        const rows = store.versions(name);
        const made = rows.find(({ author }) => author.tokens !== undefined)?.author.tokens;
        const row = rows.find((one) => one.version === version) ?? rows.findLast((one) => one.statistics.uses > 0);
        if (made === undefined || row === undefined) return 0;
        const tokens = Math.max(0, made - run.tokens);
        if (store.admitUse(`credit:${run.id}:${name}`)) {
          const statistics = { ...row.statistics, tokensSaved: row.statistics.tokensSaved + tokens };
          store.saveStatistics(name, row.version, statistics);
        }
        return tokens;
      });
      return Math.max(0, ...savings);
    });
  }

  async list({
    q,
    state,
    cursor,
    limit,
  }: Parameters<LibraryApi["list"]>[0]): Promise<{ items: CapabilitySummary[]; cursor?: string }> {
    return q === undefined
      ? this.#page(state, cursor ?? "", limit)
      : this.#find(q, { state, from: Number(cursor) || 0, limit });
  }

  #page(
    state: CapabilityState | undefined,
    after: string,
    limit: number,
  ): { items: CapabilitySummary[]; cursor?: string } {
    const { store } = this.#parts;
    const items: CapabilitySummary[] = [];
    let last = after;
    for (;;) {
      const names = store.names(last, NAMES_AT_ONCE);
      for (const name of names) {
        const summary = summaryOf(store.versions(name));
        if (state !== undefined && summary.state !== state) continue;
        if (items.length === limit) return { items, cursor: items.at(-1)!.name };
        items.push(summary);
      }
      if (names.length < NAMES_AT_ONCE) return { items };
      last = names.at(-1)!;
    }
  }

  /** By rank. A cursor counts hits. */
  async #find(
    q: string,
    { state, from, limit }: { state: CapabilityState | undefined; from: number; limit: number },
  ): Promise<{ items: CapabilitySummary[]; cursor?: string }> {
    const { index, store } = this.#parts;
    await this.follow();
    const hits = await index.search(q, { limit: Math.min(from + limit + 1, MAX_FOUND), kinds: ["capability"] });
    const items = hits
      .slice(from, from + limit)
      .flatMap(({ name }) => (store.has(name) ? [summaryOf(store.versions(name))] : []))
      .filter((summary) => state === undefined || summary.state === state);
    return hits.length > from + limit ? { items, cursor: String(from + limit) } : { items };
  }

  get(name: string): Result<CapabilityView> {
    return this.#with(name, (rows) => ok(capabilityView(rows)));
  }

  versions(name: string): Result<VersionView[]> {
    return this.#with(name, (rows) => ok(rows.map(versionView)));
  }

  version(name: string, version: number): Result<VersionView> {
    return this.#with(name, (rows) => {
      const row = versionIn(rows, version);
      return row.ok ? ok(versionView(row.value)) : row;
    });
  }

  async source(name: string, version?: number): ReturnType<LibraryApi["source"]> {
    const found = this.#with(name, (rows) => (version === undefined ? ok(shownOf(rows)) : versionIn(rows, version)));
    if (!found.ok) return found;
    const file = await this.#read(found.value, "read");
    return file.ok ? ok({ name, version: found.value.version, hash: found.value.hash, file: file.value }) : file;
  }

  async diff(name: string, from: number, to: number): ReturnType<LibraryApi["diff"]> {
    const [before, after] = [await this.source(name, from), await this.source(name, to)];
    if (!before.ok) return before;
    if (!after.ok) return after;
    return ok(
      patchBetween({ name, version: from, text: before.value.file }, { name, version: to, text: after.value.file }),
    );
  }

  async order(
    name: string,
    order: "promote" | "rollback" | "retire",
    version?: number,
  ): Promise<Result<CapabilityView>> {
    const found = this.#with(name, (rows) => {
      const named = version === undefined ? undefined : versionIn(rows, version);
      if (named !== undefined && !named.ok) return named;
      const problem = this.#obey(rows, order, version);
      return problem === undefined ? ok(undefined) : fail({ kind: "capability-conflict", name, problem });
    });
    if (!found.ok) return found;
    await this.follow();
    return this.get(name);
  }

  /** Why an order can't be carried out. One that is carried out already can. */
  #obey(rows: readonly VersionRow[], order: "promote" | "rollback" | "retire", version?: number): string | undefined {
    const { states } = this.#parts;
    const { name } = rows[0]!;
    if (order === "retire") {
      const named = rows.filter((row) => version === undefined || row.version === version);
      states.obey(
        name,
        named.map((row) => ({ version: row.version, order })),
      );
      return undefined;
    }
    if (order === "promote") {
      const row = rows.find((one) => one.version === version) ?? rows.at(-1)!;
      if (row.state === "active" || states.obey(name, [{ version: row.version, order }])[0]) return undefined;
      return row.testsPassed
        ? `version ${row.version} is older than the active one. Use rollback to go back to it`
        : `version ${row.version} can't be promoted, for its tests have not passed: ${row.why}`;
    }
    const plan = planRollback(rows, version);
    if (plan === undefined)
      return version === undefined
        ? "there is no earlier version that was superseded, so there is none to go back to"
        : `version ${version} was not superseded by a newer one, so there is no going back to it`;
    const { withdraw, restore } = plan;
    states.obey(name, [
      ...(withdraw === undefined ? [] : [{ version: withdraw, order: "withdraw" as const }]),
      { version: restore, order: "restore" },
    ]);
    return undefined;
  }

  async choose(name: string, version?: number, roll = Math.random()): Promise<Result<Runnable>> {
    for (;;) {
      const found = this.#with(name, (rows) => pick(rows, version, roll));
      if (!found.ok) return found;
      const row = found.value;
      const file = await this.#read(row, "load");
      // What can't be trusted is in quarantine now, and another version may be there.
      if (!file.ok && version === undefined) continue;
      if (!file.ok) return file;
      const { description, needs, input, output, agent } = row.facts;
      return ok({
        name,
        version: row.version,
        kind: row.kind,
        hash: row.hash,
        file: file.value,
        description,
        needs,
        ...(input && { input }),
        ...(output && { output }),
        ...(agent && { agent }),
      });
    }
  }

  async record(id: string, use: Use): Promise<void> {
    const { store, states, index } = this.#parts;
    const isNew = states.change(use.name, () => {
      const rows = store.versions(use.name);
      const row = rows.find(({ version }) => version === use.version);
      if (row === undefined || !store.admitUse(id)) return false;
      const made = rows.find(({ author }) => author.tokens !== undefined)?.author.tokens;
      const statistics = recordUse(row.statistics, {
        succeeded: use.ok,
        latencyMs: use.ms,
        tokensSaved: made === undefined || use.runTokens === undefined ? 0 : Math.max(0, made - use.runTokens),
        caller: use.caller,
        at: new Date().toISOString(),
        ...(use.error !== undefined && { error: use.error }),
      });
      store.saveStatistics(use.name, use.version, statistics);
      return true;
    });
    if (!isNew) return;
    await this.follow();
    await index.learn(use.goal, use.name, use.ok ? "success" : "failure");
  }

  async offers(goal: string): Promise<Offer[]> {
    await this.follow();
    const hits = await this.#parts.index.search(goal, {
      limit: MAX_OFFERS,
      kinds: ["capability"],
      minConfidence: OFFER_CONFIDENCE,
    });
    return hits
      .filter(({ name }) => chooseVersion(this.#parts.store.states(name), 1) !== undefined)
      .map(({ name, summary, confidence }) => {
        const { input } = shownOf(this.#parts.store.versions(name)).facts;
        return { name, description: summary, confidence, ...(input && { input }) };
      });
  }

  /** What time alone decides: disuse. */
  async age(): Promise<void> {
    const { store, states } = this.#parts;
    for (const name of store.names()) states.change(name, () => {});
    await this.follow();
  }

  /** Brings the index in line with the states; what was interrupted before is done now. One at a time: the last state counts. */
  follow(): Promise<void> {
    const next = this.#following.then(() => this.#follow());
    this.#following = next.catch(() => {}); // it stays unfollowed, and is tried with the next
    return next;
  }

  async #follow(): Promise<void> {
    const { store, index } = this.#parts;
    for (const unfollowed of store.unfollowed()) {
      const offered = chooseVersion(store.versions(unfollowed.name), 1);
      await (offered === undefined ? index.remove([unfollowed.name]) : index.put([entryOf(offered)]));
      store.followed(unfollowed);
    }
  }

  /** L1: only what has its hash is handed out. */
  async #read(row: VersionRow, how: "read" | "load"): Promise<Result<string>> {
    const read = await this.#parts.files[how](row);
    if (read.ok) return ok(read.file);
    this.#parts.states.distrust(row.name, row.version, read.why);
    await this.follow();
    return fail({ kind: "capability-unavailable", name: row.name, state: "quarantined", why: read.why });
  }

  #with<T>(name: string, action: (rows: VersionRow[]) => Result<T>): Result<T> {
    const rows = this.#parts.store.versions(name);
    return rows.length > 0 ? action(rows) : fail(this.#unknown(name));
  }

  #unknown(name: string): Failure {
    return {
      kind: "unknown-capability",
      name: name.slice(0, 100),
      nearest: nearest(name.slice(0, 100), this.#parts.store.names()),
    };
  }
}

const versionIn = (rows: readonly VersionRow[], version: number): Result<VersionRow> => {
  const row = rows.find((one) => one.version === version);
  if (row !== undefined) return ok(row);
  const known = rows.map((one) => one.version);
  return fail({ kind: "unknown-version", name: rows[0]!.name, version, known });
};

/** The version to run. One that was superseded runs for whom asks for it: a run that began with it goes on with it. */
function pick(rows: readonly VersionRow[], version: number | undefined, roll: number): Result<VersionRow> {
  const named = version === undefined ? undefined : versionIn(rows, version);
  if (named !== undefined && !named.ok) return named;
  const row = named?.value ?? chooseVersion(rows, roll) ?? rows.at(-1)!;
  if (isOffered(row.state) || (named !== undefined && row.state === "superseded")) return ok(row);
  return fail({ kind: "capability-unavailable", name: row.name, state: row.state, why: row.why });
}
