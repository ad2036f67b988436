/**
 * The entries of the index and what they are found by.
 *
 * Owns: `search_entries` (what is shown, and the terms it is scored by), `search_fts` (the same terms, to find candidates by;
 * same rowids), `search_terms` (in how many entries a term stands) and `search_corpus` (one row of totals). All are derived
 * from name, kind, summary and text: `rederive` makes them anew when the words are read another way. Ids are not used again.
 */
import { type Corpus, entryTerms, isSubject, lengthOf, type Terms } from "./lexical.ts";
import type { SearchEntry } from "./search-index.ts";
import { THESAURUS_VERSION } from "./thesaurus.ts";
import { stemsOf } from "./words.ts";

const DERIVED_BY = `1.${THESAURUS_VERSION}`; // raise the first part when entryTerms changes
const MAX_POSTINGS = 1_500; // what one query may touch; the rarest terms come first
const NAME_WORDS = 32;
const SCHEMA = `
DROP TABLE IF EXISTS entries;
DROP TABLE IF EXISTS entries_fts;
CREATE TABLE IF NOT EXISTS search_entries (id INTEGER PRIMARY KEY AUTOINCREMENT, name TEXT NOT NULL UNIQUE, kind TEXT NOT NULL,
  summary TEXT NOT NULL, text TEXT NOT NULL, terms TEXT NOT NULL, length REAL NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS search_fts USING fts5(name, words, subjects, content='', contentless_delete=1, tokenize='unicode61');
CREATE TABLE IF NOT EXISTS search_terms (term TEXT PRIMARY KEY, entries INTEGER NOT NULL) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS search_corpus (id INTEGER PRIMARY KEY CHECK (id = 1), entries INTEGER NOT NULL, length REAL NOT NULL, derived TEXT NOT NULL);`;

export interface StoredEntry extends Omit<SearchEntry, "text"> {
  id: number;
  terms: Terms;
  length: number;
}

// oxlint-disable-next-line typescript/consistent-type-definitions -- SqlStorage wants an index signature
type Row = { id: number; name: string; kind: string; summary: string; text: string; terms: string; length: number };

