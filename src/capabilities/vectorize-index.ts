/**
 * The search index on Vectorize with Workers AI embeddings, in production. A tenant is a namespace; the kind is metadata.
 *
 * Holds no state of its own: an entry is one vector, and each goal it was tried for is another, in one of a fixed number of
 * slots, so that what an entry may keep is bounded and can be deleted without being listed. Writes are seen after seconds.
 *
 * The index it needs:
 *   wrangler vectorize create praxis --dimensions=384 --metric=cosine
 *   wrangler vectorize create-metadata-index praxis --property-name=kind --type=string    (and the same for `role`)
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import type { Outcome, SearchEntry, SearchHit, SearchIndex, SearchOptions } from "./search-index.ts";
import { wordsOf } from "./words.ts";

export const EMBEDDING_MODEL = "@cf/baai/bge-small-en-v1.5";
const EMBED_BATCH = 100; // texts the model takes at once
const UPSERT_BATCH = 1_000; // vectors Vectorize takes at once from a Worker
const MAX_MATCHES = 20; // what Vectorize answers at most when metadata is asked for
const MAX_TEXT_CHARS = 2_000; // about the model's 512 tokens
const MAX_SUMMARY_CHARS = 1_000; // metadata holds 10 KiB a vector
const GOAL_SLOTS = 64;
const FAILURE_WEIGHT = 0.5;
const UNRELATED = 0.55; // the model's cosine for texts that have nothing in common is about this
const SAME = 0.9;

export interface Embedder {
  run(model: typeof EMBEDDING_MODEL, input: { text: string[]; pooling: "cls" }): Promise<unknown>;
}

export type VectorStore = Pick<Vectorize, "upsert" | "deleteByIds" | "getByIds" | "query">;

const Embeddings = z.object({ data: z.array(z.array(z.number())) });
const Metadata = z.object({
  name: z.string(),
  kind: z.enum(["tool", "capability"]),
  summary: z.string(),
  role: z.enum(["entry", "success", "failure"]),
});
type Metadata = z.infer<typeof Metadata>;
type Match = Metadata & { score: number };

export class VectorizeIndex implements SearchIndex {
  readonly #vectors: VectorStore;
  readonly #embedder: Embedder;
  readonly #namespace: string;

  constructor(bindings: { vectors: VectorStore; embedder: Embedder; tenant: string }) {
    this.#vectors = bindings.vectors;
    this.#embedder = bindings.embedder;
    this.#namespace = digest([bindings.tenant]).slice(0, 32); // a tenant's name may be longer than a namespace's
  }

  async put(entries: readonly SearchEntry[]): Promise<void> {
    const vectors = await this.#embed(entries.map((entry) => textOf(entry)));
    await this.#upsert(
      entries.map((entry, i) => ({
        id: this.#id(entry.name, "entry"),
        values: vectors[i]!,
        metadata: { ...shown(entry), role: "entry" },
      })),
    );
  }

  async remove(names: readonly string[]): Promise<void> {
    const ids = names.flatMap((name) => [
      this.#id(name, "entry"),
      ...Array.from({ length: GOAL_SLOTS }, (_, slot) => this.#id(name, `goal ${slot}`)),
    ]);
    for (const batch of batches(ids, UPSERT_BATCH)) await this.#vectors.deleteByIds(batch);
  }

  async search(query: string, { limit, kinds, minConfidence = 0 }: SearchOptions): Promise<SearchHit[]> {
    if (wordsOf(query).length === 0 || kinds?.length === 0) return [];
    const [vector] = await this.#embed([query]);
    // Goals apart, so that the many goals of one entry don't crowd out other entries.
    const [entries, goals] = await Promise.all([
      this.#query(vector!, { role: "entry", ...filterOf(kinds) }),
      this.#query(vector!, { role: { $in: ["success", "failure"] }, ...filterOf(kinds) }),
    ]);
    return [...byName([...entries, ...goals])]
      .map(([name, matches]): SearchHit => {
        const { kind, summary } = matches[0]!;
        const score = scoreOf(matches);
        return {
          name,
          kind,
          summary,
          score,
          confidence: Math.min(1, Math.max(0, (score - UNRELATED) / (SAME - UNRELATED))),
        };
      })
      .filter(({ confidence }) => confidence >= minConfidence)
      .sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1))
      .slice(0, limit);
  }

  async learn(query: string, name: string, outcome: Outcome): Promise<void> {
    const words = wordsOf(query).join(" ");
    if (words === "") return;
    const [known] = await this.#vectors.getByIds([this.#id(name, "entry")]);
    const held = Metadata.safeParse(known?.metadata);
    if (!held.success) return;
    const [vector] = await this.#embed([query]);
    const slot = parseInt(digest([words]).slice(0, 8), 16) % GOAL_SLOTS;
    await this.#upsert([
      { id: this.#id(name, `goal ${slot}`), values: vector!, metadata: { ...held.data, role: outcome } },
    ]);
  }

  async #query(vector: number[], filter: VectorizeVectorMetadataFilter): Promise<Match[]> {
    const { matches } = await this.#vectors.query(vector, {
      topK: MAX_MATCHES,
      namespace: this.#namespace,
      returnMetadata: "all",
      filter,
    });
    return matches.flatMap(({ score, metadata }) => {
      const parsed = Metadata.safeParse(metadata);
      return parsed.success ? [{ ...parsed.data, score }] : [];
    });
  }

  async #embed(texts: string[]): Promise<number[][]> {
    const vectors: number[][] = [];
    for (const batch of batches(texts, EMBED_BATCH)) {
      const text = batch.map((one) => one.slice(0, MAX_TEXT_CHARS));
      const { data } = Embeddings.parse(await this.#embedder.run(EMBEDDING_MODEL, { text, pooling: "cls" }));
      vectors.push(...data);
    }
    if (vectors.length !== texts.length) throw new Error(`${texts.length} texts gave ${vectors.length} embeddings`);
    return vectors;
  }

  async #upsert(vectors: { id: string; values: number[]; metadata: Metadata }[]): Promise<void> {
    for (const batch of batches(vectors, UPSERT_BATCH))
      await this.#vectors.upsert(batch.map((vector) => ({ ...vector, namespace: this.#namespace })));
  }

  /** Ids are of the whole index, not of a namespace: the tenant is part of them. 64 bytes, which is all there may be. */
  #id(name: string, part: string): string {
    return digest([this.#namespace, name, part]);
  }
}

