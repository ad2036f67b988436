/**
 * What a tenant's agents can find and call: built-in tools for now, beside them connected tools and capabilities.
 *
 * Owns: the search index (see `FtsIndex`) and, under `catalogue`, the digest of the built-in tools it holds, so that a deploy
 * with other tools is noticed at the first search.
 */
import { DurableObject } from "cloudflare:workers";
import { createHash } from "node:crypto";
import { FtsIndex } from "../src/capabilities/fts-index.ts";
import type { SearchEntry, SearchHit } from "../src/capabilities/search-index.ts";
import { CATALOG } from "../tool-bindings/catalog.ts";
import { entryOf } from "../tool-bindings/discovery.ts";
import type { Env } from "./env.ts";

export class Library extends DurableObject<Env> {
  readonly #index: FtsIndex;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#index = new FtsIndex(ctx.storage);
    void ctx.blockConcurrencyWhile(() => this.#holdCatalogue());
  }

  async search(query: string, limit: number): Promise<SearchHit[]> {
    return this.#index.search(query, { limit });
  }

  async put(entries: SearchEntry[]): Promise<void> {
    await this.#index.put(entries);
  }

  async remove(names: string[]): Promise<void> {
    await this.#index.remove(names);
  }

  async #holdCatalogue(): Promise<void> {
    const entries = CATALOG.map(entryOf);
    const digest = createHash("sha256").update(JSON.stringify(entries)).digest("hex");
    const held = this.ctx.storage.kv.get<{ digest: string; names: string[] }>("catalogue");
    if (held?.digest === digest) return;
    await this.#index.remove(held?.names ?? []);
    await this.#index.put(entries);
    this.ctx.storage.kv.put("catalogue", { digest, names: entries.map(({ name }) => name) });
  }
}
