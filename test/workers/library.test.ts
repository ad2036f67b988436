import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { FtsIndex } from "../../src/capabilities/fts-index.ts";
import { type Pages, Reindex } from "../../src/capabilities/reindex.ts";
import type { SearchEntry } from "../../src/capabilities/search-index.ts";

const capability = (name: string, summary: string): SearchEntry => ({ name, kind: "capability", summary, text: "" });
const open = () => env.LIBRARY.getByName(`library-${crypto.randomUUID()}`);
const SOURCE = Array.from({ length: 25 }, (_, i) => capability(`cap${i}`, `Does chore number ${i} with a gizmo${i}.`));

/** Pages of ten; `cursor` is where the next one starts. */
const pagesOf =
  (source: SearchEntry[], asked: (string | undefined)[] = []): Pages =>
  async (cursor) => {
    asked.push(cursor);
    const from = Number(cursor ?? "0");
    const entries = source.slice(from, from + 10);
    return from + 10 < source.length ? { entries, cursor: String(from + 10) } : { entries };
  };

describe("the library", () => {
  it("learns over RPC, within one tenant", async () => {
    const [ours, theirs] = [open(), open()];
    for (const library of [ours, theirs]) await library.put(SOURCE);
    await ours.learn("frobnicate the left widget", "cap7", "success");
    const query = "frobnicate the right widget";
    expect((await ours.search(query, 1, { kinds: ["capability"] }))[0]?.name).toBe("cap7");
    expect(await theirs.search(query, 1, { kinds: ["capability"] })).toEqual([]);
  });

  it("offers nothing below the confidence asked for", async () => {
    const library = open();
    await library.put(SOURCE);
    expect((await library.search("gizmo3", 3, { minConfidence: 0.3 })).map(({ name }) => name)).toEqual(["cap3"]);
    expect(await library.search("how tall is the eiffel tower in feet", 3, { minConfidence: 0.5 })).toEqual([]);
  });

  it("brings its capabilities in line with their source and leaves built-in tools alone", async () => {
    const library = open();
    await library.put([capability("stale", "Does what nobody needs any more.")]);
    expect(await library.reindex(pagesOf(SOURCE))).toEqual({ indexed: 25, removed: 1, done: true });
    expect((await library.search("gizmo24", 1))[0]?.name).toBe("cap24");
    expect(
      await library.search("what nobody needs any more", 5, { kinds: ["capability"], minConfidence: 0.3 }),
    ).toEqual([]);
    expect((await library.search("wait for some milliseconds", 1))[0]?.name).toBe("time.sleep");
  });

  it("goes on with a reindex where it was interrupted", () =>
    runInDurableObject(env.REGISTRY.getByName(`reindex-${crypto.randomUUID()}`), async (_, { storage }) => {
      const asked: (string | undefined)[] = [];
      const pages = pagesOf(SOURCE, asked);
      const broken: Pages = async (cursor) => {
        if (cursor === "10") throw new Error("the bucket is away");
        return pages(cursor);
      };
      const run = async (source: Pages): Promise<unknown> => {
        const index = new FtsIndex(storage);
        let last: unknown;
        for await (const step of new Reindex(storage, index).run(source, () => index.names("capability"))) last = step;
        return last;
      };
      await expect(run(broken)).rejects.toThrow("the bucket is away");
      expect(await run(pages)).toEqual({ indexed: 25, removed: 0, done: true });
      expect(asked).toEqual([undefined, "10", "20"]);
      expect(await run(pages)).toEqual({ indexed: 25, removed: 0, done: true });
      expect(asked.slice(3)).toEqual([undefined, "10", "20"]);
    }));

  it("keeps a bounded number of goals, the newest, for an entry and in all", () =>
    runInDurableObject(env.REGISTRY.getByName(`bounds-${crypto.randomUUID()}`), async (_, { storage }) => {
      const index = new FtsIndex(storage, { goalsPerEntry: 5, goals: 8 });
      await index.put(SOURCE);
      const count = (): number => storage.sql.exec<{ n: number }>("SELECT count(*) AS n FROM search_goals").one().n;
      for (let i = 0; i < 12; i++) await index.learn(`alpha${i} beta${i}`, "cap1", i % 3 === 0 ? "failure" : "success");
      expect(count()).toBe(5);
      for (let i = 0; i < 12; i++) await index.learn(`gamma${i} delta${i}`, "cap2", "success");
      expect(count()).toBe(8);
      for (let i = 0; i < 5; i++) await index.learn("gamma11 delta11", "cap2", "success");
      expect(count()).toBe(8);
      expect(await index.search("gamma0 delta0", { limit: 1 })).toEqual([]);
      expect((await index.search("gamma11 delta11", { limit: 1 }))[0]?.name).toBe("cap2");
      await index.remove(["cap1", "cap2"]);
      expect(count()).toBe(0);
      expect(await index.search("gamma11 delta11", { limit: 1 })).toEqual([]);
    }));
});
