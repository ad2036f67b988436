/**
 * What a tenant's agents can find and call: built-in tools for now, beside them connected tools and capabilities.
 *
 * Owns: the search index (see `FtsIndex`; in production `VectorizeIndex` beside it) and, under `catalogue`, the digest of the
 * built-in tools it holds, so that a deploy with other tools is noticed at the first search.
 */
import { DurableObject } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { FtsIndex } from "../src/capabilities/fts-index.ts";
import { FusedIndex } from "../src/capabilities/fused-index.ts";
import { type Pages, Reindex, type ReindexStep } from "../src/capabilities/reindex.ts";
import type { Outcome, SearchEntry, SearchHit, SearchIndex, SearchOptions } from "../src/capabilities/search-index.ts";
import { VectorizeIndex } from "../src/capabilities/vectorize-index.ts";
import { CATALOG } from "../tool-bindings/catalog.ts";
import { entryOf } from "../tool-bindings/discovery.ts";
import { fail, ok, type Result } from "../src/contract/failure.ts";
import type { LessonView } from "../src/contract/library.ts";
import type { Env } from "./env.ts";
import { LessonStore } from "./lesson-store.ts";

export class Library extends DurableObject<Env> {
  readonly #words: FtsIndex;
  readonly #index: SearchIndex;
  readonly #reindex: Reindex;
  readonly #lessons: LessonStore;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#words = new FtsIndex(ctx.storage);
    this.#index = this.#withVectors(this.#words);
    this.#reindex = new Reindex(ctx.storage, this.#index);
    this.#lessons = new LessonStore(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#holdCatalogue());
  }

  async search(query: string, limit: number, options: Omit<SearchOptions, "limit"> = {}): Promise<SearchHit[]> {
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
    let last: ReindexStep = { indexed: 0, removed: 0, done: false };
    for await (const step of this.#reindex.run(pages, () => this.#words.names("capability"))) last = step;
    return last;
  }

  async remember(lesson: Pick<LessonView, "text" | "goal" | "outcome" | "kind">): Promise<Result<LessonView>> {
    const kept = this.#lessons.add(lesson, Date.now());
    return kept === undefined ? fail({ kind: "bad-input", field: "text", problem: "has no words" }) : ok(kept);
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

  /** Vectorize and Workers AI are bound in production only. */
  #withVectors(words: FtsIndex): SearchIndex {
    const { VECTORS: vectors, AI: embedder } = this.env;
    if (vectors === undefined || embedder === undefined) return words;
    const tenant = this.ctx.id.name ?? this.ctx.id.toString();
    return new FusedIndex(words, new VectorizeIndex({ vectors, embedder, tenant }), (problem) =>
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
