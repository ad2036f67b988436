/**
 * Texts of any length by key: what does not fit a row is split, what does not belong in an object's database goes to R2.
 *
 * Owns: the table `texts(key, part, text)` and the R2 keys under its prefix. A text in R2 is named by its hash and
 * referred to by a row, so it can be written before the transaction that makes it visible.
 * Doesn't own: what the texts mean, or when one may be deleted.
 */
const ROW_CHARS = 500_000; // a row holds 2 MB; a character takes at most 3 bytes
const R2_FROM_CHARS = 4 * 1024 * 1024;
const R2_REF = "\u0000r2:"; // JSON texts never begin with NUL, so a reference can't be mistaken for one

export interface PreparedText {
  rows: string[];
  chars: number;
}

export class TextStore {
  readonly #sql: SqlStorage;
  readonly #bucket: R2Bucket;
  readonly #prefix: string;

  constructor(storage: DurableObjectStorage, bucket: R2Bucket, prefix: string) {
    this.#sql = storage.sql;
    this.#bucket = bucket;
    this.#prefix = prefix;
    this.#sql.exec(
      "CREATE TABLE IF NOT EXISTS texts (key TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (key, part)) WITHOUT ROWID",
    );
  }

  /** Does the part that must wait; `write` then is synchronous and may stand in a transaction. */
  async prepare(text: string): Promise<PreparedText> {
    if (text.length < R2_FROM_CHARS) return prepareRows(text);
    const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
    const name = `${this.#prefix}/${Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("")}`;
    await this.#bucket.put(name, text);
    return { rows: [R2_REF + name], chars: text.length };
  }

  write(key: string, prepared: PreparedText): void {
    this.delete(key);
    prepared.rows.forEach((row, part) =>
      this.#sql.exec("INSERT INTO texts (key, part, text) VALUES (?, ?, ?)", key, part, row),
    );
  }

  async load(key: string): Promise<string | undefined> {
    const rows = this.#sql.exec<{ text: string }>("SELECT text FROM texts WHERE key = ? ORDER BY part", key).toArray();
    if (rows.length === 0) return undefined;
    const first = rows[0]!.text;
    if (!first.startsWith(R2_REF)) return rows.length === 1 ? first : rows.map((row) => row.text).join("");
    const object = await this.#bucket.get(first.slice(R2_REF.length));
    return object?.text();
  }

  /** How long a text is; one in the bucket counts as long as it must be to be there. */
  chars(key: string): number {
    const { rows, chars } = this.#sql
      .exec<{ rows: number; chars: number | null }>(
        "SELECT COUNT(*) AS rows, SUM(length(text)) AS chars FROM texts WHERE key = ?",
        key,
      )
      .one();
    return rows > 0 && chars === 0 ? R2_FROM_CHARS : (chars ?? 0); // SQLite counts no further than the NUL of a reference
  }

  /** Everything, in the bucket too. */
  async clear(): Promise<void> {
    const names = this.#sql
      .exec<{ text: string }>("SELECT text FROM texts WHERE part = 0 AND length(text) = 0")
      .toArray()
      .filter(({ text }) => text.startsWith(R2_REF))
      .map(({ text }) => text.slice(R2_REF.length));
    if (names.length > 0) await this.#bucket.delete(names);
    this.#sql.exec("DELETE FROM texts");
  }

  delete(key: string): void {
    this.#sql.exec("DELETE FROM texts WHERE key = ?", key);
  }
}

/** For texts known to be small enough for the database: no waiting. */
export function prepareRows(text: string): PreparedText {
  const rows: string[] = [];
  for (let from = 0; from === 0 || from < text.length; from += rows.at(-1)!.length)
    rows.push(text.slice(from, endOfRow(text, from)));
  return { rows, chars: text.length };
}

/** Never between the halves of a surrogate pair: the database keeps UTF-8, which has no half characters. */
function endOfRow(text: string, from: number): number {
  const end = from + ROW_CHARS;
  const last = text.charCodeAt(end - 1);
  return last >= 0xd800 && last <= 0xdbff ? end - 1 : end;
}
