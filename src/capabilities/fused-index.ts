/**
 * Two indexes as one: what either finds, by reciprocal rank. Each leg votes with the confidence of its best hit, so that one
 * that knows nothing of a query does not outvote the one that does.
 *
 * The first is the truth: it is written first, and its failure is the caller's. The second may be away: then the first answers
 * alone, and what the second missed is made up for by a reindex.
 */
import type { Outcome, SearchEntry, SearchHit, SearchIndex, SearchOptions } from "./search-index.ts";

const RANK_CONSTANT = 10; // the usual 60 is for lists of hundreds; ours are read to the third place
const DEPTH = 20;
const MIN_VOTE = 0.05;

export class FusedIndex implements SearchIndex {
  readonly #first: SearchIndex;
  readonly #second: SearchIndex;
  readonly #report: (problem: unknown) => void;

  /** `report` is told of each failure of the second. */
  constructor(first: SearchIndex, second: SearchIndex, report: (problem: unknown) => void) {
    this.#first = first;
    this.#second = second;
    this.#report = report;
  }

  async put(entries: readonly SearchEntry[]): Promise<void> {
    await this.#first.put(entries);
    await this.#second.put(entries).catch(this.#report);
  }

  async remove(names: readonly string[]): Promise<void> {
    await this.#first.remove(names);
    await this.#second.remove(names).catch(this.#report);
  }

  async learn(query: string, name: string, outcome: Outcome): Promise<void> {
    await this.#first.learn(query, name, outcome);
    await this.#second.learn(query, name, outcome).catch(this.#report);
  }

  async search(query: string, { limit, kinds, minConfidence = 0 }: SearchOptions): Promise<SearchHit[]> {
    const options = { limit: Math.max(limit, DEPTH), ...(kinds !== undefined && { kinds }) };
    const legs = await Promise.all([
      this.#first.search(query, options),
      this.#second.search(query, options).catch((problem: unknown): SearchHit[] => {
        this.#report(problem);
        return [];
      }),
    ]);
    return fuse(legs)
      .filter(({ confidence }) => confidence >= minConfidence)
      .slice(0, limit);
  }
}

/** A hit's confidence is the highest any leg has in it. */
export function fuse(legs: readonly (readonly SearchHit[])[]): SearchHit[] {
  const fused = new Map<string, SearchHit>();
  for (const hits of legs) {
    const vote = Math.max(MIN_VOTE, hits[0]?.confidence ?? 0);
    for (const [place, hit] of hits.entries()) {
      const known = fused.get(hit.name);
      fused.set(hit.name, {
        ...hit,
        score: (known?.score ?? 0) + vote / (RANK_CONSTANT + place + 1),
        confidence: Math.max(known?.confidence ?? 0, hit.confidence),
      });
    }
  }
  return [...fused.values()].sort((a, b) => b.score - a.score || (a.name < b.name ? -1 : 1));
}
