/**
 * The cells inside cells: each run of a capability has a number of its own to journal its calls under, so that they replay by
 * themselves, as those of a cell do.
 *
 * Owns: `nested_cells`, a row for each run of a capability by the key of the call that asked for it. The row is written before
 * anything runs and never changes: version, clock and dice are the same at every attempt (J6), whatever the library offers by then.
 */
const FIRST = 1_000_000_000_000; // no run has as many cells of its own

const SCHEMA = `
CREATE TABLE IF NOT EXISTS nested_cells (
  run TEXT NOT NULL, key TEXT NOT NULL, cell INTEGER NOT NULL, root INTEGER NOT NULL, version INTEGER NOT NULL,
  seed TEXT NOT NULL, started_at INTEGER NOT NULL, PRIMARY KEY (run, key)
) WITHOUT ROWID;
CREATE UNIQUE INDEX IF NOT EXISTS nested_cells_by_cell ON nested_cells (run, cell);
CREATE INDEX IF NOT EXISTS nested_cells_by_root ON nested_cells (run, root);`;

export interface NestedCell {
  cell: number;
  /** Of the capability. */
  version: number;
  seed: string;
  startedAt: number;
}

export class NestedStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  find(run: string, key: string): NestedCell | undefined {
    return this.#sql
      .exec<{ cell: number; version: number; seed: string; startedAt: number }>(
        "SELECT cell, version, seed, started_at AS startedAt FROM nested_cells WHERE run = ? AND key = ?",
        run,
        key,
      )
      .toArray()[0];
  }

  /** Idempotent per key: the first stays. `root`: the run's own cell it is in, however deep. */
  open(run: string, key: string, nested: Omit<NestedCell, "cell"> & { root: number }): NestedCell {
    const known = this.find(run, key);
    if (known !== undefined) return known;
    const { root, version, seed, startedAt } = nested;
    const { last } = this.#sql
      .exec<{ last: number | null }>("SELECT MAX(cell) AS last FROM nested_cells WHERE run = ?", run)
      .one();
    const cell = (last ?? FIRST) + 1;
    this.#sql.exec(
      "INSERT INTO nested_cells (run, key, cell, root, version, seed, started_at) VALUES (?, ?, ?, ?, ?, ?, ?)",
      run,
      key,
      cell,
      root,
      version,
      seed,
      startedAt,
    );
    return { cell, version, seed, startedAt };
  }

  clear(): void {
    this.#sql.exec("DELETE FROM nested_cells");
  }
}
