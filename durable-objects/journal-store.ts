/**
 * The journal of calls of one session's cells.
 *
 * Owns: `calls(run, cell, key, …)`; long replies are texts under `call:` keys. Arguments are kept for people to see: long ones
 * under `args:` keys, and only of calls a person may be asked about, until they have a result. The key alone tells calls apart.
 * What people are asked about a call is in `DecisionStore`. Calls of a capability are under a cell number of its run's own, see
 * `NestedStore`.
 * A row is inserted when a call starts and updated once, when it has a reply (J1, J2).
 */
import type { Question } from "../src/orchestration/decision.ts";
import { afterInterruption, type Effect, type Journal } from "../src/orchestration/journal.ts";
import type { DecisionStore } from "./decision-store.ts";
import { NestedStore } from "./nested-store.ts";
import { prepareRows, type TextStore } from "./text-store.ts";

const MAX_LAST = 1_000; // remembered; of the others the table knows
const ROW_CHARS = 200_000; // longer replies and arguments are texts of their own
const SCHEMA = `
CREATE TABLE IF NOT EXISTS calls (
  run TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, tool TEXT NOT NULL, args TEXT NOT NULL, effect TEXT NOT NULL,
  reply TEXT, ordinal INTEGER, PRIMARY KEY (run, cell, key)
) WITHOUT ROWID;`;

/** The calls of a cell, ?2, and of all capabilities that run in it. */
const WITHIN = "(cell = ?2 OR cell IN (SELECT cell FROM nested_cells WHERE run = ?1 AND root = ?2))";
/** Not a call that waits for the world, but one that others are made in: a capability by its name, which has no dot. */
const RUNS_CAPABILITY = "(tool = 'library.run' OR instr(tool, '.') = 0)";

/** In place of an effect: calls that were never made. */
const REFUSED: readonly string[] = ["unusable", "overdrawn"];

type SqlCall = {
  tool: string;
  args: string;
  effect: string;
  reply: string | null;
  ordinal: number | null;
};

export class JournalStore {
  readonly #sql: SqlStorage;
  readonly #texts: TextStore;
  readonly #decisions: DecisionStore;
  /** The cells inside cells: one for each run of a capability. */
  readonly nested: NestedStore;
  /** The last ordinal of cells that had a result of late. Shared: an attempt may outlive the next one's start. */
  readonly #last = new Map<string, number>();

  constructor(storage: DurableObjectStorage, texts: TextStore, decisions: DecisionStore) {
    this.#sql = storage.sql;
    this.#texts = texts;
    this.#decisions = decisions;
    this.#sql.exec(SCHEMA);
    this.nested = new NestedStore(storage);
  }

