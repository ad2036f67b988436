/** Stand-ins for Vectorize and Workers AI, which run in no local runtime. They keep to the limits of the real ones. */
import type { Embedder, VectorStore } from "../../src/capabilities/vectorize-index.ts";
import { stemsOf, topicsOf, subjectWeights } from "../../src/capabilities/words.ts";

const DIMENSIONS = 384;
const MAX_ID_BYTES = 64;
const MAX_NAMESPACE_BYTES = 64;
const MAX_METADATA_BYTES = 10 * 1024;
const MAX_UPSERT = 1_000;
const MAX_TOP_K = 20; // with metadata
const MAX_TEXTS = 100;
const INDEXED = new Set(["kind", "role"]); // as created for the real one: a filter on anything else finds nothing there

const bytes = (text: string): number => new TextEncoder().encode(text).length;
const require = (holds: boolean, problem: string): void => {
  if (!holds) throw new Error(`VECTOR_ERROR: ${problem}`);
};

/** Writes are seen by reads only after `settle`, as the real one's are after seconds. */
export class FakeVectors {
  #visible = new Map<string, VectorizeVector>();
  #pending: ((vectors: Map<string, VectorizeVector>) => void)[] = [];
  broken = false;

  get size(): number {
    return this.#visible.size;
  }

  settle(): void {
    for (const mutate of this.#pending.splice(0)) mutate(this.#visible);
  }

  readonly binding: VectorStore = {
    upsert: async (vectors) => {
      require(!this.broken, "away");
      require(vectors.length <= MAX_UPSERT, `more than ${MAX_UPSERT} vectors`);
      for (const { id, values, namespace, metadata } of vectors) {
        require(bytes(id) <= MAX_ID_BYTES, `id "${id}" is too long`);
        require(values.length === DIMENSIONS, `${values.length} dimensions`);
        require(bytes(namespace ?? "") <= MAX_NAMESPACE_BYTES, "namespace is too long");
        require(bytes(JSON.stringify(metadata ?? {})) <= MAX_METADATA_BYTES, "metadata is too large");
      }
      const copies = structuredClone(vectors);
      this.#pending.push((held) => copies.forEach((vector) => held.set(vector.id, vector)));
      return { mutationId: crypto.randomUUID() };
    },
    deleteByIds: async (ids) => {
      require(!this.broken, "away");
      this.#pending.push((held) => ids.forEach((id) => held.delete(id)));
      return { mutationId: crypto.randomUUID() };
    },
    getByIds: async (ids) => {
      require(!this.broken, "away");
      return ids.flatMap((id) => structuredClone(this.#visible.get(id)) ?? []);
    },
    query: async (vector, { topK = 5, namespace, filter = {}, returnMetadata } = {}) => {
      require(!this.broken, "away");
      require(returnMetadata !== "all" || topK <= MAX_TOP_K, `topK above ${MAX_TOP_K} with metadata`);
      const matches = [...this.#visible.values()]
        .filter((held) => namespace === undefined || held.namespace === namespace)
        .filter((held) => Object.entries(filter).every(([key, wanted]) => passes(held, key, wanted)))
        .map(({ id, metadata, values }) => ({ id, score: cosine(vector, values), ...(metadata && { metadata }) }))
        .sort((a, b) => b.score - a.score)
        .slice(0, topK);
      return { matches, count: matches.length };
    },
  };
}

function passes(held: VectorizeVector, key: string, wanted: unknown): boolean {
  if (!INDEXED.has(key)) return false;
  const value: unknown = held.metadata?.[key];
  if (typeof wanted !== "object" || wanted === null) return value === wanted;
  return "$in" in wanted && Array.isArray(wanted.$in) && wanted.$in.includes(value);
}

function cosine(a: ArrayLike<number>, b: ArrayLike<number>): number {
  let dot = 0;
  let squareA = 0;
  let squareB = 0;
  for (let i = 0; i < DIMENSIONS; i++) {
    dot += a[i]! * b[i]!;
    squareA += a[i]! ** 2;
    squareB += b[i]! ** 2;
  }
  return dot / (Math.sqrt(squareA * squareB) || 1);
}

/** Words and subjects, each thrown to a dimension of its own: like texts are near, as by a real model. */
export const fakeEmbedder: Embedder = {
  run: async (model, { text, pooling }) => {
    require(text.length > 0 && text.length <= MAX_TEXTS, `${text.length} texts`);
    require(model === "@cf/baai/bge-small-en-v1.5" && pooling === "cls", `no model ${model}`);
    return { shape: [text.length, DIMENSIONS], data: text.map(embed), pooling };
  },
};

function embed(text: string): number[] {
  const vector = Array.from({ length: DIMENSIONS }, () => 0);
  vector[0] = 1; // what all texts have in common keeps even unlike ones at an angle below 90 degrees
  const topics = topicsOf(text, 200);
  for (const word of stemsOf(text, 200)) vector[place(word)]! += topics.has(word) ? 1 : 0.1;
  for (const [subject, weight] of subjectWeights([...topics])) vector[place(`#${subject}`)]! += weight / 2;
  return vector;
}

const place = (key: string): number =>
  1 + ([...key].reduce((sum, letter) => (Math.imul(sum, 31) + letter.charCodeAt(0)) >>> 0, 7) % (DIMENSIONS - 1));
