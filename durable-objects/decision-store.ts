/**
 * What people are asked about the calls of a session, and what they said.
 *
 * Owns: `decisions`, a row per question; `decision_parts`, what of their texts does not fit a row; and `trusted`, the tools a
 * person approved for the rest of a run.
 * A row is inserted when a call can't go on (J4, approvals, questions), given its answer once, and used once by the call it
 * was about. An answer never changes, and one that came too late (`expired`) never lets anything run.
 */
import { createHash } from "node:crypto";
import type { PendingDecision } from "../src/contract/goal.ts";
import type { About, Decision, Question } from "../src/orchestration/decision.ts";
import { prepareRows } from "./text-store.ts";

const MAX_LIST_CHARS = 12 * 1024 * 1024; // of arguments in one list: one call has at most 8 Mi, and a message holds 32 MiB
const SCHEMA = `
CREATE TABLE IF NOT EXISTS decisions (
  run TEXT NOT NULL, id TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, about TEXT NOT NULL, tool TEXT NOT NULL,
  args TEXT NOT NULL, digest TEXT NOT NULL, options TEXT, asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  decision TEXT, used INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS decision_parts (
  run TEXT NOT NULL, id TEXT NOT NULL, of TEXT NOT NULL, part INTEGER NOT NULL, text TEXT NOT NULL, PRIMARY KEY (run, id, of, part)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trusted (run TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (run, tool)) WITHOUT ROWID;`;

export interface DecisionRow {
  id: string;
  about: About;
  tool: string;
  digest: string;
  options: string[] | undefined;
  expiresAt: number;
  decision: Decision | undefined;
}
/** `args` and `decision` begin here; what is longer than a row goes on in `decision_parts`. */
type SqlDecision = {
  run: string;
  id: string;
  about: string;
  tool: string;
  args: string;
  digest: string;
  options: string | null;
  asked_at: number;
  expires_at: number;
  decision: string | null;
};

export class DecisionStore {
  readonly #sql: SqlStorage;
  readonly #ttlMs: number;

  constructor(storage: DurableObjectStorage, ttlMs: number) {
    this.#sql = storage.sql;
    this.#ttlMs = ttlMs;
    this.#sql.exec(SCHEMA);
  }

