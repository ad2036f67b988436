/**
 * What a tenant's agents can find and call: built-in tools, and capabilities that were tested, are versioned and judged by use.
 *
 * Owns: the search index (see `FtsIndex`; in production `VectorizeIndex` beside it), under `search-catalogue` the digest of the
 * built-in tools it holds, so that a deploy with other tools is noticed at the first search, the capabilities (see
 * `Capabilities` and its parts), the lessons of runs (see `LessonStore`), and one alarm a day for what time decides.
 */
import { DurableObject } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { FtsIndex } from "../src/capabilities/fts-index.ts";
import { FusedIndex } from "../src/capabilities/fused-index.ts";
import { type Pages, Reindex, type ReindexStep } from "../src/capabilities/reindex.ts";
import type { Outcome, SearchEntry, SearchHit, SearchIndex, SearchOptions } from "../src/capabilities/search-index.ts";
import { VectorizeIndex } from "../src/capabilities/vectorize-index.ts";
import type { CellRunnerApi } from "../src/kernel/runner.ts";
import { CATALOG } from "../tool-bindings/catalog.ts";
import { fail, ok, type Result } from "../src/contract/failure.ts";
import type { LessonView, LibraryApi } from "../src/contract/library.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import { entryOf, withDiscovery } from "../tool-bindings/discovery.ts";
import { Capabilities } from "./capabilities.ts";
import { CapabilityFiles } from "./capability-files.ts";
import { CapabilityGate } from "./capability-gate.ts";
import { CapabilityStates } from "./capability-states.ts";
import { CapabilityStore } from "./capability-store.ts";
import { CapabilityTransfer } from "./capability-transfer.ts";
import type { Env } from "./env.ts";
import { LessonStore } from "./lesson-store.ts";

const DAY_MS = 86_400_000;
const REBUILD_MS = 20_000; // of one call; the next goes on

export class Library extends DurableObject<Env> implements LibraryApi {
  readonly #words: FtsIndex;
  readonly #index: SearchIndex;
  readonly #reindex: Reindex;
  readonly #lessons: LessonStore;
  readonly #capabilities: Capabilities;
  readonly #transfer: CapabilityTransfer;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#words = new FtsIndex(ctx.storage);
    this.#index = this.#withVectors(this.#words);
    this.#reindex = new Reindex(ctx.storage, this.#index);
    this.#lessons = new LessonStore(ctx.storage);
    const store = new CapabilityStore(ctx.storage);
    const tools = new Map(this.tools().map((tool) => [tool.name, tool]));
    const parts = {
      store,
      index: this.#index,
      files: new CapabilityFiles(env.BUCKET, this.#tenant),
      states: new CapabilityStates(store, (name) => tools.has(name)),
      gate: new CapabilityGate({
        tenant: this.#tenant,
        store,
        tools,
        egress: env.PRAXIS_EGRESS,
        runner: runnerOf(ctx),
      }),
    };
    this.#capabilities = new Capabilities(parts);
    this.#transfer = new CapabilityTransfer(parts, this.#capabilities);
    void ctx.blockConcurrencyWhile(() => this.#holdCatalogue());
  }

  /** What a capability may need beside other capabilities. */
  protected tools(): readonly AnyTool[] {
    return withDiscovery(CATALOG);
  }

  get #tenant(): string {
    return this.ctx.id.name ?? this.ctx.id.toString();
  }

  async search(query: string, limit: number, options: Omit<SearchOptions, "limit"> = {}): Promise<SearchHit[]> {
    await this.#capabilities.follow();
    return this.#index.search(query, { ...options, limit });
  }

  async put(entries: SearchEntry[]): Promise<void> {
    await this.#index.put(entries);
  }

  async remove(names: string[]): Promise<void> {
    await this.#index.remove(names);
  }

  /** Ties a goal to what served it, or loosens it from what failed. */
  async learn(query: string, name: string, outcome: Outcome): Promise<void> {
    await this.#index.learn(query, name, outcome);
  }

