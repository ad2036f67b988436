/**
 * The variables of one session's kernel.
 *
 * Owns: the table `variables`, one row of metadata each; the data is a text under `var:<name>`.
 * Quotas: see `VARIABLE_QUOTA`. What does not fit is not stored, and said so by name (K4).
 */
import type { VariableInfo } from "../src/contract/cell.ts";
import type { StoredVariable, VariableSource } from "../src/kernel/variables.ts";
import type { PreparedText, TextStore } from "./text-store.ts";

export const VARIABLE_QUOTA = {
  count: 5_000,
  chars: 256 * 1024 * 1024, // of all variables of a session together
};

const textKey = (name: string): string => `var:${name}`;

export class VariableStore implements VariableSource {
  readonly #sql: SqlStorage;
  readonly #texts: TextStore;

  constructor(storage: DurableObjectStorage, texts: TextStore) {
    this.#sql = storage.sql;
    this.#texts = texts;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS variables (name TEXT PRIMARY KEY, chars INTEGER NOT NULL, meta TEXT NOT NULL) WITHOUT ROWID",
    );
  }

  find(name: string): StoredVariable | undefined {
    const row = this.#sql.exec<{ meta: string }>("SELECT meta FROM variables WHERE name = ?", name).toArray()[0];
    return row && (JSON.parse(row.meta) as StoredVariable);
  }

  load(name: string): Promise<string | undefined> {
    return this.#texts.load(textKey(name));
  }

  list(): VariableInfo[] {
    return this.#sql
      .exec<{ meta: string }>("SELECT meta FROM variables ORDER BY name")
      .toArray()
      .map((row) => (JSON.parse(row.meta) as StoredVariable).info);
  }

  /** Why this one more would be too much, if it would. */
  refusal(variable: StoredVariable): string | undefined {
    const { count, chars } = this.#sql
      .exec<{ count: number; chars: number }>(
        "SELECT COUNT(*) AS count, COALESCE(SUM(chars), 0) AS chars FROM variables WHERE name <> ?",
        variable.info.name,
      )
      .one();
    if (count >= VARIABLE_QUOTA.count)
      return `there are ${count} variables already, and ${VARIABLE_QUOTA.count} may be kept`;
    if (chars + variable.chars > VARIABLE_QUOTA.chars)
      return `the variables of a session may hold ${VARIABLE_QUOTA.chars} characters in all`;
    return undefined;
  }

  /** A name whose new value can't be kept has none: its old one would be taken for the new. */
  forget(name: string): void {
    this.#texts.delete(textKey(name));
    this.#sql.exec("DELETE FROM variables WHERE name = ?", name);
  }

  /** All of them; their texts are the caller's to clear. */
  clear(): void {
    this.#sql.exec("DELETE FROM variables");
  }

  write(variable: StoredVariable, data: PreparedText): void {
    this.#texts.write(textKey(variable.info.name), data);
    this.#sql.exec(
      "INSERT OR REPLACE INTO variables (name, chars, meta) VALUES (?, ?, ?)",
      variable.info.name,
      variable.chars,
      JSON.stringify(variable),
    );
  }
}
