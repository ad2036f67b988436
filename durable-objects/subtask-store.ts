/**
 * The subtasks of a session's runs, and the agents that try them.
 *
 * Owns: `subtasks`, one row for each `subtask://`, and `agents`, one for each attempt, in the order they were asked for. Data,
 * answers and what was left of a failure are texts under `data:`, `answer:` and `partial:` keys.
 * A row that has ended never changes again.
 */
import type { AgentDefinition, AgentTask } from "../src/contract/agent.ts";
import type { Failure } from "../src/contract/failure.ts";
import { isEnded, type PendingDecision, type RunStatus, type Usage } from "../src/contract/goal.ts";
import type { Tier } from "../src/contract/model.ts";
import type { Attempt } from "../src/orchestration/attempt.ts";
import type { LlmRequest } from "../tool-bindings/llm.ts";

/** What is to be done, as it was understood when it came in. */
export type SubtaskOrder =
  | {
      kind: "agent";
      definition: AgentDefinition;
      fallback?: AgentDefinition;
      attempts: Pick<AgentTask, "retry" | "timeout" | "quorum">;
      /** 1 when the coordinator's own code asked; one more for each agent that asked for help. */
      depth: number;
    }
  | { kind: "llm"; request: LlmRequest };

export interface SubtaskRow {
  id: string;
  run: string;
  agent: string;
  task: string;
  order: SubtaskOrder;
  detached: boolean;
  /** The agent that asked for help, if one did: it ends with it. */
  asker: string | undefined;
  status: RunStatus;
  failure: Failure | undefined;
  /** The agent whose answer counts; for a failure, the one that had something. */
  winner: string | undefined;
  createdAt: number;
  startedAt: number | undefined;
  endedAt: number | undefined;
}

export interface AgentRow {
  id: string;
  subtask: string;
  run: string;
  attempt: number;
  by: Attempt["by"];
  /** Another agent waits for it. */
  helps: boolean;
  name: string;
  tier: Tier;
  reason: string;
  model: string | undefined;
  status: RunStatus;
  progress: string | undefined;
  usage: Usage;
  pending: PendingDecision[];
  failure: Failure | undefined;
  /** Digest of its answer. */
  answer: string | undefined;
  startedAt: number | undefined;
  endedAt: number | undefined;
  heardAt: number | undefined;
}

export const NO_USAGE: Usage = {
  input: 0,
  output: 0,
  cacheRead: 0,
  cacheWrite: 0,
  modelCalls: 0,
  costUsd: 0,
  turns: 0,
  cells: 0,
  calls: 0,
  agents: 0,
};

const SCHEMA = `
CREATE TABLE IF NOT EXISTS subtasks (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, run TEXT NOT NULL, agent TEXT NOT NULL, task TEXT NOT NULL, orders TEXT NOT NULL,
  detached INTEGER NOT NULL, asker TEXT, status TEXT NOT NULL, failure TEXT, winner TEXT, created_at INTEGER NOT NULL, started_at INTEGER, ended_at INTEGER
);
CREATE INDEX IF NOT EXISTS open_subtasks ON subtasks (run) WHERE ended_at IS NULL;
CREATE INDEX IF NOT EXISTS asked_subtasks ON subtasks (asker) WHERE asker IS NOT NULL;
CREATE TABLE IF NOT EXISTS agents (
  position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE, subtask TEXT NOT NULL, run TEXT NOT NULL, attempt INTEGER NOT NULL, made_by TEXT NOT NULL, helps INTEGER NOT NULL DEFAULT 0,
  name TEXT NOT NULL, tier TEXT NOT NULL, reason TEXT NOT NULL, model TEXT, status TEXT NOT NULL, progress TEXT, usage TEXT NOT NULL,
  calls INTEGER NOT NULL DEFAULT 0, pending TEXT NOT NULL DEFAULT '[]', failure TEXT, answer TEXT, started_at INTEGER, ended_at INTEGER, heard_at INTEGER
);
CREATE INDEX IF NOT EXISTS agents_of ON agents (subtask);
CREATE INDEX IF NOT EXISTS agents_run ON agents (run, calls);
CREATE INDEX IF NOT EXISTS open_agents ON agents (status) WHERE ended_at IS NULL;`;

type Sql = Record<string, SqlStorageValue>;

