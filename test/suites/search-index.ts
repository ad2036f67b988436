import { expect, it } from "vitest";
import type { SearchEntry, SearchIndex } from "../../src/capabilities/search-index.ts";

/** An index to test, empty, and a way to make what was written seen. */
export interface OpenIndex {
  index: SearchIndex;
  settle(): void;
}

const entry = (name: string, summary: string, kind: SearchEntry["kind"] = "tool"): SearchEntry => ({
  name,
  kind,
  summary,
  text: "",
});

export const ENTRIES: SearchEntry[] = [
  entry("weather.forecast", "Tells the weather of the coming days at a place."),
  entry("mail.send", "Sends an e-mail to a person."),
  entry("invoices.total", "Adds up the amounts of invoices by customer.", "capability"),
  entry("pdf.read", "Reads the text of a PDF document."),
  entry("wardrobe", "A fashion assistant that picks clothes from what you own.", "capability"),
];

/** What every `SearchIndex` does. `within` hands out an empty one for the time of `use`. */
export function searchIndexSuite(within: (use: (open: OpenIndex) => Promise<void>) => Promise<void>): void {
  const filled = (use: (open: OpenIndex) => Promise<void>) => (): Promise<void> =>
    within(async (open) => {
      await open.index.put(ENTRIES);
      open.settle();
      await use(open);
    });
  const first = async (index: SearchIndex, query: string): Promise<string | undefined> =>
    (await index.search(query, { limit: 3 }))[0]?.name;

  it(
    "finds an entry by its words, its name, another form of a word, and its subject",
    filled(async ({ index }) => {
      expect(await first(index, "read a PDF document")).toBe("pdf.read");
      expect(await first(index, "mail.send")).toBe("mail.send");
      expect(await first(index, "totalling customers' invoice amounts")).toBe("invoices.total");
      expect(await first(index, "which outfit and shoes go with a blue jacket")).toBe("wardrobe");
    }),
  );

  it(
    "answers with all that a hit shows, best first, within the limit",
    filled(async ({ index }) => {
      const hits = await index.search("the weather at a place, sent by mail", { limit: 2 });
      expect(hits.length).toBe(2);
      expect(hits[0]!.score).toBeGreaterThanOrEqual(hits[1]!.score);
      const [hit] = await index.search("weather forecast", { limit: 1 });
      expect(hit).toMatchObject({ name: "weather.forecast", kind: "tool", summary: ENTRIES[0]!.summary });
    }),
  );

  it(
    "leaves out other kinds",
    filled(async ({ index }) => {
      const hits = await index.search("read the text of invoices by customer", { limit: 5, kinds: ["capability"] });
      expect(hits[0]?.name).toBe("invoices.total");
      expect(hits.every(({ kind }) => kind === "capability")).toBe(true);
      expect(await index.search("read the text of invoices", { limit: 5, kinds: [] })).toEqual([]);
    }),
  );

  it(
    "is more confident of what answers than of what only shares a word, and of neither more than 1",
    filled(async ({ index }) => {
      const [good] = await index.search("read the text of a PDF document", { limit: 1 });
      const [poor] = await index.search("place an order for three hundred blue bicycles at once", { limit: 1 });
      expect(good!.confidence).toBeLessThanOrEqual(1);
      expect(good!.confidence).toBeGreaterThan((poor?.confidence ?? 0) + 0.2);
      const refused = await index.search("place an order for three hundred blue bicycles", {
        limit: 3,
        minConfidence: good!.confidence,
      });
      expect(refused).toEqual([]);
    }),
  );

  it(
    "replaces an entry that is put again and forgets one that is removed",
    filled(async ({ index, settle }) => {
      await index.put([entry("mail.send", "Posts a parcel by courier.")]);
      await index.remove(["pdf.read", "never.known"]);
      settle();
      expect(await first(index, "courier parcel")).toBe("mail.send");
      expect((await index.search("PDF document", { limit: 5 })).map(({ name }) => name)).not.toContain("pdf.read");
    }),
  );

  it(
    "ties a goal's words to what served it, for goals like it",
    filled(async ({ index, settle }) => {
      const query = "sum up the zorblax for quarter three";
      const before = (await index.search(query, { limit: 5 })).find(({ name }) => name === "wardrobe");
      for (const quarter of ["one", "two", "four"])
        await index.learn(`sum up the zorblax for quarter ${quarter}`, "wardrobe", "success");
      settle();
      const [hit] = await index.search(query, { limit: 5 });
      expect(hit!.name).toBe("wardrobe");
      expect(hit!.confidence).toBeGreaterThan(before?.confidence ?? 0);
    }),
  );

  it(
    "loosens it from what failed for a goal like it, and leaves other goals alone",
    filled(async ({ index, settle }) => {
      const confidence = async (query: string): Promise<number> =>
        (await index.search(query, { limit: 5 })).find(({ name }) => name === "mail.send")?.confidence ?? 0;
      const [like, unlike] = ["send an e-mail to the landlord", "a person's letter"];
      const before = { like: await confidence(like), unlike: await confidence(unlike) };
      for (const who of ["plumber", "landlord"])
        await index.learn(`send an e-mail to the ${who}`, "mail.send", "failure");
      settle();
      expect(await confidence(like)).toBeLessThan(before.like - 0.05);
      expect(await confidence(unlike)).toBeGreaterThan(before.unlike - 0.05);
    }),
  );

  it(
    "keeps what was learned when an entry is put again, and forgets it with the entry",
    filled(async ({ index, settle }) => {
      await index.learn("frobnicate the gizmo", "pdf.read", "success");
      settle();
      await index.put([{ ...ENTRIES[3]!, summary: "Reads what a PDF says." }]);
      settle();
      expect(await first(index, "frobnicate the gizmo")).toBe("pdf.read");
      await index.remove(["pdf.read"]);
      settle();
      await index.put([ENTRIES[3]!]);
      settle();
      const hits = await index.search("frobnicate the gizmo", { limit: 5, minConfidence: 0.3 });
      expect(hits).toEqual([]);
    }),
  );

  it(
    "learns nothing for a name it doesn't know",
    filled(async ({ index, settle }) => {
      await index.learn("frobnicate the gizmo", "no.such", "success");
      settle();
      const hits = await index.search("frobnicate the gizmo", { limit: 5 });
      expect(hits.map(({ name }) => name)).not.toContain("no.such");
    }),
  );

  it.each([
    ["nothing", ""],
    ["blanks", "   "],
    ["no words", "?!"],
    ["a quote", '"'],
    ["operators", "AND OR NOT"],
    ["a function", "NEAR(a b)"],
    ["a column and a star", "name:foo*"],
    ["one long word", "a".repeat(5_000)],
    ["many words", "word ".repeat(5_000)],
    ["a picture", "💥"],
    ["SQL", "'; DROP TABLE x;--"],
  ])("takes any text for a query and a goal: %s", (_, query) =>
    filled(async ({ index }) => {
      expect(Array.isArray(await index.search(query, { limit: 5 }))).toBe(true);
      await index.learn(query, "mail.send", "success");
      await index.learn(query, "mail.send", "failure");
      if (!/[\p{L}\p{N}]/u.test(query)) expect(await index.search(query, { limit: 5 })).toEqual([]);
    })(),
  );
}
