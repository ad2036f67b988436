/**
 * What people are asked about the calls of a session, and what they said.
 *
 * Owns: `decisions`, a row per question, and `trusted`, the tools a person approved for the rest of a run.
 * A row is inserted when a call can't go on (J4, approvals, questions), given its answer once, and used once by the call it
 * was about. An answer never changes, and one that came too late (`expired`) never lets anything run.
 */
import { createHash } from "node:crypto";
import type { PendingDecision } from "../src/contract/goal.ts";
import type { Decision, Question } from "../src/orchestration/decision.ts";

const SHOWN_CHARS = 200_000; // of arguments; longer ones are shown cut, and known by their digest
const SCHEMA = `
CREATE TABLE IF NOT EXISTS decisions (
  run TEXT NOT NULL, id TEXT NOT NULL, cell INTEGER NOT NULL, key TEXT NOT NULL, about TEXT NOT NULL, tool TEXT NOT NULL,
  args TEXT NOT NULL, digest TEXT NOT NULL, options TEXT, asked_at INTEGER NOT NULL, expires_at INTEGER NOT NULL,
  decision TEXT, used INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (run, id)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS trusted (run TEXT NOT NULL, tool TEXT NOT NULL, PRIMARY KEY (run, tool)) WITHOUT ROWID;`;

export interface DecisionRow {
  id: string;
  about: Question["about"];
  tool: string;
  args: string;
  digest: string;
  options: string[] | undefined;
  decision: Decision | undefined;
}
type SqlDecision = {
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
    this.#sql.exec(
      `INSERT INTO decisions (run, id, cell, key, about, tool, args, digest, options, asked_at, expires_at)
       VALUES (?1, 'd' || (SELECT COUNT(*) + 1 FROM decisions WHERE run = ?1), ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)`,
      run,
      cell,
      key,
      about,
      tool,
      args.slice(0, SHOWN_CHARS),
      createHash("sha256").update(args).digest("hex").slice(0, 16),
      options === undefined ? null : JSON.stringify(options),
      now,
      now + this.#ttlMs,
    );
  }

  /** The answer for a call, while it is not used. */
  decided(run: string, cell: number, key: string): Decision | undefined {
    const row = this.#sql
      .exec<{ decision: string }>(
        "SELECT decision FROM decisions WHERE run = ? AND cell = ? AND key = ? AND used = 0 AND decision IS NOT NULL",
        run,
        cell,
        key,
      )
      .toArray()[0];
    return row && (JSON.parse(row.decision) as Decision); // written by `decide` alone
  }

  /** The arguments a person put in place of the call's own, also after the approval was used. */
  edited(run: string, cell: number, key: string): string | undefined {
    const rows = this.#sql
      .exec<{ decision: string }>(
        "SELECT decision FROM decisions WHERE run = ? AND cell = ? AND key = ? AND decision IS NOT NULL",
        run,
        cell,
        key,
      )
      .toArray();
    const decisions = rows.map(({ decision }) => JSON.parse(decision) as Decision);
    return decisions
      .flatMap((decision) => (decision.decision === "approve" && decision.args !== undefined ? [decision.args] : []))
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
        about: row.about as Question["about"],
        tool: row.tool,
        args: row.args,
        digest: row.digest,
        options: row.options === null ? undefined : (JSON.parse(row.options) as string[]),
        decision: row.decision === null ? undefined : (JSON.parse(row.decision) as Decision),
      }
    );
  }

  decide(run: string, id: string, decision: Decision): void {
    this.#sql.exec(
      "UPDATE decisions SET decision = ? WHERE run = ? AND id = ? AND decision IS NULL",
      JSON.stringify(decision),
      run,
      id,
    );
  }

  trust(run: string, tool: string): void {
    this.#sql.exec("INSERT OR IGNORE INTO trusted (run, tool) VALUES (?, ?)", run, tool);
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

  pending(run: string): PendingDecision[] {
    return this.#rows(run, "decision IS NULL").map((row) => ({
      id: row.id,
      ...wordsFor(row.about as Question["about"], row.tool),
      tool: row.tool,
      args: parseArgs(row.args),
      digest: row.digest,
      ...(row.options === null ? {} : { options: JSON.parse(row.options) as string[] }),
      askedAt: new Date(row.asked_at).toISOString(),
      expiresAt: new Date(row.expires_at).toISOString(),
    }));
  }

  #rows(run: string, condition: string, ...args: string[]): SqlDecision[] {
    return this.#sql
      .exec<SqlDecision>(
        `SELECT id, about, tool, args, digest, options, asked_at, expires_at, decision FROM decisions WHERE run = ? AND ${condition}`,
        run,
        ...args,
      )
      .toArray();
  }
}

/** Why a person is asked, and what each answer does. */
function wordsFor(about: Question["about"], tool: string): Pick<PendingDecision, "on" | "why" | "choices"> {
  switch (about) {
    case "interrupted-call":
      return {
        on: about,
        why: `${tool} was called when the runtime stopped. It may have happened or not, and doing it twice could do harm.`,
        choices: { approve: "the call is made again", reject: "the cell is told that the call failed" },
      };
    case "approval":
      return {
        on: about,
        why: `${tool} acts on the world, and nobody has agreed to it yet.`,
        choices: {
          approve: "the call is made, with these arguments or with those you send",
          reject: "the cell is told that the call was rejected, and nothing is done",
        },
      };
    case "question":
      return {
        on: about,
        why: "The run asks a person.",
        choices: { answer: "the cell goes on with your answer", reject: "the cell is told that nobody answers" },
      };
  }
}

function parseArgs(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return text; // cut short because it was long
  }
}
