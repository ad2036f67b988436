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
}

/**
 * Finds entries by name, words and meaning. `put` replaces an entry of the same name. A query is text of any kind, never a
 * query language: no query may fail, and one without words finds nothing.
 */
export interface SearchIndex {
  put(entries: SearchEntry[]): Promise<void>;
  remove(names: string[]): Promise<void>;
  search(query: string, options: { limit: number }): Promise<SearchHit[]>;
}