  /** Brings the capabilities in line with their source. When it was interrupted, the next call goes on where it stopped. */
  async reindex(pages: Pages): Promise<ReindexStep> {
    return lastOf(this.#reindex.run(pages, () => this.#words.names("capability")));
  }

  async remember(lesson: Pick<LessonView, "text" | "goal" | "outcome" | "kind">): Promise<Result<LessonView>> {
    const kept = this.#lessons.add(lesson, Date.now());
    return kept === undefined
      ? fail({ kind: "bad-input", field: "text", problem: "has no words, or looks like it holds a secret" })
      : ok(kept);
  }

  async recall(query: string, limit: number): Promise<LessonView[]> {
    return this.#lessons.recall(query, limit, Date.now());
  }

  async lessons(page: { cursor?: string; limit: number }): Promise<{ items: LessonView[]; cursor?: string }> {
    return this.#lessons.list(page);
  }

  async forget(id: string): Promise<Result<undefined>> {
    return this.#lessons.delete(id) ? ok(undefined) : fail({ kind: "unknown-lesson", id });
  }

  async save(...args: Parameters<LibraryApi["save"]>): ReturnType<LibraryApi["save"]> {
    await this.#wakeDaily();
    return this.#capabilities.save(...args);
  }

  async list(page: Parameters<LibraryApi["list"]>[0]): ReturnType<LibraryApi["list"]> {
    return this.#capabilities.list(page);
  }

  async get(name: string): ReturnType<LibraryApi["get"]> {
    return this.#capabilities.get(name);
  }

  async versions(name: string): ReturnType<LibraryApi["versions"]> {
    return this.#capabilities.versions(name);
  }

  async version(name: string, version: number): ReturnType<LibraryApi["version"]> {
    return this.#capabilities.version(name, version);
  }

  async source(name: string, version?: number): ReturnType<LibraryApi["source"]> {
    return this.#capabilities.source(name, version);
  }

  async diff(name: string, from: number, to: number): ReturnType<LibraryApi["diff"]> {
    return this.#capabilities.diff(name, from, to);
  }

  async order(...args: Parameters<LibraryApi["order"]>): ReturnType<LibraryApi["order"]> {
    return this.#capabilities.order(...args);
  }

  async choose(...args: Parameters<LibraryApi["choose"]>): ReturnType<LibraryApi["choose"]> {
    return this.#capabilities.choose(...args);
  }

  async record(...args: Parameters<LibraryApi["record"]>): ReturnType<LibraryApi["record"]> {
    return this.#capabilities.record(...args);
  }

  async offers(goal: string): ReturnType<LibraryApi["offers"]> {
    return this.#capabilities.offers(goal);
  }

  async credit(...args: Parameters<LibraryApi["credit"]>): ReturnType<LibraryApi["credit"]> {
    return this.#capabilities.credit(...args);
  }

  async pack(): ReturnType<LibraryApi["pack"]> {
    return this.#transfer.pack();
  }

  async unpack(archive: Uint8Array): ReturnType<LibraryApi["unpack"]> {
    await this.#wakeDaily();
    return this.#transfer.unpack(archive);
  }

  async rebuild(): ReturnType<LibraryApi["rebuild"]> {
    await this.#wakeDaily();
    const stale = (): Promise<string[]> =>
      this.#transfer.stale(this.#words.names("capability"), (name) => this.#reindex.seen(name));
    return lastOf(this.#reindex.run(this.#transfer.pages, stale), Date.now() + REBUILD_MS);
  }

  override async alarm(): Promise<void> {
    await this.#capabilities.age();
    await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
  }

  async #wakeDaily(): Promise<void> {
    if ((await this.ctx.storage.getAlarm()) === null) await this.ctx.storage.setAlarm(Date.now() + DAY_MS);
  }

  /** Vectorize and Workers AI are bound in production only. */
  #withVectors(words: FtsIndex): SearchIndex {
    const { VECTORS: vectors, AI: embedder } = this.env;
    if (vectors === undefined || embedder === undefined) return words;
    return new FusedIndex(words, new VectorizeIndex({ vectors, embedder, tenant: this.#tenant }), (problem) =>
      console.warn("vector search is away:", problem),
    );
  }

  async #holdCatalogue(): Promise<void> {
    const entries = CATALOG.map(entryOf);
    const digest = createHash("sha256").update(JSON.stringify(entries)).digest("hex");
    const held = this.ctx.storage.kv.get<{ digest: string; names: string[] }>("search-catalogue");
    if (held?.digest === digest) return;
    const names = entries.map(({ name }) => name);
    // Not all removed and put again: what was learned for those that stay is kept.
    await this.#index.remove((held?.names ?? []).filter((name) => !names.includes(name)));
    await this.#index.put(entries);
    this.ctx.storage.kv.put("search-catalogue", { digest, names });
  }
}

/** Left early, it goes on from there with the next call. */
async function lastOf(steps: AsyncGenerator<ReindexStep>, until = Infinity): Promise<ReindexStep> {
  let last: ReindexStep = { indexed: 0, removed: 0, done: false };
  for await (const step of steps) {
    last = step;
    if (Date.now() > until) break;
  }
  return last;
}

/** Not from the object itself: the platform caps the isolates in flight there, and tests are many. */
const runnerOf = (ctx: DurableObjectState): CellRunnerApi =>
  (ctx.exports as unknown as { CellRunner(options: { props: object }): CellRunnerApi }).CellRunner({ props: {} }); // its type is known to a Worker's own build alone
