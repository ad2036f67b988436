/**
 * What model calls have cost: a row for each of the agent's own, and one for each agent below it and model it used (G4).
 *
 * Owns: `spends(run, id, …)`. An id is the call's own (`turn:3`, `llm:…`): a call that is recorded twice is paid for once. What
 * a child has spent in all is replaced whenever it says more.
 */
import type { ModelReply, TokenUsage } from "../src/contract/model.ts";
import type { Spent } from "../src/contract/usage.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS spends (
  run TEXT NOT NULL, id TEXT NOT NULL, at INTEGER NOT NULL, model TEXT NOT NULL, input INTEGER NOT NULL, output INTEGER NOT NULL,
  cache_read INTEGER NOT NULL, cache_write INTEGER NOT NULL, cost REAL, calls INTEGER NOT NULL DEFAULT 1, PRIMARY KEY (run, id)
) WITHOUT ROWID;`;

const CHILD = "agent:";

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
      "INSERT INTO spends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, 1) ON CONFLICT DO NOTHING",
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

  /** What an agent below has spent in all. */
  replace(run: string, agent: string, byModel: Record<string, Spent>): void {
    for (const [model, spent] of Object.entries(byModel))
      this.#sql.exec(
        "INSERT OR REPLACE INTO spends VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
        run,
        `${CHILD}${agent}:${model}`,
        Date.now(),
        model,
        spent.input,
        spent.output,
        spent.cacheRead,
        spent.cacheWrite,
        spent.costUsd,
        spent.modelCalls,
      );
  }

  /** `own`: without what the agents below have spent. */
  spent(run: string, of: "tree" | "own" = "tree"): Spent {
    const rows = Object.values(this.byModel(run, of));
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

  /** Of the calls whose ids begin so. */
  spentBy(run: string, prefix: string): TokenUsage & { modelCalls: number; costUsd: number | null } {
    const row = this.#sql
      .exec<
        Record<"input" | "output" | "cacheRead" | "cacheWrite" | "modelCalls" | "unknown", number> & { costUsd: number }
      >(
        `SELECT COALESCE(SUM(input), 0) AS input, COALESCE(SUM(output), 0) AS output, COALESCE(SUM(cache_read), 0) AS cacheRead,
           COALESCE(SUM(cache_write), 0) AS cacheWrite, COALESCE(SUM(calls), 0) AS modelCalls, COALESCE(SUM(cost), 0) AS costUsd,
           COALESCE(SUM(cost IS NULL), 0) AS unknown FROM spends WHERE run = ? AND substr(id, 1, ?) = ?`,
        run,
        prefix.length,
        prefix,
      )
      .one();
    const { unknown, costUsd, ...tokens } = row;
    return { ...tokens, costUsd: unknown > 0 ? null : costUsd };
  }

  byModel(run: string, of: "tree" | "own" = "tree"): Record<string, Spent> {
    const rows = this.#sql
      .exec<SqlSum>(
        `SELECT model, SUM(calls) AS calls, SUM(input) AS input, SUM(output) AS output, SUM(cache_read) AS cache_read,
           SUM(cache_write) AS cache_write, SUM(cost) AS cost, SUM(cost IS NULL) AS unknown FROM spends
         WHERE run = ?1 AND (?2 = 'tree' OR substr(id, 1, ${CHILD.length}) <> '${CHILD}') GROUP BY model`,
        run,
        of,
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
