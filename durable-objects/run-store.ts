/**
 * Runs of one session and what happened in them.
 *
 * Owns: `runs` (one row each, status included), `turns` (a model's reply, written once: J2), `cells`, `events`.
 * Doesn't own: variables, the journal of calls, long texts.
 * A reply, once recorded, is never replaced; a run, once ended, never changes again.
 */
import type { CellAnswer, CellView } from "../src/contract/cell.ts";
import type { RunEvent, StoredEvent } from "../src/contract/event.ts";
import type { Failure } from "../src/contract/failure.ts";
import type { Budget, RunStatus } from "../src/contract/goal.ts";
import type { Exchange, ModelReply } from "../src/contract/model.ts";
import type { TurnRecord } from "../src/orchestration/turn.ts";

export interface RunRow {
  id: string;
  goal: string;
  budget: Budget;
  /** Calls that tools mark as `ask` need no person in this run. */
  autoApprove: boolean;
  /** How long the storage of its agents is kept, when the goal says so. */
  retention: string | undefined;
  status: RunStatus;
  failure: Failure | undefined;
  createdAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
  /** How long it has waited for people, all told: that time is not the run's. */
  waitedMs: number;
}

type SqlRun = {
  id: string;
  goal: string;
  budget: string;
  auto_approve: number;
  retention: string | null;
  status: string;
  failure: string | null;
  created_at: number;
  started_at: number | null;
  ended_at: number | null;
  waited_ms: number;
};
type SqlTurn = { turn: number; reply: string | null; failure: string | null; nudge: string | null };
type SqlCell = {
  cell: number;
  turn: number;
  code: string;
  status: string;
  answer: string | null;
  started_at: number;
  ended_at: number | null;
  seed: string;
};

const SCHEMA = `
CREATE TABLE IF NOT EXISTS runs (
  id TEXT PRIMARY KEY, position INTEGER NOT NULL, goal TEXT NOT NULL, budget TEXT NOT NULL, auto_approve INTEGER NOT NULL DEFAULT 0, retention TEXT, status TEXT NOT NULL, failure TEXT,
  created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER, waited_ms INTEGER NOT NULL DEFAULT 0,
  waits_since INTEGER, reported TEXT, settled INTEGER NOT NULL DEFAULT 0
);
CREATE TABLE IF NOT EXISTS turns (
  run TEXT NOT NULL, turn INTEGER NOT NULL, reply TEXT, failure TEXT, nudge TEXT, PRIMARY KEY (run, turn)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS cells (
  run TEXT NOT NULL, cell INTEGER NOT NULL, turn INTEGER NOT NULL, code TEXT NOT NULL, status TEXT NOT NULL, answer TEXT,
  seed TEXT NOT NULL, attempts INTEGER NOT NULL DEFAULT 1, calls INTEGER NOT NULL DEFAULT 0,
  started_at INTEGER NOT NULL, ended_at INTEGER, PRIMARY KEY (run, cell)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS events (
  run TEXT NOT NULL, id INTEGER NOT NULL, at INTEGER NOT NULL, event TEXT NOT NULL, PRIMARY KEY (run, id)
) WITHOUT ROWID;`;

const EVENTS_PER_PAGE = 200;
const iso = (ms: number): string => new Date(ms).toISOString();

