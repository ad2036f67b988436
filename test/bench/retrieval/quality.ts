import type { BenchServer } from "../server.ts";
import { bm25 } from "./bm25.ts";
import type { Dataset, SeenGoal } from "./dataset.ts";

const DEPTH = 10;
const BATCH = 50;
const FEW = 10;

export interface Quality {
  bm25: number;
  cold: number;
  ten: number;
  all: number;
}

/** One right tool a query: 1 at the first place, 0 from the eleventh on. */
export function ndcg(found: readonly string[], right: string): number {
  const place = found.slice(0, DEPTH).indexOf(right);
  return place < 0 ? 0 : 1 / Math.log2(place + 2);
}

/** Through the real Library: one knows the first goals of each tool, another all of them. */
export async function measureQuality(server: BenchServer, { tools, seen, check }: Dataset): Promise<Quality> {
  const baseline = bm25(tools);
  const entries = tools.map(({ name, description }) => ({
    name,
    kind: "capability" as const, // so that built-in tools can be left out
    summary: description,
    text: "",
  }));
  const open = (library: string) => server.perform({ do: "library-put", library, entries });
  const learn = async (library: string, goals: SeenGoal[]): Promise<void> => {
    for (let from = 0; from < goals.length; from += BATCH)
      await server.perform({ do: "library-learn", library, goals: goals.slice(from, from + BATCH) });
  };
  const score = async (library: string): Promise<number> => {
    const found: string[][] = [];
    for (let from = 0; from < check.length; from += BATCH) {
      const queries = check.slice(from, from + BATCH).map(({ query }) => query);
      found.push(...(await server.ask({ do: "library-search", library, queries, limit: DEPTH })));
    }
    return mean(check.map(({ tool }, i) => ndcg(found[i]!, tool)));
  };

  await open("few");
  const cold = await score("few");
  await learn("few", firstOfEach(seen, FEW));
  const ten = await score("few");
  await open("many");
  await learn("many", seen);
  const all = await score("many");
  return { bm25: mean(check.map(({ query, tool }) => ndcg(baseline(query), tool))), cold, ten, all };
}

function firstOfEach(goals: readonly SeenGoal[], count: number): SeenGoal[] {
  const met = new Map<string, number>();
  return goals.filter(({ tool }) => {
    met.set(tool, (met.get(tool) ?? 0) + 1);
    return met.get(tool)! <= count;
  });
}

const mean = (values: number[]): number =>
  Math.round((values.reduce((sum, value) => sum + value, 0) / values.length) * 10_000) / 10_000;