export class SubtaskStore {
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  insert(row: Pick<SubtaskRow, "id" | "run" | "agent" | "task" | "order" | "detached" | "asker" | "createdAt">): void {
    this.#sql.exec(
      "INSERT INTO subtasks (id, run, agent, task, orders, detached, asker, status, created_at) VALUES (?, ?, ?, ?, ?, ?, ?, 'queued', ?)",
      row.id,
      row.run,
      row.agent,
      row.task,
      JSON.stringify(row.order),
      row.detached ? 1 : 0,
      row.asker ?? null,
      row.createdAt,
    );
  }

  find(id: string): SubtaskRow | undefined {
    return this.#subtasks("id = ?", id)[0];
  }

  /** Those of a run that have not ended; of all runs when none is named. */
  open(run?: string): SubtaskRow[] {
    return run === undefined ? this.#subtasks("ended_at IS NULL") : this.#subtasks("ended_at IS NULL AND run = ?", run);
  }

  /** Open ones whose run has ended and that were not detached. */
  orphans(): SubtaskRow[] {
    return this.#subtasks(
      "ended_at IS NULL AND detached = 0 AND EXISTS (SELECT 1 FROM runs WHERE runs.id = subtasks.run AND runs.ended_at IS NOT NULL)",
    );
  }

  /** Open ones that an agent asked for. */
  askedBy(agent: string): SubtaskRow[] {
    return this.#subtasks("asker = ? AND ended_at IS NULL", agent);
  }

  hasOpen(): boolean {
    return this.#sql.exec("SELECT 1 FROM subtasks WHERE ended_at IS NULL LIMIT 1").toArray().length > 0;
  }

  setSubtask(id: string, change: { status: RunStatus; at: number; failure?: Failure; winner?: string }): void {
    this.#sql.exec(
      `UPDATE subtasks SET status = ?1, failure = ?2, winner = ?3, started_at = COALESCE(started_at, CASE WHEN ?1 = 'running' THEN ?4 END),
         ended_at = CASE WHEN ?5 THEN ?4 END WHERE id = ?6 AND ended_at IS NULL`,
      change.status,
      change.failure === undefined ? null : JSON.stringify(change.failure),
      change.winner ?? null,
      change.at,
      isEnded(change.status) ? 1 : 0,
      id,
    );
  }

  addAgent(
    row: Pick<AgentRow, "id" | "subtask" | "run" | "attempt" | "by" | "helps" | "name" | "tier" | "reason" | "model">,
  ): void {
    this.#sql.exec(
      `INSERT INTO agents (id, subtask, run, attempt, made_by, helps, name, tier, reason, model, status, usage)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 'queued', ?) ON CONFLICT DO NOTHING`,
      row.id,
      row.subtask,
      row.run,
      row.attempt,
      row.by,
      row.helps ? 1 : 0,
      row.name,
      row.tier,
      row.reason,
      row.model ?? null,
      JSON.stringify(NO_USAGE),
    );
  }

  agent(id: string): AgentRow | undefined {
    return this.#agents("id = ?", id)[0];
  }

  agentsOf(subtask: string): AgentRow[] {
    return this.#agents("subtask = ?", subtask);
  }

  /** Agents of a run in the order they were asked for. */
  agentsPage(run: string, page: { after: number; limit: number }): (AgentRow & { position: number })[] {
    return this.#sql
      .exec<Sql>(
        "SELECT * FROM agents WHERE run = ? AND position > ? ORDER BY position LIMIT ?",
        run,
        page.after,
        page.limit,
      )
      .toArray()
      .map((row) => ({ ...toAgent(row), position: row["position"] as number }));
  }

  /** Started and not ended. */
  active(): AgentRow[] {
    return this.#agents("ended_at IS NULL AND status IN ('running', 'waiting')");
  }

  countActive(run: string): number {
    return this.#count("ended_at IS NULL AND status IN ('running', 'waiting') AND run = ?", run);
  }

  /** Not ended, and not waiting for a person either. */
  countBusy(run: string): number {
    return this.#count("ended_at IS NULL AND status IN ('running', 'queued') AND run = ?", run);
  }

  /** Those that help others come first: somebody who is under way waits for them. */
  nextQueued(run: string): AgentRow | undefined {
    return this.#agents(
      "ended_at IS NULL AND status = 'queued' AND run = ? ORDER BY helps DESC, position LIMIT 1",
      run,
    )[0];
  }

  /** Of one name in one run, the newest end first. */
  ended(run: string, name: string, limit: number): AgentRow[] {
    return this.#agents(
      "run = ? AND name = ? AND ended_at IS NOT NULL ORDER BY ended_at DESC LIMIT ?",
      run,
      name,
      limit,
    );
  }

  setAgent(id: string, change: AgentChange, at: number): void {
    this.#sql.exec(
      `UPDATE agents SET status = ?1, failure = ?2, answer = ?3, pending = ?4, heard_at = ?5,
         started_at = COALESCE(started_at, CASE WHEN ?1 <> 'queued' THEN ?5 END), ended_at = CASE WHEN ?6 THEN ?5 END
       WHERE id = ?7 AND ended_at IS NULL`,
      change.status,
      change.failure === undefined ? null : JSON.stringify(change.failure),
      change.answer ?? null,
      JSON.stringify(change.pending ?? []),
      at,
      isEnded(change.status) ? 1 : 0,
      id,
    );
  }

  noteUsage(id: string, note: { usage: Usage; progress?: string; model?: string }, at: number): void {
    this.#sql.exec(
      "UPDATE agents SET usage = ?, calls = ?, progress = COALESCE(?, progress), model = COALESCE(?, model), heard_at = ? WHERE id = ?",
      JSON.stringify(note.usage),
      note.usage.calls,
      note.progress ?? null,
      note.model ?? null,
      at,
      id,
    );
  }

  totals(run: string): { agents: number; calls: number } {
    return this.#sql
      .exec<{ agents: number; calls: number }>(
        "SELECT COUNT(*) AS agents, COALESCE(SUM(calls), 0) AS calls FROM agents WHERE run = ?",
        run,
      )
      .one();
  }

  byStatus(run: string): Partial<Record<RunStatus, number>> {
    const rows = this.#sql
      .exec<{ status: RunStatus; n: number }>(
        "SELECT status, COUNT(*) AS n FROM agents WHERE run = ? GROUP BY status",
        run,
      )
      .toArray();
    return Object.fromEntries(rows.map(({ status, n }) => [status, n]));
  }

  #count(condition: string, ...args: string[]): number {
    return this.#sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM agents WHERE ${condition}`, ...args).one().n;
  }

  #subtasks(condition: string, ...args: string[]): SubtaskRow[] {
    return this.#sql
      .exec<Sql>(`SELECT * FROM subtasks WHERE ${condition}`, ...args)
      .toArray()
      .map(toSubtask);
  }

  #agents(condition: string, ...args: (string | number)[]): AgentRow[] {
    return this.#sql
      .exec<Sql>(`SELECT * FROM agents WHERE ${condition}`, ...args)
      .toArray()
      .map(toAgent);
  }
}

