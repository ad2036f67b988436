/**
 * The journal of calls of one session's cells, and the decisions that interrupted calls wait for.
 *
 * Owns: `calls(run, cell, key, …)` and `decisions(run, id, …)`; long replies are texts under `call:` keys. Arguments are
 * kept for people to see, and cut when they are long: the key alone tells calls apart.
 * A call's row is inserted when it starts and updated once, when it has a reply (J1, J2). A decision's row is inserted
 * when a call is found interrupted, then given its answer, then used by the call that is made again: once (J4).
 */
import type { PendingDecision } from "../src/contract/goal.ts";
import type { Decision, Effect, Journal } from "../src/orchestration/journal.ts";
import type { TextStore } from "./text-store.ts";

const ROW_CHARS = 200_000; // longer replies are texts of their own
const SCHEMA = `
CREATE TABLE IF NOT EXISTS calls (
  run TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL, effect TEXT NOT NULL,
  reply TEXT, ordinal INTEGER, PRIMARY KEY (run, cell, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decisions (
  run TEXT NOT NULL, id TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL,
  decision TEXT, note TEXT, used INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, id)
) WITHOUT ROWID;`;

type SqlCall = {
  tool: string;
  args: string;
  effect: string;
  reply: string | null;
  ordinal: number | null;
};
type SqlDecision = { id: string; tool: string; args: string };

export class JournalStore {
  readonly #sql: SqlStorage;
  readonly #texts: TextStore;
  /** The cell whose call had a result last, and that result's ordinal. Shared: an attempt may outlive the next one's start. */
  #last = { run: "", cell: 0, ordinal: 0 };

  constructor(storage: DurableObjectStorage, texts: TextStore) {
    this.#sql = storage.sql;
    this.#texts = texts;
    this.#sql.exec(SCHEMA);
  }