export class RunStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  insert(run: Pick<RunRow, "id" | "goal" | "budget" | "autoApprove" | "retention" | "createdAt">): void {
    this.#sql.exec(
      "INSERT INTO runs (id, position, goal, budget, auto_approve, retention, status, created_at) VALUES (?, (SELECT COUNT(*) FROM runs), ?, ?, ?, ?, 'queued', ?)",
      run.id,
      run.goal,
      JSON.stringify(run.budget),
      run.autoApprove ? 1 : 0,
      run.retention ?? null,
      run.createdAt,
    );
  }

  find(id: string): RunRow | undefined {
    const row = this.#sql
      .exec<SqlRun>(
        "SELECT id, goal, budget, auto_approve, retention, status, failure, created_at, started_at, ended_at, waited_ms FROM runs WHERE id = ?",
        id,
      )
      .toArray()[0];
    return row && toRun(row);
  }

  /** The run that holds the kernel: at most one of a session is running or waiting. */
  active(): RunRow | undefined {
    return this.#first("status IN ('running', 'waiting')");
  }

  nextQueued(): RunRow | undefined {
    return this.#first("status = 'queued'");
  }

  setStatus(id: string, change: { status: RunStatus; at: number; failure?: Failure }): void {
    this.#sql.exec(
      `UPDATE runs SET status = ?1, failure = ?2, started_at = COALESCE(started_at, CASE WHEN ?1 = 'running' THEN ?3 END),
         ended_at = CASE WHEN ?1 IN ('succeeded', 'failed', 'cancelled', 'exhausted') THEN ?3 END,
         waited_ms = waited_ms + CASE WHEN ?1 <> 'waiting' THEN ?3 - COALESCE(waits_since, ?3) ELSE 0 END,
         waits_since = CASE WHEN ?1 = 'waiting' THEN COALESCE(waits_since, ?3) END
       WHERE id = ?4 AND ended_at IS NULL`,
      change.status,
      change.failure === undefined ? null : JSON.stringify(change.failure),
      change.at,
      id,
    );
  }

  /** Ended runs from which nothing has been drawn yet. */
  unsettled(): RunRow[] {
    return this.#rows("ended_at IS NOT NULL AND settled = 0 ORDER BY position LIMIT 10");
  }

  markSettled(id: string): void {
    this.#sql.exec("UPDATE runs SET settled = 1 WHERE id = ?", id);
  }

  /** Runs whose status the registry has not heard of. */
  unreported(): { id: string; status: RunStatus; endedAt: number | undefined }[] {
    return this.#sql
      .exec<{ id: string; status: string; ended_at: number | null }>(
        "SELECT id, status, ended_at FROM runs WHERE reported IS NOT status ORDER BY position LIMIT 100",
      )
      .toArray()
      .map((row) => ({ id: row.id, status: row.status as RunStatus, endedAt: row.ended_at ?? undefined }));
  }

  markReported(id: string, status: RunStatus): void {
    this.#sql.exec("UPDATE runs SET reported = ? WHERE id = ?", status, id);
  }

  turns(run: string): TurnRecord[] {
    const cells = new Map(this.#cells(run).map((cell) => [cell.turn, cell]));
    return this.#sql
      .exec<SqlTurn>("SELECT turn, reply, failure, nudge FROM turns WHERE run = ? ORDER BY turn", run)
      .toArray()
      .map((row) => {
        const cell = cells.get(row.turn);
        return {
          turn: row.turn,
          ...(row.reply === null ? {} : { reply: JSON.parse(row.reply) as ModelReply }),
          ...(row.failure === null ? {} : { failure: JSON.parse(row.failure) as Failure }),
          ...(row.nudge === null ? {} : { nudge: row.nudge }),
          ...(cell === undefined
            ? {}
            : {
                cell: {
                  cell: cell.cell,
                  ...(cell.answer === null ? {} : { answer: JSON.parse(cell.answer) as CellAnswer }),
                },
              }),
        };
      });
  }

  /** J2: the first record of a turn stays. */
  recordReply(
    run: string,
    turn: number,
    outcome: { reply: ModelReply } | { failure: Failure } | { reply: ModelReply; nudge: string },
  ): void {
    const { reply, failure, nudge } = outcome as { reply?: ModelReply; failure?: Failure; nudge?: string };
    this.#sql.exec(
      "INSERT INTO turns (run, turn, reply, failure, nudge) VALUES (?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
      run,
      turn,
      reply === undefined ? null : JSON.stringify(reply),
      failure === undefined ? null : JSON.stringify(failure),
      nudge ?? null,
    );
  }

  /** Ends a turn whose reply is there but whose cell may not run. */
  recordFailure(run: string, turn: number, failure: Failure): void {
    this.#sql.exec("UPDATE turns SET failure = ? WHERE run = ? AND turn = ?", JSON.stringify(failure), run, turn);
  }

  exchanges(run: string): Exchange[] {
    return this.turns(run).flatMap(({ reply, cell, nudge }) =>
      reply === undefined
        ? []
        : [
            {
              text: reply.text,
              ...(reply.opaque === undefined ? {} : { opaque: reply.opaque }),
              ...(reply.call === undefined ? {} : { call: reply.call, answer: JSON.stringify(cell?.answer ?? {}) }),
              ...(nudge === undefined ? {} : { nudge }),
            },
          ],
    );
  }

  /** Opens a cell, or finds it as an earlier attempt left it: clock and dice stay the same (J6). */
  openCell(
    run: string,
    cell: { cell: number; turn: number; code: string; seed: string; at: number },
  ): { startedAt: number; seed: string; isNew: boolean } {
    const known = this.#sql
      .exec<{ started_at: number; seed: string }>(
        "SELECT started_at, seed FROM cells WHERE run = ? AND cell = ?",
        run,
        cell.cell,
      )
      .toArray()[0];
    if (known !== undefined) return { startedAt: known.started_at, seed: known.seed, isNew: false };
    this.#sql.exec(
      "INSERT INTO cells (run, cell, turn, code, status, seed, started_at) VALUES (?, ?, ?, ?, 'running', ?, ?)",
      run,
      cell.cell,
      cell.turn,
      cell.code,
      cell.seed,
      cell.at,
    );
    return { startedAt: cell.at, seed: cell.seed, isNew: true };
  }

  /** Counts one more attempt at a cell. Answers how many there were since it last got further, by its calls. */
  countAttempt(run: string, cell: number, calls: number): number {
    return this.#sql
      .exec<{ attempts: number }>(
        "UPDATE cells SET attempts = CASE WHEN calls < ?3 THEN 1 ELSE attempts + 1 END, calls = ?3 WHERE run = ?1 AND cell = ?2 RETURNING attempts",
        run,
        cell,
        calls,
      )
      .one().attempts;
  }

  closeCell(run: string, cell: number, end: { answer: CellAnswer; at: number }): void {
    this.#sql.exec(
      "UPDATE cells SET status = ?, answer = ?, ended_at = ? WHERE run = ? AND cell = ? AND answer IS NULL",
      end.answer.error === undefined ? "succeeded" : "failed",
      JSON.stringify(end.answer),
      end.at,
      run,
      cell,
    );
  }

  /** How many lines the cell has logged, in all its attempts. */
  logged(run: string, cell: number): number {
    return this.#sql
      .exec<{ n: number }>(
        "SELECT COUNT(*) AS n FROM events WHERE run = ? AND event ->> '$.type' = 'cell-logged' AND event ->> '$.cell' = ?",
        run,
        cell,
      )
      .one().n;
  }

  openCells(run: string): number[] {
    return this.#sql
      .exec<{ cell: number }>("SELECT cell FROM cells WHERE run = ? AND answer IS NULL", run)
      .toArray()
      .map(({ cell }) => cell);
  }

  cellViews(run: string, page: { after: number; limit: number }): CellView[] {
    return this.#cells(run, page).map((row) => ({
      cell: row.cell,
      turn: row.turn,
      code: row.code,
      status: row.status as CellView["status"],
      ...(row.answer === null ? {} : { answer: JSON.parse(row.answer) as CellAnswer }),
      startedAt: iso(row.started_at),
      ...(row.ended_at === null ? {} : { endedAt: iso(row.ended_at) }),
    }));
  }

  counts(run: string): { turns: number; cells: number } {
    return this.#sql
      .exec<{ turns: number; cells: number }>(
        "SELECT (SELECT COUNT(*) FROM turns WHERE run = ?1 AND reply IS NOT NULL) AS turns, (SELECT COUNT(*) FROM cells WHERE run = ?1) AS cells",
        run,
      )
      .one();
  }

  append(run: string, event: RunEvent, at: number): void {
    this.#sql.exec(
      "INSERT INTO events (run, id, at, event) VALUES (?1, (SELECT COALESCE(MAX(id), 0) + 1 FROM events WHERE run = ?1), ?2, ?3)",
      run,
      at,
      JSON.stringify(event),
    );
  }

  /** All that a model was told and said: what is left is what happened. */
  forgetTurns(run: string): void {
    this.#sql.exec("DELETE FROM turns WHERE run = ?", run);
  }

  lastEvent(run: string): number {
    return this.#sql.exec<{ last: number }>("SELECT COALESCE(MAX(id), 0) AS last FROM events WHERE run = ?", run).one()
      .last;
  }

  eventsAfter(run: string, after: number): StoredEvent[] {
    return this.#sql
      .exec<{ id: number; at: number; event: string }>(
        "SELECT id, at, event FROM events WHERE run = ? AND id > ? ORDER BY id LIMIT ?",
        run,
        after,
        EVENTS_PER_PAGE,
      )
      .toArray()
      .map((row) => ({ id: row.id, at: iso(row.at), ...(JSON.parse(row.event) as RunEvent) }));
  }

  #first(condition: string): RunRow | undefined {
    return this.#rows(`${condition} ORDER BY position LIMIT 1`)[0];
  }

  #rows(condition: string): RunRow[] {
    return this.#sql
      .exec<SqlRun>(
        `SELECT id, goal, budget, auto_approve, retention, status, failure, created_at, started_at, ended_at, waited_ms FROM runs WHERE ${condition}`,
      )
      .toArray()
      .map(toRun);
  }

  #cells(run: string, page: { after: number; limit: number } = { after: 0, limit: 100_000 }): SqlCell[] {
    return this.#sql
      .exec<SqlCell>(
        "SELECT cell, turn, code, status, answer, seed, started_at, ended_at FROM cells WHERE run = ? AND cell > ? ORDER BY cell LIMIT ?",
        run,
        page.after,
        page.limit,
      )
      .toArray();
  }
}

const toRun = (row: SqlRun): RunRow => ({
  id: row.id,
  goal: row.goal,
  budget: JSON.parse(row.budget) as Budget,
  autoApprove: row.auto_approve === 1,
  retention: row.retention ?? undefined,
  status: row.status as RunStatus,
  failure: row.failure === null ? undefined : (JSON.parse(row.failure) as Failure),
  createdAt: row.created_at,
  startedAt: row.started_at ?? undefined,
  endedAt: row.ended_at ?? undefined,
  waitedMs: row.waited_ms,
});