export interface AgentChange {
  status: RunStatus;
  failure?: Failure | undefined;
  answer?: string | undefined;
  pending?: PendingDecision[] | undefined;
}

// The columns are as the statements above wrote them.
const json = <T>(value: SqlStorageValue | undefined): T | undefined =>
  value === null || value === undefined ? undefined : (JSON.parse(value as string) as T);
const number = (value: SqlStorageValue | undefined): number | undefined => (value as number | null) ?? undefined;
const text = (value: SqlStorageValue | undefined): string | undefined => (value as string | null) ?? undefined;

const toSubtask = (row: Sql): SubtaskRow => ({
  id: row["id"] as string,
  run: row["run"] as string,
  agent: row["agent"] as string,
  task: row["task"] as string,
  order: json<SubtaskOrder>(row["orders"])!,
  detached: row["detached"] === 1,
  asker: text(row["asker"]),
  status: row["status"] as RunStatus,
  failure: json<Failure>(row["failure"]),
  winner: text(row["winner"]),
  createdAt: row["created_at"] as number,
  startedAt: number(row["started_at"]),
  endedAt: number(row["ended_at"]),
});

const toAgent = (row: Sql): AgentRow => ({
  id: row["id"] as string,
  subtask: row["subtask"] as string,
  run: row["run"] as string,
  attempt: row["attempt"] as number,
  by: row["made_by"] as Attempt["by"],
  helps: row["helps"] === 1,
  name: row["name"] as string,
  tier: row["tier"] as Tier,
  reason: row["reason"] as string,
  model: text(row["model"]),
  status: row["status"] as RunStatus,
  progress: text(row["progress"]),
  usage: json<Usage>(row["usage"])!,
  pending: json<PendingDecision[]>(row["pending"])!,
  failure: json<Failure>(row["failure"]),
  answer: text(row["answer"]),
  startedAt: number(row["started_at"]),
  endedAt: number(row["ended_at"]),
  heardAt: number(row["heard_at"]),
});