  /** The journal of one cell. */
  of(run: string, cell: number): Journal {
    const textKey = (key: string): string => `call:${run}:${cell}:${key}`;
    const find: Journal["find"] = async (key) => {
      const row = this.#call(run, cell, key);
      if (row === undefined) return undefined;
      const { tool, args, ordinal } = row;
      const record = { key, tool, args, effect: row.effect as Effect };
      if (ordinal === null) return record;
      const reply = row.reply ?? (await this.#texts.load(textKey(key)));
      if (reply === undefined) throw new Error(`The recorded reply of ${tool} can't be found.`);
      return { ...record, reply, ordinal };
    };
    return {
      find,
      start: ({ key, tool, args, effect }) => {
        this.#sql.exec(
          "INSERT INTO calls (run, cell, key, tool, args, effect) VALUES (?, ?, ?, ?, ?, ?)",
          run,
          cell,
          key,
          tool,
          args.slice(0, ROW_CHARS),
          effect,
        );
      },
      decided: (key) => {
        const row = this.#sql
          .exec<{ decision: string; note: string | null }>(
            "SELECT decision, note FROM decisions WHERE run = ? AND cell = ? AND key = ? AND used = 0 AND decision IS NOT NULL",
            run,
            cell,
            key,
          )
          .toArray()[0];
        if (row === undefined) return undefined;
        const decision = row.decision as Decision["decision"]; // written by `decide` alone
        return row.note === null ? { decision } : { decision, note: row.note };
      },
      restart: (key) => {
        this.#sql.exec("UPDATE decisions SET used = 1 WHERE run = ? AND cell = ? AND key = ?", run, cell, key);
      },
      finish: async (key, reply) => {
        const prepared = reply.length <= ROW_CHARS ? undefined : await this.#texts.prepare(reply);
        // Nothing is awaited between these: the row, its text and its place are one write.
        const ordinal = this.#lastOrdinal(run, cell) + 1;
        const { rowsWritten } = this.#sql.exec(
          "UPDATE calls SET reply = ?, ordinal = ? WHERE run = ? AND cell = ? AND key = ? AND ordinal IS NULL",
          prepared === undefined ? reply : null,
          ordinal,
          run,
          cell,
          key,
        );
        if (rowsWritten > 0) {
          this.#last = { run, cell, ordinal };
          if (prepared !== undefined) this.#texts.write(textKey(key), prepared);
          return { reply, ordinal };
        }
        const known = await find(key);
        if (known?.reply === undefined || known.ordinal === undefined) throw new Error(`No call ${key} was started.`);
        return { reply: known.reply, ordinal: known.ordinal };
      },
    };
  }

  calls(run: string): number {
    return this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM calls WHERE run = ?", run).one().n;
  }

  /** True when the cell was computing, not waiting for a call, when its runtime went away. */
  wasComputing(run: string, cell: number): boolean {
    return (
      this.#sql
        .exec<{ n: number }>(
          "SELECT COUNT(*) AS n FROM calls WHERE run = ? AND cell = ? AND ordinal IS NULL",
          run,
          cell,
        )
        .one().n === 0
    );
  }

  /**
   * Asks for a decision about each call of the cell that was interrupted and may not simply be made again (J4).
   * Idempotent: a call waits for one decision however often its cell is replayed.
   */
  ask(run: string, cell: number): void {
    const calls = this.#sql
      .exec<{ key: string; tool: string; args: string }>(
        `SELECT key, tool, args FROM calls WHERE run = ?1 AND cell = ?2 AND effect = 'once' AND ordinal IS NULL
           AND key NOT IN (SELECT key FROM decisions WHERE run = ?1 AND cell = ?2 AND used = 0)`,
        run,
        cell,
      )
      .toArray();
    for (const { key, tool, args } of calls)
      this.#sql.exec(
        `INSERT INTO decisions (run, id, cell, key, tool, args)
         VALUES (?1, 'd' || (SELECT COUNT(*) + 1 FROM decisions WHERE run = ?1), ?2, ?3, ?4, ?5)`,
        run,
        cell,
        key,
        tool,
        args,
      );
  }

  pending(run: string): PendingDecision[] {
    return this.#sql
      .exec<SqlDecision>("SELECT id, tool, args FROM decisions WHERE run = ? AND decision IS NULL", run)
      .toArray()
      .map((row) => ({
        id: row.id,
        on: "interrupted-call",
        tool: row.tool,
        args: parseArgs(row.args),
        why: `${row.tool} was called when the runtime stopped. It may have happened or not, and doing it twice could do harm.`,
        choices: { approve: "the call is made again", reject: "the cell is told that the call failed" },
      }));
  }

  /** False when nothing by that id is pending. */
  decide(run: string, id: string, answer: Decision): boolean {
    return (
      this.#sql.exec(
        "UPDATE decisions SET decision = ?, note = ? WHERE run = ? AND id = ? AND decision IS NULL",
        answer.decision,
        answer.note ?? null,
        run,
        id,
      ).rowsWritten > 0
    );
  }

  /** How many decisions this run has been given: each begins a new leg. */
  decisions(run: string): number {
    return this.#sql
      .exec<{ n: number }>("SELECT COUNT(*) AS n FROM decisions WHERE run = ? AND decision IS NOT NULL", run)
      .one().n;
  }

  #call(run: string, cell: number, key: string): SqlCall | undefined {
    return this.#sql
      .exec<SqlCall>(
        "SELECT tool, args, effect, reply, ordinal FROM calls WHERE run = ? AND cell = ? AND key = ?",
        run,
        cell,
        key,
      )
      .toArray()[0];
  }

  #lastOrdinal(run: string, cell: number): number {
    if (this.#last.run === run && this.#last.cell === cell) return this.#last.ordinal;
    return (
      this.#sql
        .exec<{ last: number | null }>("SELECT MAX(ordinal) AS last FROM calls WHERE run = ? AND cell = ?", run, cell)
        .one().last ?? 0
    );
  }
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // cut short because it was long
  }
}
