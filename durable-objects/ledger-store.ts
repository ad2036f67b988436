/**
 * What model calls have cost, one row each.
 *
 * Owns: `spends(run, id, …)`. An id is the call's own (`turn:3`, `llm:…`): a call that is recorded twice is paid for once.
 */
import type { ModelReply } from "../src/contract/model.ts";
import type { Spent } from "../src/contract/usage.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS spends (
  run TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost REAL, PRIMARY KEY (run, id)
) WITHOUT ROWID;`;

type SqlSum = {
  model: string;
  calls: number;
  input: number;
  output: number;
  cache_read: number;
  cache_write: number;
  cost: number | null;
  unknown: number;
};

export class LedgerStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  record(run: string, id: string, { model, usage, costUsd }: Pick<ModelReply, "model" | "usage" | "costUsd">): void {
    this.#sql.exec(
      "INSERT INTO spends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      run,
      id,
      Date.now(),
      model,
      usage.input,
      usage.output,
      usage.cacheRead,
      usage.cacheWrite,
      costUsd,
    );
  }

  spent(run: string): Spent {
    const rows = Object.values(this.byModel(run));
    const sum = (of: (spent: Spent) => number): number => rows.reduce((total, row) => total + of(row), 0);
    return {
      input: sum((row) => row.input),
      output: sum((row) => row.output),
      cacheRead: sum((row) => row.cacheRead),
      cacheWrite: sum((row) => row.cacheWrite),
      modelCalls: sum((row) => row.modelCalls),
      costUsd: rows.some((row) => row.costUsd === null) ? null : Math.round(1e9 * sum((row) => row.costUsd ?? 0)) / 1e9, // no digits that are only rounding
    };
  }

  byModel(run: string): Record<string, Spent> {
    const rows = this.#sql
      .exec<SqlSum>(
        `SELECT model, COUNT(*) AS calls, SUM(input) AS input, SUM(output) AS output, SUM(cache_read) AS cache_read,
           SUM(cache_write) AS cache_write, SUM(cost) AS cost, SUM(cost IS NULL) AS unknown FROM spends WHERE run = ? GROUP BY model`,
        run,
      )
      .toArray();
    return Object.fromEntries(
      rows.map((row) => [
        row.model,
        {
          input: row.input,
          output: row.output,
          cacheRead: row.cache_read,
          cacheWrite: row.cache_write,
          modelCalls: row.calls,
          costUsd: row.unknown > 0 ? null : (row.cost ?? 0),
        },
      ]),
    );
  }
}