  /** The journal of one cell. */
  of(run: string, cell: number): Journal {
    const textKey = (key: string): string => `call:${run}:${cell}:${key}`;
    const find: Journal["find"] = async (key) => {
      const row = this.#call(run, cell, key);
      if (row === undefined) return undefined;
      const { tool, args, ordinal } = row;
      const record = { key, tool, args, effect: REFUSED.includes(row.effect) ? "read" : (row.effect as Effect) };
      if (ordinal === null) return record;
      const reply = row.reply ?? (await this.#texts.load(textKey(key)));
      if (reply === undefined) throw new Error(`The recorded reply of ${tool} can't be found.`);
      return { ...record, reply, ordinal };
    };
    return {
      find,
      start: ({ key, tool, args, effect, refused }) => {
        this.#sql.exec(
          "INSERT INTO calls (run, cell, key, tool, args, effect) VALUES (?, ?, ?, ?, ?, ?)",
          run,
          cell,
          key,
          tool,
          args.slice(0, ROW_CHARS),
          refused ?? effect,
        );
        if (args.length > ROW_CHARS && afterInterruption(effect) === "ask")
          this.#texts.write(argsKey(run, cell, key), prepareRows(args));
      },
      ask: (question) => this.#decisions.ask(run, cell, question),
      decided: (key) => this.#decisions.decided(run, cell, key),
      edited: (key) => this.#decisions.edited(run, cell, key),
      use: (key) => this.#decisions.use(run, cell, key),
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
          if (this.#last.size >= MAX_LAST) this.#last.clear();
          this.#last.set(`${run}:${cell}`, ordinal);
          if (prepared !== undefined) this.#texts.write(textKey(key), prepared);
          this.#texts.delete(argsKey(run, cell, key));
          return { reply, ordinal };
        }
        const known = await find(key);
        if (known?.reply === undefined || known.ordinal === undefined) throw new Error(`No call ${key} was started.`);
        return { reply: known.reply, ordinal: known.ordinal };
      },
    };
  }

  /** Tools a run called with success, each once, with the arguments of those calls that ran a capability. */
  toolsOf(run: string): { tool: string; args: string }[] {
    return this.#sql
      .exec<{ tool: string; args: string }>(
        "SELECT tool, CASE WHEN tool = 'library.run' THEN args ELSE '' END AS args FROM calls WHERE run = ? AND ordinal IS NOT NULL AND COALESCE(reply ->> '$.ok', 1) = 1 GROUP BY 1, 2 LIMIT 200",
        run,
      )
      .toArray();
  }

  clear(): void {
    this.#sql.exec("DELETE FROM calls");
    this.nested.clear();
    this.#last.clear();
    this.#decisions.forgetArgs();
  }

  /** Calls that were made; those that were refused as they stood are not among them. */
  calls(run: string): number {
    return this.#count(run, `effect NOT IN ('${REFUSED.join("', '")}')`);
  }

  /** Everything that is recorded, refusals too: how far a cell has come. */
  records(run: string): number {
    return this.#count(run, "TRUE");
  }

  /** Whether a call was refused because the budget had no room for it. */
  isOverdrawn(run: string): boolean {
    return this.#count(run, "effect = 'overdrawn'") > 0;
  }

  #count(run: string, condition: string): number {
    return this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM calls WHERE run = ? AND ${condition}`, run).one().n;
  }

  /** True when the cell, or a capability in it, was computing, not waiting for a call, when its runtime went away. */
  wasComputing(run: string, cell: number): boolean {
    return (
      this.#sql
        .exec<{ n: number }>(
          `SELECT COUNT(*) AS n FROM calls WHERE run = ?1 AND ${WITHIN} AND ordinal IS NULL AND NOT ${RUNS_CAPABILITY}`,
          run,
          cell,
        )
        .one().n === 0
    );
  }

  /** What to ask about each call of the cell, and of capabilities in it, that was interrupted and may not simply be made again (J4): as it was made. */
  async interrupted(run: string, within: number): Promise<(Question & { cell: number })[]> {
    const calls = this.#sql
      .exec<{ cell: number; key: string; tool: string; args: string }>(
        `SELECT cell, key, tool, args FROM calls WHERE run = ?1 AND ${WITHIN} AND effect = 'once' AND ordinal IS NULL`,
        run,
        within,
      )
      .toArray();
    return Promise.all(
      calls.map(async ({ cell, key, tool, args }) => ({
        cell,
        key,
        tool,
        about: "interrupted-call" as const,
        args: this.#decisions.edited(run, cell, key) ?? (await this.#texts.load(argsKey(run, cell, key))) ?? args,
      })),
    );
  }

  /** Asks about those that still have no result. */
  askInterrupted(run: string, questions: (Question & { cell: number })[]): void {
    for (const { cell, ...question } of questions)
      if (this.#call(run, cell, question.key)?.ordinal === null) this.#decisions.ask(run, cell, question);
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
    return (
      this.#last.get(`${run}:${cell}`) ??
      this.#sql
        .exec<{ last: number | null }>("SELECT MAX(ordinal) AS last FROM calls WHERE run = ? AND cell = ?", run, cell)
        .one().last ??
      0
    );
  }
}

const argsKey = (run: string, cell: number, key: string): string => `args:${run}:${cell}:${key}`;
