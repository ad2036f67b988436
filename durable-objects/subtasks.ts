/**
 * The agents below a coordinator: opens subtasks, starts as many agents as may run at once, hears what they say, and ends
 * what nobody wants any more. What is to be done next about a subtask is decided by `afterAttempts`.
 *
 * Owns: the rows of `SubtaskStore` and their texts. In memory are only why agents are being stopped, and through
 * `AgentContact` whom this life has reached: a new life reaches all that is open once more, and everything it calls may be called again.
 */
import { createHash } from "node:crypto";
import { describeFailure } from "../src/contract/describe.ts";
import type { RunEvent } from "../src/contract/event.ts";
import type { Failure, Result } from "../src/contract/failure.ts";
import { isEnded } from "../src/contract/goal.ts";
import type { AgentReport, CheckIn } from "../src/contract/sub-agent.ts";
import { afterAttempts, type Attempt } from "../src/orchestration/attempt.ts";
import { spentLimit } from "../src/orchestration/budget.ts";
import { CIRCUIT_FAILURES, openCircuit } from "../src/orchestration/circuit.ts";
import { canonical } from "../src/orchestration/journal.ts";
import { chooseTier } from "../src/orchestration/tier.ts";
import type { LlmRequest } from "../tool-bindings/llm.ts";
import { AgentContact, type ContactHost } from "./agent-contact.ts";
import { attemptsOf, budgetOf, definitionOf } from "./agent-order.ts";
import type { Feed } from "./feed.ts";
import { Questions } from "./questions.ts";
import type { AgentRow, SubtaskOrder, SubtaskRow } from "./subtask-store.ts";
import { stateOf } from "./usage.ts";

/** Agents of one run that are under way at once; the others wait their turn. */
export const MAX_AT_ONCE = 24;
const LAST_WORD_MS = 1_000; // for an agent that is stopped to say what it had
const SILENT_MS = 15_000; // an agent that was not heard of for so long is woken: its runtime may have gone
const GRACE_MS = 5_000; // an agent ends itself at its time; this much later it is ended

export interface SubtasksHost extends ContactHost {
  feed: Feed;
  ask: (run: string, request: LlmRequest, signal: AbortSignal) => Promise<Result<unknown>>;
  /** Something happened in a run: an event of it. */
  record: (run: string, event: RunEvent) => void;
  /** Agents of a run that wait for people, and nothing else goes on in it; or that go on again. */
  halted: (run: string) => void;
  resumed: (run: string) => void;
}

export interface NewSubtask {
  id: string;
  run: string;
  task: string;
  data?: unknown;
  order: SubtaskOrder;
  detached: boolean;
  asker?: string;
}

export class Subtasks {
  readonly #host: SubtasksHost;
  readonly #questions: Questions;
  readonly #contact: AgentContact;
  /** Why agents are being stopped that have not said their last word. */
  readonly #endings = new Map<string, Failure>();
  #isPumping = false;

  constructor(host: SubtasksHost) {
    this.#host = host;
    this.#contact = new AgentContact(host);
    this.#questions = new Questions({ ...host, finish: (row, end) => this.#finish(row, end) });
  }

  /** Idempotent per id. Answers why it may not be, if so (G4). */
  async open(subtask: NewSubtask): Promise<Failure | undefined> {
    const { stores } = this.#host;
    const { id, run, task, order, detached, asker } = subtask;
    if (stores.subtasks.find(id) !== undefined) return undefined;
    const spent = order.kind === "llm" ? undefined : spentLimit(stateOf(stores, run), "agent");
    if (spent !== undefined) return spent;
    const data = subtask.data === undefined ? undefined : await stores.texts.prepare(JSON.stringify(subtask.data));
    const agent = order.kind === "llm" ? "llm" : order.definition.name;
    stores.storage.transactionSync(() => {
      if (stores.subtasks.find(id) !== undefined) return;
      stores.subtasks.insert({ id, run, agent, task, order, detached, asker, createdAt: Date.now() });
      if (data !== undefined) stores.texts.write(`data:${id}`, data);
      if (order.kind === "agent") this.#next(id);
    });
    if (order.kind === "llm") this.#questions.ask(id);
    else this.#pump(run);
    return undefined;
  }

