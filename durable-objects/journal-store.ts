/**
 * The journal of calls of one session's cells, and the decisions that interrupted calls wait for.
 *
 * Owns: `calls(run, cell, key, …)` and `decisions(run, id, …)`; long replies and arguments are texts under `call:` keys.
 * A row is inserted when a call starts and updated once, when it has a reply (J1, J2).
 */
import type { PendingDecision } from "../src/contract/goal.ts";
import type { CallRecord, Effect, Journal } from "../src/orchestration/journal.ts";
import type { TextStore } from "./text-store.ts";

const ROW_CHARS = 200_000; // longer replies and arguments are texts of their own
const SCHEMA = `
CREATE TABLE IF NOT EXISTS calls (
  run TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL, args TEXT, effect TEXT NOT NULL,
  reply TEXT, ordinal INTEGER, PRIMARY KEY (run, cell, key)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decisions (
  run TEXT NOT NULL, id TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL,
  decision TEXT, note TEXT, PRIMARY KEY (run, id)
) WITHOUT ROWID;`;

type SqlCall = {
  key: string;
  tool: string;
  args: string | null;
  effect: string;
  reply: string | null;
  ordinal: number | null;
};
type SqlDecision = {
  id: string;
  cell: number;
  key: string;
  tool: string;
  args: string;
  decision: string | null;
  note: string | null;
};

export class JournalStore {
  readonly #sql: SqlStorage;
  readonly #texts: TextStore;

  constructor(storage: DurableObjectStorage, texts: TextStore) {
    this.#sql = storage.sql;
    this.#texts = texts;
    this.#sql.exec(SCHEMA);
  }

  /** The journal of one cell. */
  of(run: string, cell: number): Journal {
    const textKey = (key: string): string => `call:${run}:${cell}:${key}`;
    let ordinals =
      this.#sql
        .exec<{ last: number | null }>("SELECT MAX(ordinal) AS last FROM calls WHERE run = ? AND cell = ?", run, cell)
        .one().last ?? 0;
    return {
      find: async (key) => {
        const row = this.#sql
          .exec<SqlCall>(
            "SELECT key, tool, args, effect, reply, ordinal FROM calls WHERE run = ? AND cell = ? AND key = ?",
            run,
            cell,
            key,
          )
          .toArray()[0];
        if (row === undefined) return undefined;
        const reply = row.ordinal === null ? undefined : (row.reply ?? (await this.#texts.load(textKey(key))));
        return {
          key,
          tool: row.tool,
          args: row.args ?? "",
          effect: row.effect as Effect,
          ...(reply === undefined ? {} : { reply }),
          ...(row.ordinal === null ? {} : { ordinal: row.ordinal }),
        };
      },
      start: (call) => {
        const args = call.args.length <= ROW_CHARS ? call.args : null;
        this.#sql.exec(
          "INSERT INTO calls (run, cell, key, tool, args, effect) VALUES (?, ?, ?, ?, ?, ?)",
          run,
          cell,
          call.key,
          call.tool,
          args,
          call.effect,
        );
      },
      finish: async (key, reply) => {
        const inRow = reply.length <= ROW_CHARS;
        const prepared = inRow ? undefined : await this.#texts.prepare(reply);
        const ordinal = ++ordinals;
        if (prepared !== undefined) this.#texts.write(textKey(key), prepared);
        this.#sql.exec(
          "UPDATE calls SET reply = ?, ordinal = ? WHERE run = ? AND cell = ? AND key = ? AND ordinal IS NULL",
          inRow ? reply : null,
          ordinal,
          run,
          cell,
          key,
        );
        return ordinal;
      },
    };
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

  /** Idempotent: a call waits for one decision however often its cell is replayed. */
  ask(run: string, call: { cell: number; record: CallRecord }): string {
    const known = this.#decision(run, call.cell, call.record.key);
    if (known !== undefined) return known.id;
    const id = `d${this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM decisions WHERE run = ?", run).one().n + 1}`;
    this.#sql.exec(
      "INSERT INTO decisions (run, id, cell, key, tool, args) VALUES (?, ?, ?, ?, ?, ?)",
      run,
      id,
      call.cell,
      call.record.key,
      call.record.tool,
      call.record.args.slice(0, ROW_CHARS),
    );
    return id;
  }

  decided(run: string, cell: number, key: string): { decision: "approve" | "reject"; note?: string } | undefined {
    const row = this.#decision(run, cell, key);
    if (row === undefined || row.decision === null) return undefined;
    return { decision: row.decision as "approve" | "reject", ...(row.note === null ? {} : { note: row.note }) };
  }

  pending(run: string): PendingDecision[] {
    return this.#sql
      .exec<SqlDecision>(
        "SELECT id, cell, key, tool, args, decision, note FROM decisions WHERE run = ? AND decision IS NULL",
        run,
      )
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
  decide(run: string, id: string, answer: { decision: "approve" | "reject"; note?: string }): boolean {
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

  #decision(run: string, cell: number, key: string): SqlDecision | undefined {
    return this.#sql
      .exec<SqlDecision>(
        "SELECT id, cell, key, tool, args, decision, note FROM decisions WHERE run = ? AND cell = ? AND key = ?",
        run,
        cell,
        key,
      )
      .toArray()[0];
  }
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // cut short because it was long
  }
}
