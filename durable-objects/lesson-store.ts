/**
 * What a tenant's runs have taught.
 *
 * Owns: `lessons`, a row each, and `lessons_fts` with the same rowids, by which they are found. Lessons that say the same are one;
 * those that have faded are deleted when something is added.
 */
import type { LessonView } from "../src/contract/library.ts";
import { isForgotten, type Lesson, makeLesson, mergeAlike, useLesson, weightAt } from "../src/capabilities/lesson.ts";
import { secretsIn } from "../src/capabilities/secret-shape.ts";
import { topicsOf } from "../src/capabilities/words.ts";

const MAX_LESSONS = 5_000; // of a tenant: the lightest goes first
const MAX_QUERY_WORDS = 16;
const CANDIDATES = 30; // that words find, for weight to choose from
const SCHEMA = `
CREATE TABLE IF NOT EXISTS lessons (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, lesson TEXT NOT NULL);
CREATE VIRTUAL TABLE IF NOT EXISTS lessons_fts USING fts5(text, goal, content='', contentless_delete=1, tokenize='porter unicode61');`;

type Row = { position: number; lesson: string };

export class LessonStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  /** Undefined when nothing is left of its text once it is inert, or when it holds a secret: that is nothing to tell others. */
  add(given: Pick<LessonView, "text" | "goal" | "outcome" | "kind">, now: number): Lesson | undefined {
    if (secretsIn(given.text).length > 0) return undefined;
    const goal = secretsIn(given.goal).length > 0 ? "" : given.goal;
    const lesson = makeLesson({ ...given, goal, id: crypto.randomUUID(), createdAt: new Date(now).toISOString() });
    if (lesson === undefined) return undefined;
    return this.#storage.transactionSync(() => {
      const { merged, replaces } = mergeAlike(this.#find(lesson.text), lesson);
      if (replaces !== undefined) this.delete(replaces);
      this.#insert(merged);
      this.#thin(now);
      return merged;
    });
  }

  /** Those whose words fit, the heaviest of them first. Being recalled keeps a lesson alive. */
  recall(query: string, limit: number, now: number): Lesson[] {
    const found = this.#find(query)
      .map((lesson, rank) => ({ lesson, score: weightAt(lesson, now) / (rank + 1) }))
      .sort((a, b) => b.score - a.score)
      .slice(0, limit)
      .map(({ lesson }) => lesson);
    for (const lesson of found)
      this.#sql.exec("UPDATE lessons SET lesson = ? WHERE id = ?", JSON.stringify(useLesson(lesson, now)), lesson.id);
    return found;
  }

  list(page: { cursor?: string; limit: number }): { items: Lesson[]; cursor?: string } {
    const before = page.cursor === undefined ? Number.MAX_SAFE_INTEGER : Number(page.cursor);
    const rows = this.#sql
      .exec<Row>(
        "SELECT position, lesson FROM lessons WHERE position < ? ORDER BY position DESC LIMIT ?",
        before,
        page.limit + 1,
      )
      .toArray();
    const shown = rows.slice(0, page.limit);
    return {
      items: shown.map(toLesson),
      ...(rows.length > page.limit ? { cursor: String(shown.at(-1)!.position) } : {}),
    };
  }

  /** False when there is none. */
  delete(id: string): boolean {
    const row = this.#sql
      .exec<{ position: number }>("DELETE FROM lessons WHERE id = ? RETURNING position", id)
      .toArray()[0];
    if (row !== undefined) this.#sql.exec("DELETE FROM lessons_fts WHERE rowid = ?", row.position);
    return row !== undefined;
  }

  #insert(lesson: Lesson): void {
    const { position } = this.#sql
      .exec<{ position: number }>(
        "INSERT INTO lessons (id, lesson) VALUES (?, ?) RETURNING position",
        lesson.id,
        JSON.stringify(lesson),
      )
      .one();
    this.#sql.exec("INSERT INTO lessons_fts (rowid, text, goal) VALUES (?, ?, ?)", position, lesson.text, lesson.goal);
  }

  #find(query: string): Lesson[] {
    const words = [...topicsOf(query, MAX_QUERY_WORDS).keys()];
    if (words.length === 0) return [];
    const match = words.map((word) => `"${word}"`).join(" OR "); // quoted, so that no word is read as syntax
    return this.#sql
      .exec<Row>(
        `SELECT l.position, l.lesson FROM lessons_fts JOIN lessons l ON l.position = lessons_fts.rowid
         WHERE lessons_fts MATCH ? ORDER BY bm25(lessons_fts) LIMIT ?`,
        match,
        CANDIDATES,
      )
      .toArray()
      .map(toLesson);
  }

  /** What has faded goes, and when there are too many the oldest. */
  #thin(now: number): void {
    const oldest = this.#sql
      .exec<Row>("SELECT position, lesson FROM lessons ORDER BY position LIMIT 50")
      .toArray()
      .map(toLesson);
    for (const lesson of oldest) if (isForgotten(lesson, now)) this.delete(lesson.id);
    const { n } = this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM lessons").one();
    for (const lesson of oldest.slice(0, Math.max(0, n - MAX_LESSONS))) this.delete(lesson.id);
  }
}

// Written by this store alone.
const toLesson = ({ lesson }: Row): Lesson => JSON.parse(lesson) as Lesson;