  /** Resolves with the row once it has ended. Rejects with the signal's reason. */
  async ended(id: string, signal: AbortSignal): Promise<SubtaskRow> {
    for (;;) {
      const row = this.#host.stores.subtasks.find(id);
      if (row === undefined) throw new Error(`There is no subtask ${id}.`);
      if (row.endedAt !== undefined) return row;
      signal.throwIfAborted();
      await Promise.race([this.#host.feed.wait(id, 5_000), abortOf(signal)]);
    }
  }

  /** JSON text of what came of it: its result, or what was left when it failed. */
  async outcome(row: SubtaskRow): Promise<{ result?: string; partial?: string }> {
    const { texts } = this.#host.stores;
    const load = (key: string): Promise<string | undefined> =>
      row.winner === undefined ? Promise.resolve(undefined) : texts.load(`${key}:${row.winner}`);
    const [result, partial] =
      row.status === "succeeded" ? [await load("answer"), undefined] : [undefined, await load("partial")];
    return { ...(result === undefined ? {} : { result }), ...(partial === undefined ? {} : { partial }) };
  }

  /** G4: an agent is about to spend. */
  checkIn(id: string, note: CheckIn): Failure | undefined {
    const { stores } = this.#host;
    const row = stores.subtasks.agent(id);
    if (row === undefined || row.endedAt !== undefined) return { kind: "cancelled" };
    this.#spend(row, note);
    const subtask = stores.subtasks.find(row.subtask)!;
    const isOver = isEnded(stores.runs.find(row.run)?.status ?? "cancelled");
    if (isOver && !subtask.detached) return { kind: "cancelled" };
    // Its own turns are its own limit, and a detached one has the time that was left when it began.
    const state = stateOf(stores, row.run);
    return spentLimit(isOver ? { ...state, elapsedMs: 0 } : state, "llm");
  }

  async note(id: string, report: AgentReport): Promise<void> {
    const row = this.#host.stores.subtasks.agent(id);
    if (row === undefined) return;
    if (row.endedAt !== undefined) return this.#spend(row, report); // what it spent before it heard of its end counts
    const failure = this.#endings.get(id);
    if (isEnded(report.status))
      return this.#end(row, failure ? { ...report, status: statusFor(failure), failure } : report);
    const { stores } = this.#host;
    stores.storage.transactionSync(() => {
      this.#spend(row, report);
      stores.subtasks.setAgent(id, { status: report.status, pending: report.pending }, Date.now());
    });
    if (report.status === "waiting") {
      const tools = [...new Set(report.pending.map(({ tool }) => tool))].join(", ");
      this.#host.record(row.run, { type: "agent-waiting", agent: id, name: row.name, on: `a decision about ${tools}` });
      if (stores.subtasks.countBusy(row.run) === 0) this.#host.halted(row.run);
    } else if (row.status === "waiting") this.#host.resumed(row.run);
  }

  /** Ends a subtask and its agents; one that has ended stays as it is. */
  async cancel(id: string): Promise<void> {
    const { stores } = this.#host;
    const row = stores.subtasks.find(id);
    if (row === undefined || row.endedAt !== undefined) return;
    const agents = stores.subtasks.agentsOf(id).filter(({ endedAt }) => endedAt === undefined);
    const running = agents.filter(({ status }) => status !== "queued");
    for (const agent of running) this.#endings.set(agent.id, { kind: "cancelled" });
    await Promise.race([
      Promise.all(running.map((agent) => this.#contact.stop(agent.id))),
      new Promise((resolve) => setTimeout(resolve, LAST_WORD_MS)),
    ]);
    for (const agent of running) this.#endings.delete(agent.id);
    if (stores.subtasks.find(id)?.endedAt !== undefined) return;
    stores.storage.transactionSync(() => {
      for (const agent of agents)
        stores.subtasks.setAgent(agent.id, { status: "cancelled", failure: { kind: "cancelled" } }, Date.now());
      this.#finish(row, { status: "cancelled", failure: { kind: "cancelled" } });
    });
    this.#questions.stop(id);
    this.#host.feed.notify(id);
    for (const agent of agents) this.#abandon(agent.id);
    this.#pump(row.run);
  }

  async cancelRun(run: string): Promise<void> {
    await Promise.all(this.#host.stores.subtasks.open(run).map(({ id }) => this.cancel(id)));
  }

  /** Called at every pulse: what a crash, a lost message or an agent that hangs would leave undone. */
  async tend(): Promise<void> {
    const { stores } = this.#host;
    const { subtasks } = stores;
    await Promise.all(subtasks.orphans().map(({ id }) => this.cancel(id)));
    const now = Date.now();
    for (const agent of subtasks.active()) {
      const { seconds } = budgetOf(stores, agent);
      if (agent.status === "running" && now > (agent.startedAt ?? now) + seconds * 1000 + GRACE_MS)
        await this.#expire(agent, seconds);
      else if (
        !this.#contact.isReached(agent.id) ||
        (agent.status === "running" && now - (agent.heardAt ?? now) > SILENT_MS)
      )
        this.#begin(agent);
    }
    for (const { id, order } of subtasks.open()) if (order.kind === "llm") this.#questions.ask(id);
    for (const run of new Set(subtasks.open().map((subtask) => subtask.run))) this.#pump(run);
  }

  /** Does what the attempts so far call for. In the transaction of what led to it. */
  #next(id: string): void {
    const { stores } = this.#host;
    const row = stores.subtasks.find(id)!;
    const { order } = row;
    if (row.endedAt !== undefined || order.kind !== "agent") return;
    const agents = stores.subtasks.agentsOf(id);
    const { retry, quorum } = order.attempts;
    const next = afterAttempts(
      { retry, quorum, hasFallback: order.fallback !== undefined },
      agents.map((agent) => ({ by: agent.by, ...outcomeOf(agent) })),
    );
    if (next.do === "wait") return;
    if (next.do === "succeed") return this.#finish(row, { status: "succeeded", winner: agents[next.attempt]!.id });
    if (next.do === "fail")
      return this.#finish(row, {
        status: statusFor(next.failure),
        failure: next.failure,
        ...(agents[next.attempt] === undefined ? {} : { winner: agents[next.attempt]!.id }),
      });
    for (let n = 0; n < next.count; n++) {
      const spent = agents.length + n === 0 ? undefined : spentLimit(stateOf(stores, row.run), "agent"); // `open` asked for the first
      if (spent !== undefined) return this.#finish(row, { status: "exhausted", failure: spent, ...lastOf(agents) });
      this.#addAgent(row, { by: next.by, attempt: agents.length + n + 1 });
    }
  }

  #addAgent(row: SubtaskRow, { by, attempt }: { by: Attempt["by"]; attempt: number }): void {
    const { stores } = this.#host;
    const definition = definitionOf(row, by);
    const dataChars = stores.texts.chars(`data:${row.id}`);
    const { tier, reason } = chooseTier({
      asked: definition.tier,
      inherited: "medium",
      taskChars: row.task.length,
      dataChars,
      maxTurns: definition.maxTurns ?? Infinity,
      hasSchema: definition.output !== undefined,
    });
    const { id: subtask, run } = row;
    const { name, model } = definition;
    const helps = row.asker !== undefined;
    const why = model === undefined ? reason : "a model by its id, as its definition says";
    stores.subtasks.addAgent({
      id: `${subtask}.${attempt}`,
      subtask,
      run,
      attempt,
      by,
      helps,
      name,
      tier,
      reason: why,
      model,
    });
  }

  /** Starts what may start. An agent that ends in here is followed by the next turn of the loop. */
  #pump(run: string): void {
    if (this.#isPumping) return;
    this.#isPumping = true;
    try {
      this.#start(run);
    } finally {
      this.#isPumping = false;
    }
  }

  #start(run: string): void {
    const { stores } = this.#host;
    for (;;) {
      const agent = stores.subtasks.nextQueued(run);
      // One that another waits for takes no turn: all turns may be taken by those who wait.
      if (agent === undefined || (!agent.helps && stores.subtasks.countActive(run) >= MAX_AT_ONCE)) return;
      const ended = stores.subtasks.ended(run, agent.name, 2 * CIRCUIT_FAILURES);
      const circuit = openCircuit(
        agent.name,
        ended.map(({ failure, endedAt }) => ({
          endedAt: endedAt!,
          ...(failure === undefined ? {} : { failure: { kind: failure.kind, message: describeFailure(failure) } }),
        })),
        Date.now(),
      );
      if (circuit !== undefined) {
        if (ended[0]?.failure?.kind !== "circuit-open")
          this.#host.record(run, { type: "circuit-opened", name: agent.name, reason: describeFailure(circuit) });
        this.#end(agent, { status: "failed", failure: circuit });
        continue;
      }
      stores.storage.transactionSync(() => {
        stores.subtasks.setAgent(agent.id, { status: "running" }, Date.now());
        stores.subtasks.setSubtask(agent.subtask, { status: "running", at: Date.now() });
      });
      const { id, name, tier, reason, attempt, subtask } = agent;
      this.#host.record(run, { type: "agent-started", agent: id, subtask, name, tier, reason, attempt });
      this.#begin({ ...agent, startedAt: Date.now() });
    }
  }

