import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { FtsIndex } from "../../src/capabilities/fts-index.ts";
import { FusedIndex } from "../../src/capabilities/fused-index.ts";
import { VectorizeIndex } from "../../src/capabilities/vectorize-index.ts";
import { fakeEmbedder, FakeVectors } from "../support/vector-store.ts";
import { ENTRIES, type OpenIndex, searchIndexSuite } from "../suites/search-index.ts";

type Use = (open: OpenIndex) => Promise<void>;

/** In an object with an empty database: the Registry's, for the Library's holds its catalogue. */
const withStorage = (use: (storage: DurableObjectStorage) => Promise<void>): Promise<void> =>
  runInDurableObject(env.REGISTRY.getByName(`index-${crypto.randomUUID()}`), (_, { storage }) => use(storage));
const vectorsFor = (vectors: FakeVectors, tenant: string): VectorizeIndex =>
  new VectorizeIndex({ vectors: vectors.binding, embedder: fakeEmbedder, tenant });

describe("the index on SQLite", () => {
  searchIndexSuite((use: Use) => withStorage((storage) => use({ index: new FtsIndex(storage), settle: () => {} })));
});

describe("the index on SQLite, evicted after each write", () => {
  searchIndexSuite((use: Use) =>
    withStorage((storage) => {
      let index = new FtsIndex(storage);
      return use({
        index: {
          put: (entries) => index.put(entries),
          remove: (names) => index.remove(names),
          search: (query, options) => index.search(query, options),
          learn: (query, name, outcome) => index.learn(query, name, outcome),
        },
        settle: () => (index = new FtsIndex(storage)),
      });
    }),
  );
});

describe("the index on Vectorize", () => {
  searchIndexSuite(async (use: Use) => {
    const vectors = new FakeVectors();
    await use({ index: vectorsFor(vectors, "main"), settle: () => vectors.settle() });
  });

  it("keeps tenants apart in one index of vectors", async () => {
    const vectors = new FakeVectors();
    const [ours, theirs] = [vectorsFor(vectors, "ours"), vectorsFor(vectors, "theirs")];
    await theirs.put(ENTRIES);
    vectors.settle();
    expect(await ours.search("read a PDF document", { limit: 5 })).toEqual([]);
    await ours.put(ENTRIES.slice(0, 1));
    await ours.remove(["pdf.read"]);
    vectors.settle();
    expect((await theirs.search("read a PDF document", { limit: 1 }))[0]?.name).toBe("pdf.read");
  });

  it("keeps a bounded number of goals for an entry, and none after it is removed", async () => {
    const vectors = new FakeVectors();
    const index = vectorsFor(vectors, "main");
    await index.put(ENTRIES.slice(0, 1));
    vectors.settle();
    for (let i = 0; i < 300; i++) await index.learn(`goal number ${i}`, "weather.forecast", "success");
    vectors.settle();
    expect(vectors.size).toBeLessThanOrEqual(65);
    await index.remove(["weather.forecast"]);
    vectors.settle();
    expect(vectors.size).toBe(0);
  });
});

describe("both, fused", () => {
  searchIndexSuite((use: Use) =>
    withStorage((storage) => {
      const vectors = new FakeVectors();
      const index = new FusedIndex(new FtsIndex(storage), vectorsFor(vectors, "main"), (problem) => {
        throw problem;
      });
      return use({ index, settle: () => vectors.settle() });
    }),
  );

  it("answers from SQLite alone, and says so, when Vectorize is away", () =>
    withStorage(async (storage) => {
      const vectors = new FakeVectors();
      const problems: unknown[] = [];
      const index = new FusedIndex(new FtsIndex(storage), vectorsFor(vectors, "main"), (problem) =>
        problems.push(problem),
      );
      vectors.broken = true;
      await index.put(ENTRIES);
      await index.learn("frobnicate the gizmo", "pdf.read", "success");
      expect((await index.search("frobnicate the gizmo", { limit: 1 }))[0]?.name).toBe("pdf.read");
      await index.remove(["pdf.read"]);
      expect(problems.length).toBe(4);
    }));
});
