/** Ten thousand made-up capabilities: how long indexing, searching and indexing again take. */
import type { SearchEntry } from "../../../src/capabilities/search-index.ts";
import type { BenchServer } from "../server.ts";
import { median } from "../stopwatch.ts";

const ENTRIES = 10_000;
const GOALS = 3_000;
const SEARCHES = 300;
const BATCH = 500;
const LEARN_BATCH = 50;
const LIBRARY = "scale";
const VERBS =
  "create list delete update archive approve export merge rename schedule translate summarise compare convert validate".split(
    " ",
  );
const NOUNS =
  "invoice customer shipment ticket payment meeting warehouse contract photo sensor recipe playlist flight mortgage vaccine".split(
    " ",
  );
const PLACES = "berlin tokyo lagos lima oslo delhi cairo austin paris perth quito hanoi accra dakar turin".split(" ");
const SOURCES = "spreadsheet mailbox database calendar archive website folder stream report ledger".split(" ");

const pick = (list: string[], n: number): string => list[n % list.length]!;

/** Every combination differs, and each word stands in some hundreds of them. */
const entryAt = (i: number): SearchEntry => {
  const [verb, noun] = [pick(VERBS, i), pick(NOUNS, Math.floor(i / 15))];
  const [place, source] = [pick(PLACES, Math.floor(i / 225)), pick(SOURCES, Math.floor(i / 3_375) + i)];
  return {
    name: `${verb}_${noun}_${place}_${i}`,
    kind: "capability",
    summary: `${verb} each ${noun} of the ${place} office from a ${source}, for team ${i}`,
    text: `${noun}Id ${source}Name limit since team${i}`,
  };
};
const goalAt = (i: number): string => {
  const { summary } = entryAt((i * 7_919) % ENTRIES);
  return `Could you please ${summary.replace(/ each | of the | from a /g, " the ")}? I need it by Friday, with a short note.`;
};

export interface Scale {
  indexMs: number;
  learnMs: number;
  searchP50Ms: number;
  searchP99Ms: number;
  reindexMs: number;
}

export async function measureScale(server: BenchServer): Promise<Scale> {
  const entries = Array.from({ length: ENTRIES }, (_, i) => entryAt(i));
  const indexMs = await time(async () => {
    for (let from = 0; from < ENTRIES; from += BATCH)
      await server.perform({ do: "library-put", library: LIBRARY, entries: entries.slice(from, from + BATCH) });
  });
  const goals = Array.from({ length: GOALS }, (_, i) => ({
    query: goalAt(i),
    tool: entries[(i * 7_919) % ENTRIES]!.name,
  }));
  const learnMs = await time(async () => {
    for (let from = 0; from < GOALS; from += LEARN_BATCH)
      await server.perform({ do: "library-learn", library: LIBRARY, goals: goals.slice(from, from + LEARN_BATCH) });
  });
  const samples: number[] = [];
  const idle: number[] = [];
  for (let i = -20; i < SEARCHES; i++) {
    const nothing = await time(() => server.perform({ do: "nothing" }));
    const queries = [goalAt(i + 50_000)];
    const ms = await time(() => server.ask({ do: "library-search", library: LIBRARY, queries, limit: 5 }));
    if (i < 0) continue; // warming up
    samples.push(ms);
    idle.push(nothing);
  }
  const overhead = median(idle);
  const sorted = samples.map((ms) => Math.max(0, ms - overhead)).sort((a, b) => a - b);
  // Two of a hundred have changed.
  const changed = entries.map((entry, i) => (i % 50 === 0 ? { ...entry, summary: `${entry.summary}, anew` } : entry));
  const reindexMs = await time(() =>
    server.perform({ do: "library-reindex", library: LIBRARY, entries: changed, pageSize: BATCH }),
  );
  return {
    indexMs,
    learnMs: learnMs / GOALS,
    searchP50Ms: sorted[Math.floor(SEARCHES / 2)]!,
    searchP99Ms: sorted[Math.floor(SEARCHES * 0.99)]!,
    reindexMs,
  };
}

async function time(action: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await action();
  return performance.now() - start;
}