  /** Idempotent: a call has one open question however often its cell is replayed. */
  ask(run: string, cell: number, question: Question): void {
    const open = this.#sql
      .exec("SELECT 1 FROM decisions WHERE run = ? AND cell = ? AND key = ? AND used = 0", run, cell, question.key)
      .toArray();
    if (open.length > 0) return;
    const { key, about, tool, args, options } = question;
    const now = Date.now();
    const count = this.#sql.exec<{ n: number }>("SELECT COUNT(*) AS n FROM decisions WHERE run = ?", run).one().n;
    const id = `d${count + 1}`;
    this.#sql.exec(
      `INSERT INTO decisions (run, id, cell, key, about, tool, args, digest, options, asked_at, expires_at)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
      run,
      id,
      cell,
      key,
      about,
      tool,
      this.#keep({ run, id, of: "args" }, args),
      createHash("sha256").update(args).digest("hex").slice(0, 16),
      options === undefined ? null : JSON.stringify(options),
      now,
      now + this.#ttlMs,
    );
  }

  /** The answer for a call, while it is not used. */
  decided(run: string, cell: number, key: string): Decision | undefined {
    const row = this.#rows(run, "cell = ? AND key = ? AND used = 0 AND decision IS NOT NULL", cell, key)[0];
    return row && this.#decisionOf(row);
  }

  /** The arguments a person put in place of the call's own, also after the approval was used. */
  edited(run: string, cell: number, key: string): string | undefined {
    return this.#rows(run, "cell = ? AND key = ? AND decision IS NOT NULL", cell, key)
      .map((row) => this.#decisionOf(row))
      .flatMap((decision) => (decision?.decision === "approve" && decision.args !== undefined ? [decision.args] : []))
      .at(-1);
  }

  use(run: string, cell: number, key: string): void {
    this.#sql.exec("UPDATE decisions SET used = 1 WHERE run = ? AND cell = ? AND key = ?", run, cell, key);
  }

  find(run: string, id: string): DecisionRow | undefined {
    const row = this.#rows(run, "id = ?", id)[0];
    return (
      row && {
        id: row.id,
        about: row.about as About,
        tool: row.tool,
        digest: row.digest,
        options: row.options === null ? undefined : (JSON.parse(row.options) as string[]),
        expiresAt: row.expires_at,
        decision: this.#decisionOf(row),
      }
    );
  }

  decide(run: string, id: string, decision: Decision): void {
    this.#sql.exec(
      "UPDATE decisions SET decision = ? WHERE run = ? AND id = ? AND decision IS NULL",
      this.#keep({ run, id, of: "decision" }, JSON.stringify(decision)),
      run,
      id,
    );
  }

  /** Calls of the tool are approved for the rest of the run, those that are being asked about too. */
  trust(run: string, tool: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO trusted (run, tool) VALUES (?, ?)", run, tool);
    const approved: Decision = { decision: "approve" };
    this.#sql.exec(
      "UPDATE decisions SET decision = ? WHERE run = ? AND tool = ? AND about = 'approval' AND decision IS NULL AND expires_at > ?",
      JSON.stringify(approved),
      run,
      tool,
      Date.now(),
    );
  }

  isTrusted(run: string, tool: string): boolean {
    return this.#sql.exec("SELECT 1 FROM trusted WHERE run = ? AND tool = ?", run, tool).toArray().length > 0;
  }

  /** Answers for those who did not: what is due is refused. True when something was. */
  expire(run: string, now: number): boolean {
    const expired: Decision = { decision: "expired" };
    return (
      this.#sql.exec(
        "UPDATE decisions SET decision = ? WHERE run = ? AND decision IS NULL AND expires_at <= ?",
        JSON.stringify(expired),
        run,
        now,
      ).rowsWritten > 0
    );
  }

  nextExpiry(run: string): number | undefined {
    return (
      this.#sql
        .exec<{ at: number | null }>(
          "SELECT MIN(expires_at) AS at FROM decisions WHERE run = ? AND decision IS NULL",
          run,
        )
        .one().at ?? undefined
    );
  }

  /** The tools a person approved for the rest of the run. */
  trusted(run: string): string[] {
    return this.#sql
      .exec<{ tool: string }>("SELECT tool FROM trusted WHERE run = ?", run)
      .toArray()
      .map(({ tool }) => tool);
  }

  /** In full. Where that were more than a message holds, the last ones have a mark in place of arguments until others are answered. */
  pending(run: string, maxChars = MAX_LIST_CHARS): PendingDecision[] {
    let room = maxChars;
    return this.#rows(run, "decision IS NULL").map((row) => {
      const args = this.#whole({ ...row, of: "args" }, row.args);
      room -= args.length;
      return {
        id: row.id,
        ...wordsFor(row.about as About, row.tool),
        tool: row.tool,
        args: room < 0 ? `${args.length} characters: more than can be shown here` : parseArgs(args),
        digest: row.digest,
        ...(row.options === null ? {} : { options: JSON.parse(row.options) as string[] }),
        askedAt: new Date(row.asked_at).toISOString(),
        expiresAt: new Date(row.expires_at).toISOString(),
      };
    });
  }

  /** The ids of open questions, and the tools they are about. */
  open(run: string): { id: string; tool: string }[] {
    return this.#sql
      .exec<{ id: string; tool: string }>("SELECT id, tool FROM decisions WHERE run = ? AND decision IS NULL", run)
      .toArray();
  }

  /** What was asked about is forgotten; that it was asked, and what was said, is not. */
  forgetArgs(): void {
    this.#sql.exec("UPDATE decisions SET args = ''");
    this.#sql.exec("DELETE FROM decision_parts");
  }

  #rows(run: string, condition: string, ...args: (string | number)[]): SqlDecision[] {
    return this.#sql
      .exec<SqlDecision>(
        `SELECT run, id, about, tool, args, digest, options, asked_at, expires_at, decision FROM decisions
         WHERE run = ? AND ${condition} ORDER BY CAST(substr(id, 2) AS INTEGER)`,
        run,
        ...args,
      )
      .toArray();
  }

  #decisionOf(row: SqlDecision): Decision | undefined {
    if (row.decision === null) return undefined;
    return JSON.parse(this.#whole({ ...row, of: "decision" }, row.decision)) as Decision; // written by `decide` alone
  }

  /** Keeps what does not fit the row, and answers what does. */
  #keep({ run, id, of }: Place, text: string): string {
    const [first = "", ...rest] = prepareRows(text).rows;
    rest.forEach((part, index) =>
      this.#sql.exec("INSERT OR REPLACE INTO decision_parts VALUES (?, ?, ?, ?, ?)", run, id, of, index, part),
    );
    return first;
  }

  #whole({ run, id, of }: Place, first: string): string {
    const rest = this.#sql
      .exec<{ text: string }>(
        "SELECT text FROM decision_parts WHERE run = ? AND id = ? AND of = ? ORDER BY part",
        run,
        id,
        of,
      )
      .toArray();
    return first + rest.map(({ text }) => text).join("");
  }
}

interface Place {
  run: string;
  id: string;
  of: "args" | "decision";
}

/** Why a person is asked, and what each answer does. */
function wordsFor(about: About, tool: string): Pick<PendingDecision, "on" | "why" | "choices"> {
  switch (about) {
    case "interrupted-call":
      return {
        on: about,
        why: `${tool} was called when the runtime stopped. It may have happened or not, and doing it twice could do harm.`,
        choices: {
          approve: "the call is made again, with these arguments",
          reject: "the cell is told that the call failed",
          expire: "without an answer by expiresAt it counts as rejected",
        },
      };
    case "approval":
    case "always":
      return {
        on: "approval",
        why: `${tool} acts on the world, and ${about === "always" ? "each of its calls needs your word" : "nobody has agreed to it yet"}.`,
        choices: {
          approve: "the call is made, with these arguments or with those you send as args",
          ...(about === "always"
            ? {}
            : {
                remember: `with remember: "run" beside approve, all calls of ${tool} are made for the rest of the run, those asked about now too`,
              }),
          reject: "the cell is told that the call was rejected, and nothing is done",
          expire: "without an answer by expiresAt nothing is done, and the cell is told so",
        },
      };
    case "question":
      return {
        on: about,
        why: "The run asks a person.",
        choices: {
          answer: "the cell goes on with your answer",
          reject: "the cell is told that nobody answers",
          expire: "without an answer by expiresAt the cell is told that nobody answered",
        },
      };
  }
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // of a call that was no JSON
  }
}
