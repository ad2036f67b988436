/** Something that can be found: a built-in tool, a connected one, a capability. */
export interface SearchEntry {
  /** `family.tool` or the capability's name: what `tools.describe` and `tools.call` take. */
  name: string;
  kind: "tool" | "capability";
  summary: string;
  /** More words to be found by: description, argument names, examples. */
  text: string;
}

export interface SearchHit {
  name: string;
  kind: SearchEntry["kind"];
  summary: string;
  /** Higher is better; comparable within one answer only. */
  score: number;
  /** How likely it serves the query, 0 to 1; comparable across queries. See `confidenceOf` for what it is made of. */
  confidence: number;
}

export interface SearchOptions {
  limit: number;
  /** Only these. Left out: all. */
  kinds?: readonly SearchEntry["kind"][];
  /** Hits below it are left out. */
  minConfidence?: number;
}

export type Outcome = "success" | "failure";

/**
 * Finds entries by name, words and meaning, and learns from use.
 *
 * - `put` replaces an entry of the same name and keeps what was learned for it; `remove` forgets both.
 * - A query is text of any kind, never a query language: no query may fail, and one without words finds nothing.
 * - `learn` ties a goal's words to an entry, or loosens them; other goals with such words find it sooner, or later. An unknown
 *   name is not learned. What is kept of goals is bounded: the oldest are forgotten.
 */
export interface SearchIndex {
  put(entries: readonly SearchEntry[]): Promise<void>;
  remove(names: readonly string[]): Promise<void>;
  search(query: string, options: SearchOptions): Promise<SearchHit[]>;
  learn(query: string, name: string, outcome: Outcome): Promise<void>;
}
