/**
 * The search index on SQLite's FTS5, in the object that owns the storage.
 *
 * Owns: `entries` (what is shown) and `entries_fts` (what is matched; same rowids).
 */
import type { SearchEntry, SearchHit, SearchIndex } from "./search-index.ts";
import { queryWords, wordsOf } from "./words.ts";

const MAX_QUERY_WORDS = 24; // the rare ones decide; more only cost time
const SCHEMA = `
CREATE TABLE IF NOT EXISTS entries (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL, summary TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS entries_fts USING fts5(name, summary, text, content='', contentless_delete=1, tokenize='porter unicode61');`;

type Sql = SqlStorage;

export class FtsIndex implements SearchIndex {
  readonly #storage: DurableObjectStorage;
  readonly #sql: Sql;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  async put(entries: SearchEntry[]): Promise<void> {
    this.#storage.transactionSync(() => {
      for (const { name, kind, summary, text } of entries) {
        this.#remove(name);
        const { id } = this.#sql
          .exec<{ id: number }>(
            "INSERT INTO entries (name, kind, summary) VALUES (?, ?, ?) RETURNING id",
            name,
            kind,
            summary,
          )
          .one();
        this.#sql.exec(
          "INSERT INTO entries_fts (rowid, name, summary, text) VALUES (?, ?, ?, ?)",
          id,
          wordsOf(name).join(" "),
          summary,
          text,
        );
      }
    });
  }

  async remove(names: string[]): Promise<void> {
    this.#storage.transactionSync(() => {
      for (const name of names) this.#remove(name);
    });
  }

  async search(query: string, { limit }: { limit: number }): Promise<SearchHit[]> {
    const words = queryWords(query, MAX_QUERY_WORDS);
    if (words.length === 0) return [];
    // Quoted, so that no word can be read as syntax. The name counts most, then the summary.
    const match = words.map((word) => `"${word}"`).join(" OR ");
    return this.#sql
      .exec<{ name: string; kind: string; summary: string; rank: number }>(
        `SELECT e.name, e.kind, e.summary, bm25(entries_fts, 4.0, 2.0, 1.0) AS rank FROM entries_fts JOIN entries e ON e.id = entries_fts.rowid
         WHERE entries_fts MATCH ? ORDER BY rank, e.name LIMIT ?`,
        match,
        limit,
      )
      .toArray()
      .map((row) => ({
        name: row.name,
        kind: row.kind as SearchEntry["kind"],
        summary: row.summary,
        score: Math.round(-row.rank * 1000) / 1000,
      }));
  }

  #remove(name: string): void {
    const known = this.#sql.exec<{ id: number }>("DELETE FROM entries WHERE name = ? RETURNING id", name).toArray()[0];
    if (known !== undefined) this.#sql.exec("DELETE FROM entries_fts WHERE rowid = ?", known.id);
  }
}
