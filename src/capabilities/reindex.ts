/**
 * Brings the index in line with its source, a page at a time. Incremental: what is unchanged costs a look. Resumable: after
 * each page it is recorded how far it came, and the next call goes on from there. A page may be put twice, which is harmless.
 *
 * Owns: `reindex_state` (one row while one is under way) and `reindex_seen` (the names met so far).
 */
import type { SearchEntry, SearchIndex } from "./search-index.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS reindex_state (id INTEGER PRIMARY KEY CHECK (id = 1), cursor TEXT, indexed INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS reindex_seen (name TEXT PRIMARY KEY) WITHOUT ROWID;`;

/** A page of the source, from `cursor` on; the first without one. An answer without a cursor is the last. */
export type Pages = (cursor?: string) => Promise<{ entries: SearchEntry[]; cursor?: string }>;

export interface ReindexStep {
  /** So far, in this and earlier calls of the same pass. */
  indexed: number;
  /** Entries that the source doesn't have any more; known at the end. */
  removed: number;
  done: boolean;
}

export class Reindex {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;
  readonly #index: SearchIndex;

  constructor(storage: DurableObjectStorage, index: SearchIndex) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#index = index;
    this.#sql.exec(SCHEMA);
  }

  /** `held`: the names that the index has of this source, asked for at the end. Yields after each page. */
  async *run(pages: Pages, held: () => Iterable<string> | Promise<Iterable<string>>): AsyncGenerator<ReindexStep> {
    let { cursor, indexed } = this.#state();
    for (;;) {
      const page = await pages(cursor);
      await this.#index.put(page.entries);
      indexed += page.entries.length;
      cursor = page.cursor;
      this.#record(page.entries, { cursor, indexed });
      if (cursor === undefined) break;
      yield { indexed, removed: 0, done: false };
    }
    const stale = [...(await held())].filter((name) => !this.seen(name));
    await this.#index.remove(stale);
    this.#storage.transactionSync(() => {
      this.#sql.exec("DELETE FROM reindex_state");
      this.#sql.exec("DELETE FROM reindex_seen");
    });
    yield { indexed, removed: stale.length, done: true };
  }

  #state(): { cursor: string | undefined; indexed: number } {
    const row = this.#sql
      .exec<{ cursor: string | null; indexed: number }>("SELECT cursor, indexed FROM reindex_state")
      .toArray()[0];
    return { cursor: row?.cursor ?? undefined, indexed: row?.indexed ?? 0 };
  }

  #record(entries: readonly SearchEntry[], { cursor, indexed }: { cursor: string | undefined; indexed: number }): void {
    this.#storage.transactionSync(() => {
      for (const { name } of entries) this.#sql.exec("INSERT OR IGNORE INTO reindex_seen (name) VALUES (?)", name);
      this.#sql.exec(
        "INSERT OR REPLACE INTO reindex_state (id, cursor, indexed) VALUES (1, ?, ?)",
        cursor ?? null,
        indexed,
      );
    });
  }

  /** Whether the source had it, in the pass under way. */
  seen(name: string): boolean {
    return this.#sql.exec("SELECT 1 FROM reindex_seen WHERE name = ?", name).toArray().length > 0;
  }
}
