/**
 * What a tenant's runs have spent, as their coordinators report it while they run and when they end.
 *
 * Owns: `spends(run, model, …)` and `savings`, what capabilities saved a run. A report replaces the run's earlier one, unless that knows of more calls: it was overtaken.
 */
import type { Spent, UsageQuery, UsageReport } from "../src/contract/usage.ts";

const MAX_RUNS = 100; // of the runs shown: the dearest
const SUMS = `COUNT(DISTINCT run) AS n, SUM(calls) AS calls, SUM(input) AS input, SUM(output) AS output, SUM(cache_read) AS cache_read,
  SUM(cache_write) AS cache_write, SUM(cost) AS cost, SUM(cost IS NULL) AS unknown`;
const SCHEMA = `
CREATE TABLE IF NOT EXISTS spends (
  run TEXT NOT NULL, model TEXT NOT NULL, day TEXT NOT NULL, calls INTEGER NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost REAL, PRIMARY KEY (run, model)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS savings (run TEXT PRIMARY KEY, day TEXT NOT NULL, tokens INTEGER NOT NULL) WITHOUT ROWID;`;

type SqlSum = {
  name: string;
  calls: number | null;
  input: number | null;
  output: number | null;
  cache_read: number | null;
  cache_write: number | null;
  cost: number | null;
  unknown: number | null;
};

export class UsageStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  note(run: string, day: string, byModel: Record<string, Spent>): void {
    for (const [model, spent] of Object.entries(byModel))
      this.#sql.exec(
        `INSERT INTO spends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)
         ON CONFLICT (run, model) DO UPDATE SET day = excluded.day, calls = excluded.calls, input = excluded.input, output = excluded.output,
           cache_read = excluded.cache_read, cache_write = excluded.cache_write, cost = excluded.cost
         WHERE excluded.calls >= spends.calls`,
        run,
        model,
        day,
        spent.modelCalls,
        spent.input,
        spent.output,
        spent.cacheRead,
        spent.cacheWrite,
        spent.costUsd,
      );
  }

  noteSaved(run: string, day: string, tokens: number): void {
    this.#sql.exec("INSERT OR REPLACE INTO savings VALUES (?, ?, ?)", run, day, tokens);
  }

  report({ from = "0000", to = "9999" }: UsageQuery): UsageReport {
    const sums = (name: string, tail: string): SqlSum[] =>
      this.#sql
        .exec<SqlSum>(`SELECT ${name} AS name, ${SUMS} FROM spends WHERE day BETWEEN ? AND ? ${tail}`, from, to)
        .toArray();
    return {
      total: toSpent(sums("''", "")[0]!),
      saved: this.#sql
        .exec<{ tokens: number | null; runs: number }>(
          "SELECT SUM(tokens) AS tokens, COUNT(*) AS runs FROM savings WHERE day BETWEEN ? AND ?",
          from,
          to,
        )
        .toArray()
        .map(({ tokens, runs }) => ({ tokens: tokens ?? 0, runs }))[0]!,
      days: sums("day", "GROUP BY day ORDER BY day").map((row) => ({ day: row.name, ...toSpent(row) })),
      models: sums("model", "GROUP BY model ORDER BY model").map((row) => ({ model: row.name, ...toSpent(row) })),
      runs: sums("run", `GROUP BY run ORDER BY SUM(cost) DESC, SUM(input + output) DESC LIMIT ${MAX_RUNS}`).map(
        (row) => ({ run: row.name, ...toSpent(row) }),
      ),
    };
  }
}

const toSpent = (row: SqlSum): Spent => ({
  input: row.input ?? 0,
  output: row.output ?? 0,
  cacheRead: row.cache_read ?? 0,
  cacheWrite: row.cache_write ?? 0,
  modelCalls: row.calls ?? 0,
  costUsd: (row.unknown ?? 0) > 0 ? null : Math.round(1e9 * (row.cost ?? 0)) / 1e9, // no digits that are only rounding
});