  #begin(agent: AgentRow): void {
    const isFirst = !this.#contact.isReached(agent.id);
    this.#contact.begin(agent);
    const { timeout } = attemptsOf(this.#host.stores, agent);
    if (timeout !== undefined && isFirst)
      setTimeout(
        () => void this.#expireLate(agent.id, timeout),
        Math.max(0, (agent.startedAt ?? Date.now()) + timeout * 1000 - Date.now()),
      );
  }

  async #expireLate(id: string, seconds: number): Promise<void> {
    const agent = this.#host.stores.subtasks.agent(id);
    if (agent !== undefined && agent.endedAt === undefined) await this.#expire(agent, seconds);
  }

  /** Stopped first, so that it can say what it had; ended all the same when it says nothing. */
  async #expire(agent: AgentRow, seconds: number): Promise<void> {
    const failure: Failure = { kind: "timed-out", seconds };
    this.#endings.set(agent.id, failure);
    await Promise.race([this.#contact.stop(agent.id), new Promise((resolve) => setTimeout(resolve, LAST_WORD_MS))]);
    this.#endings.delete(agent.id);
    await this.#end(agent, { status: "failed", failure });
  }

  /** Nobody waits any more for the help it asked for. */
  #abandon(agent: string): void {
    for (const { id } of this.#host.stores.subtasks.askedBy(agent)) void this.cancel(id);
  }

  #spend(agent: AgentRow, { usage, byModel, progress }: CheckIn): void {
    const { stores } = this.#host;
    const model = Object.keys(byModel).at(-1);
    stores.subtasks.noteUsage(
      agent.id,
      { usage, ...(progress === undefined ? {} : { progress }), ...(model === undefined ? {} : { model }) },
      Date.now(),
    );
    stores.ledger.replace(agent.run, agent.id, byModel);
  }

  /** Prepares first, for a transaction can't wait; then all of it is one write. */
  #end(agent: AgentRow, report: Pick<AgentReport, "status"> & Partial<AgentReport>): Promise<void> | void {
    const { stores } = this.#host;
    const write = (kept: { answer?: string; text?: Awaited<ReturnType<typeof stores.texts.prepare>> }): void => {
      stores.storage.transactionSync(() => {
        if (stores.subtasks.agent(agent.id)?.endedAt !== undefined) return;
        if (report.usage !== undefined && report.byModel !== undefined) this.#spend(agent, report as CheckIn);
        const { status, failure } = report;
        stores.subtasks.setAgent(
          agent.id,
          { status, failure: failureOf(status, failure), answer: kept.answer },
          Date.now(),
        );
        if (kept.text !== undefined)
          stores.texts.write(`${report.result === undefined ? "partial" : "answer"}:${agent.id}`, kept.text);
        const { id, name, subtask } = agent;
        const told =
          failure === undefined ? {} : { failure: { kind: failure.kind, message: describeFailure(failure) } };
        this.#host.record(agent.run, { type: "agent-ended", agent: id, subtask, name, status, ...told });
        this.#next(agent.subtask);
      });
      this.#contact.forget(agent.id);
      this.#abandon(agent.id);
      this.#host.feed.notify(agent.subtask);
      this.#pump(agent.run);
      if (agent.status === "waiting") this.#host.resumed(agent.run);
    };
    const text = report.result ?? report.partial;
    if (text === undefined) return write({});
    const answer = report.result === undefined ? undefined : digestOf(report.result);
    return stores.texts
      .prepare(text)
      .then((prepared) => write({ text: prepared, ...(answer === undefined ? {} : { answer }) }));
  }

  #finish(row: SubtaskRow, end: { status: SubtaskRow["status"]; failure?: Failure; winner?: string }): void {
    const { subtasks, texts } = this.#host.stores;
    subtasks.setSubtask(row.id, { ...end, at: Date.now() });
    texts.delete(`data:${row.id}`);
    // A quorum may be reached, or out of reach, while others still work.
    for (const agent of subtasks.agentsOf(row.id))
      if (agent.endedAt === undefined && end.status !== "cancelled") {
        subtasks.setAgent(agent.id, { status: "cancelled", failure: { kind: "cancelled" } }, Date.now());
        if (agent.status !== "queued") void this.#contact.stop(agent.id);
      }
  }
}

/** How something ended that ended so. */
const statusFor = ({ kind }: Failure): "cancelled" | "exhausted" | "failed" => {
  if (kind === "cancelled") return kind;
  return kind === "budget-spent" ? "exhausted" : "failed";
};

/** The attempt whose last words count. */
const lastOf = (agents: readonly AgentRow[]): { winner?: string } =>
  agents.length === 0 ? {} : { winner: agents.at(-1)!.id };

/** An end that is no success has a reason. */
const failureOf = (status: AgentRow["status"], failure: Failure | undefined): Failure | undefined => {
  if (status === "succeeded") return undefined;
  return failure ?? { kind: "cancelled" };
};

const outcomeOf = ({ endedAt, failure, answer }: AgentRow): Pick<Attempt, "outcome"> => {
  if (endedAt === undefined) return {};
  return { outcome: failure === undefined ? { answer: answer ?? "" } : { failure } };
};

const digestOf = (json: string): string =>
  createHash("sha256")
    .update(canonical(JSON.parse(json)))
    .digest("hex");

const abortOf = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true }));
