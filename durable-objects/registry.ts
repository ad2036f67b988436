/**
 * What a tenant has: its runs, by time, the idempotency keys they came with, and what they spent.
 *
 * Owns: `runs` (a copy of what the coordinators report: good for lists, never the truth about a run), `keys`, and `agents`, the
 * tenant's own agent definitions; usage through `UsageStore`.
 * A key is remembered before its run exists (E2) and forgotten after `KEY_TTL_MS`.
 */
import { DurableObject } from "cloudflare:workers";
import { AGENT_LIMITS, type AgentDefinition } from "../src/contract/agent.ts";
import type { RegistryApi } from "../src/contract/coordinator.ts";
import { fail, ok, type Result } from "../src/contract/failure.ts";
import type { RunStatus, RunSummary } from "../src/contract/goal.ts";
import type { Spent, UsageQuery, UsageReport } from "../src/contract/usage.ts";
import type { Env } from "./env.ts";
import { schemaProblem } from "./result.ts";
import { UsageStore } from "./usage-store.ts";

const KEY_TTL_MS = 24 * 3_600_000; // a client that retries a day later has forgotten too
const GOAL_CHARS = 500; // a list shows the beginning; the run has the rest
const SCHEMA = `
CREATE TABLE IF NOT EXISTS runs (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, session TEXT NOT NULL, goal TEXT NOT NULL,
  status TEXT NOT NULL, created_at TEXT NOT NULL, ended_at TEXT
);
CREATE TABLE IF NOT EXISTS keys (key TEXT PRIMARY KEY, body_hash TEXT NOT NULL, run TEXT NOT NULL, at INTEGER NOT NULL);
CREATE TABLE IF NOT EXISTS agents (name TEXT PRIMARY KEY, definition TEXT NOT NULL) WITHOUT ROWID;`;

type SqlRun = {
  position: number;
  id: string;
  session: string;
  goal: string;
  status: string;
  created_at: string;
  ended_at: string | null;
};

export class Registry extends DurableObject<Env> implements RegistryApi {
  readonly #sql: SqlStorage;
  readonly #usage: UsageStore;

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    this.#sql = ctx.storage.sql;
    this.#sql.exec(SCHEMA);
    this.#usage = new UsageStore(ctx.storage);
  }

  async admit({
    run,
    idempotency,
  }: Parameters<RegistryApi["admit"]>[0]): Promise<Result<{ id: string; isNew: boolean }>> {
    return this.ctx.storage.transactionSync((): Result<{ id: string; isNew: boolean }> => {
      if (idempotency !== undefined) {
        this.#sql.exec("DELETE FROM keys WHERE at < ?", Date.now() - KEY_TTL_MS);
        const known = this.#sql
          .exec<{ body_hash: string; run: string }>("SELECT body_hash, run FROM keys WHERE key = ?", idempotency.key)
          .toArray()[0];
        if (known !== undefined)
          return known.body_hash === idempotency.bodyHash
            ? ok({ id: known.run, isNew: false })
            : fail({ kind: "idempotency-conflict", key: idempotency.key, run: known.run });
        this.#sql.exec(
          "INSERT INTO keys (key, body_hash, run, at) VALUES (?, ?, ?, ?)",
          idempotency.key,
          idempotency.bodyHash,
          run.id,
          Date.now(),
        );
      }
      this.#sql.exec(
        "INSERT INTO runs (id, session, goal, status, created_at) VALUES (?, ?, ?, ?, ?)",
        run.id,
        run.session,
        run.goal.slice(0, GOAL_CHARS),
        run.status,
        run.createdAt,
      );
      return ok({ id: run.id, isNew: true });
    });
  }

  /** What a coordinator says of one of its runs. The last word counts, and nothing comes after its end. */
  async note(run: { id: string; status: RunStatus; endedAt?: string; spent: Record<string, Spent> }): Promise<void> {
    this.#sql.exec(
      "UPDATE runs SET status = ?, ended_at = ? WHERE id = ? AND ended_at IS NULL",
      run.status,
      run.endedAt ?? null,
      run.id,
    );
    this.#usage.note(run.id, new Date().toISOString().slice(0, 10), run.spent);
  }

  /** What a run saved by capabilities it used. */
  async noteSaved(run: string, tokens: number): Promise<void> {
    this.#usage.noteSaved(run, new Date().toISOString().slice(0, 10), tokens);
  }

  async usage(query: UsageQuery): Promise<UsageReport> {
    return this.#usage.report(query);
  }

  async agents(): Promise<AgentDefinition[]> {
    return this.#sql
      .exec<{ definition: string }>("SELECT definition FROM agents ORDER BY name")
      .toArray()
      .map(({ definition }) => JSON.parse(definition) as AgentDefinition);
  }

  async defineAgent(definition: AgentDefinition): Promise<Result<AgentDefinition>> {
    const problem = definition.output === undefined ? undefined : schemaProblem(definition.output);
    if (problem !== undefined) return fail({ kind: "bad-input", field: "output", problem });
    const others = this.#sql
      .exec<{ n: number }>("SELECT COUNT(*) AS n FROM agents WHERE name <> ?", definition.name)
      .one().n;
    if (others >= AGENT_LIMITS.definitions) return fail({ kind: "too-many-agents", limit: AGENT_LIMITS.definitions });
    this.#sql.exec("INSERT OR REPLACE INTO agents VALUES (?, ?)", definition.name, JSON.stringify(definition));
    return ok(definition);
  }

  async deleteAgent(name: string): Promise<Result<undefined>> {
    const { rowsWritten } = this.#sql.exec("DELETE FROM agents WHERE name = ?", name);
    if (rowsWritten > 0) return ok(undefined);
    return fail({ kind: "unknown-agent", name, known: (await this.agents()).map((definition) => definition.name) });
  }

  async list({
    cursor,
    limit,
    status,
  }: Parameters<RegistryApi["list"]>[0]): Promise<{ items: RunSummary[]; cursor?: string }> {
    const before = cursor !== undefined && /^\d{1,15}$/.test(cursor) ? Number(cursor) : Number.MAX_SAFE_INTEGER;
    const rows = this.#sql
      .exec<SqlRun>(
        "SELECT * FROM runs WHERE position < ?1 AND (?2 IS NULL OR status = ?2) ORDER BY position DESC LIMIT ?3",
        before,
        status ?? null,
        limit + 1,
      )
      .toArray();
    const items = rows.slice(0, limit);
    const last = items.at(-1);
    return {
      items: items.map(toSummary),
      ...(rows.length > limit && last !== undefined ? { cursor: String(last.position) } : {}),
    };
  }
}

const toSummary = (row: SqlRun): RunSummary => ({
  id: row.id,
  session: row.session,
  goal: row.goal,
  status: row.status as RunStatus,
  createdAt: row.created_at,
  ...(row.ended_at === null ? {} : { endedAt: row.ended_at }),
});