const digest = (parts: string[]): string => createHash("sha256").update(JSON.stringify(parts)).digest("hex");
const textOf = ({ name, summary, text }: SearchEntry): string => `${wordsOf(name).join(" ")}. ${summary} ${text}`;
const shown = ({ name, kind, summary }: SearchEntry): Omit<Metadata, "role"> => ({
  name,
  kind,
  summary: summary.slice(0, MAX_SUMMARY_CHARS),
});
const filterOf = (kinds: SearchOptions["kinds"]): VectorizeVectorMetadataFilter =>
  kinds === undefined ? {} : { kind: { $in: [...kinds] } };

/** The best of its own text and the goals it served, less what failed for a goal like this one. */
function scoreOf(matches: Match[]): number {
  const best = (roles: Metadata["role"][]): number =>
    Math.max(0, ...matches.filter(({ role }) => roles.includes(role)).map(({ score }) => score));
  return best(["entry", "success"]) - FAILURE_WEIGHT * Math.max(0, best(["failure"]) - UNRELATED);
}

function byName(matches: Match[]): Map<string, Match[]> {
  const groups = new Map<string, Match[]>();
  for (const match of matches) groups.set(match.name, [...(groups.get(match.name) ?? []), match]);
  return groups;
}

function* batches<T>(items: readonly T[], size: number): Iterable<T[]> {
  for (let from = 0; from < items.length; from += size) yield items.slice(from, from + size);
}