export class EntryStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
    this.#rederive();
  }

  put(entries: readonly SearchEntry[]): void {
    this.#change((change) => {
      for (const entry of entries) {
        const held = this.#row(entry.name);
        if (
          held !== undefined &&
          held.kind === entry.kind &&
          held.summary === entry.summary &&
          held.text === entry.text
        )
          continue; // so that a reindex of what is known costs little
        if (held !== undefined) this.#unindex(held, change);
        this.#index(entry, change);
      }
    });
  }

  /** Answers the ids of those that were there. */
  remove(names: readonly string[]): number[] {
    const removed: number[] = [];
    this.#change((change) => {
      for (const name of names) {
        const held = this.#row(name);
        if (held === undefined) continue;
        this.#unindex(held, change);
        this.#sql.exec("DELETE FROM search_entries WHERE id = ?", held.id);
        removed.push(held.id);
      }
    });
    return removed;
  }

  idOf(name: string): number | undefined {
    return this.#row(name)?.id;
  }

  names(kind: SearchEntry["kind"]): string[] {
    const rows = this.#sql.exec<{ name: string }>("SELECT name FROM search_entries WHERE kind = ? ORDER BY name", kind);
    return rows.toArray().map(({ name }) => name);
  }

  corpusFor(terms: Iterable<string>): Corpus {
    const { entries, length } = this.#totals();
    const rows = this.#sql.exec<{ term: string; entries: number }>(
      "SELECT term, entries FROM search_terms WHERE term IN (SELECT value FROM json_each(?))",
      JSON.stringify([...terms]),
    );
    const df = new Map([...rows].map((row) => [row.term, row.entries]));
    return { entries, meanLength: entries === 0 ? 0 : length / entries, df: (term) => df.get(term) ?? 0 };
  }

  /** Ids of entries that have some of the terms, the most promising first. `worth`: what finding each term is worth. */
  candidates(worth: Terms, corpus: Corpus, { limit, kinds }: { limit: number; kinds?: readonly string[] }): number[] {
    const telling = [...worth].filter(([term]) => corpus.df(term) > 0).sort((a, b) => b[1] - a[1]);
    let postings = 0;
    const chosen = telling.filter(([term], i) => (postings += corpus.df(term)) <= MAX_POSTINGS || i === 0);
    if (chosen.length === 0) return [];
    // Quoted, so that no word can be read as syntax.
    const any = (terms: string[]): string => terms.map((term) => `"${term}"`).join(" OR ");
    const subjects = chosen.filter(([term]) => isSubject(term)).map(([term]) => term.slice(1));
    const words = chosen.filter(([term]) => !isSubject(term)).map(([term]) => term);
    const match = [
      ...(words.length > 0 ? [`({name words} : (${any(words)}))`] : []),
      ...(subjects.length > 0 ? [`(subjects : (${any(subjects)}))`] : []),
    ].join(" OR ");
    const filter = kinds === undefined ? "" : "AND e.kind IN (SELECT value FROM json_each(?))";
    return this.#sql
      .exec<{ id: number }>(
        `SELECT e.id FROM search_fts f JOIN search_entries e ON e.id = f.rowid
         WHERE search_fts MATCH ? ${filter} ORDER BY bm25(search_fts, 3.0, 1.0, 0.7), e.id LIMIT ?`,
        match,
        ...(kinds === undefined ? [] : [JSON.stringify(kinds)]),
        limit,
      )
      .toArray()
      .map(({ id }) => id);
  }

  load(ids: Iterable<number>, kinds?: readonly string[]): StoredEntry[] {
    return this.#sql
      .exec<Row>("SELECT * FROM search_entries WHERE id IN (SELECT value FROM json_each(?))", JSON.stringify([...ids]))
      .toArray()
      .filter(({ kind }) => kinds === undefined || kinds.includes(kind))
      .map(({ id, name, kind, summary, terms, length }) => ({
        id,
        name,
        kind: kind as SearchEntry["kind"], // `put` wrote it
        summary,
        terms: parseTerms(terms),
        length,
      }));
  }

  #index(entry: SearchEntry, change: Change): void {
    const { name, kind, summary, text } = entry;
    const terms = entryTerms(entry);
    const length = lengthOf(terms);
    const { id } = this.#sql
      .exec<{ id: number }>(
        `INSERT INTO search_entries (name, kind, summary, text, terms, length) VALUES (?, ?, ?, ?, ?, ?)
         ON CONFLICT (name) DO UPDATE SET kind = excluded.kind, summary = excluded.summary, text = excluded.text, terms = excluded.terms, length = excluded.length
         RETURNING id`,
        name,
        kind,
        summary,
        text,
        formatTerms(terms),
        length,
      )
      .one();
    const all = [...terms.keys()];
    this.#sql.exec(
      "INSERT INTO search_fts (rowid, name, words, subjects) VALUES (?, ?, ?, ?)",
      id,
      stemsOf(name, NAME_WORDS).join(" "),
      all.filter((term) => !isSubject(term)).join(" "),
      all
        .filter(isSubject)
        .map((term) => term.slice(1))
        .join(" "),
    );
    change.add(terms, length, 1);
  }

  #unindex({ id, terms, length }: Row, change: Change): void {
    this.#sql.exec("DELETE FROM search_fts WHERE rowid = ?", id);
    change.add(parseTerms(terms), length, -1);
  }

  #change(action: (change: Change) => void): void {
    this.#storage.transactionSync(() => {
      const change = new Change();
      action(change);
      if (!change.some) return;
      for (const [term, by] of change.df)
        this.#sql.exec(
          "INSERT INTO search_terms (term, entries) VALUES (?1, ?2) ON CONFLICT (term) DO UPDATE SET entries = entries + ?2",
          term,
          by,
        );
      this.#sql.exec("DELETE FROM search_terms WHERE entries <= 0");
      this.#sql.exec(
        "UPDATE search_corpus SET entries = entries + ?, length = max(0, length + ?)",
        change.entries,
        change.length,
      );
    });
  }

  #rederive(): void {
    const derived = this.#sql.exec<{ derived: string }>("SELECT derived FROM search_corpus").toArray()[0]?.derived;
    if (derived === DERIVED_BY) return;
    this.#storage.transactionSync(() => {
      const rows = this.#sql.exec<Row>("SELECT * FROM search_entries").toArray();
      for (const { id } of rows) this.#sql.exec("DELETE FROM search_fts WHERE rowid = ?", id);
      this.#sql.exec("DELETE FROM search_terms");
      this.#sql.exec(
        "INSERT OR REPLACE INTO search_corpus (id, entries, length, derived) VALUES (1, 0, 0, ?)",
        DERIVED_BY,
      );
      this.#change((change) => {
        for (const row of rows) this.#index({ ...row, kind: row.kind as SearchEntry["kind"] }, change);
      });
    });
  }

  #row(name: string): Row | undefined {
    return this.#sql.exec<Row>("SELECT * FROM search_entries WHERE name = ?", name).toArray()[0];
  }

  #totals(): { entries: number; length: number } {
    return this.#sql.exec<{ entries: number; length: number }>("SELECT entries, length FROM search_corpus").one();
  }
}

/** What a batch does to the totals, written once at its end. */
class Change {
  readonly df = new Map<string, number>();
  entries = 0;
  length = 0;
  some = false;

  add(terms: Terms, length: number, sign: 1 | -1): void {
    this.some = true;
    this.entries += sign;
    this.length += sign * length;
    for (const term of terms.keys()) this.df.set(term, (this.df.get(term) ?? 0) + sign);
  }
}

const formatTerms = (terms: Terms): string =>
  [...terms].map(([term, weight]) => `${term}:${Number(weight.toFixed(2))}`).join(" ");

function parseTerms(text: string): Terms {
  const terms: Terms = new Map();
  if (text === "") return terms;
  for (const pair of text.split(" ")) {
    const colon = pair.lastIndexOf(":");
    terms.set(pair.slice(0, colon), Number(pair.slice(colon + 1)));
  }
  return terms;
}
