/**
 * One session: its goals, one after another, and the kernel they share.
 *
 * A thin shell around `Driver`. Each step of a run is a step of a durable Task, so an eviction, a crash or a deploy costs
 * at most the step it hit, and that step finds what was recorded (J2). Tasks brings the claim and the replay; the record
 * itself is ours, because it outlives the task, is read by people, and holds values larger than a task may.
 *
 * Owns (through its stores): runs, turns, cells, events, variables, the journal of calls. Nothing that matters is only in
 * memory: the feed's waiters can ask again, `#stops` can only make things end sooner.
 */
import { Agent } from "agents";
import type { TaskHandlers, TaskStep } from "agents/tasks";
import type { CellView, VariableInfo } from "../src/contract/cell.ts";
import type { CoordinatorApi } from "../src/contract/coordinator.ts";
import type { StoredEvent } from "../src/contract/event.ts";
import { fail, ok, type Result } from "../src/contract/failure.ts";
import { type DecisionAnswer, type GoalRequest, isEnded, type RunView } from "../src/contract/goal.ts";
import { encode } from "../src/kernel/codec.ts";
import { toPlain } from "../src/kernel/plain.ts";
import { type CellRunnerApi, NearRunner } from "../src/kernel/runner.ts";
import { shapeOf } from "../src/kernel/shape.ts";
import { configureModel } from "../src/model/configure.ts";
import { embeddedPlanner } from "../src/model/embedded/planner.ts";
import { DEFAULT_BUDGET, grantedBudget, parseMaximum } from "../src/orchestration/budget.ts";
import { sameDecision } from "../src/orchestration/decision.ts";
import { CATALOG } from "../tool-bindings/catalog.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import { withDiscovery } from "../tool-bindings/discovery.ts";
import { readAnswer } from "./answer.ts";
import { Driver } from "./driver.ts";
import type { Env } from "./env.ts";
import { Feed } from "./feed.ts";
import type { RunRow } from "./run-store.ts";
import { toolHost } from "./tool-host.ts";
import { runView } from "./run-view.ts";
import { openStores, type Stores } from "./stores.ts";
import { prepareRows } from "./text-store.ts";

const PULSE_SECONDS = 2; // how soon after a restart an unfinished run goes on, with nobody asking
const DECISION_SECONDS = 7 * 86_400; // how long a question stays open when PRAXIS_DECISION_SECONDS does not say
const MAX_SHOWN_CHARS = 8 * 1024 * 1024; // one message holds 32 MiB, and a character may take two bytes, escaped six
const MAX_BRIEF_VARIABLES = 40; // inputs first; code can list the rest by their names
const STEP_TIMEOUT = "30 minutes"; // a step's own limits are tighter; this one only frees a claim

export class Coordinator extends Agent<Env> implements CoordinatorApi {
  readonly #stores: Stores;
  readonly #driver: Driver;
  readonly #tools: readonly AnyTool[];
  readonly #feed = new Feed();
  readonly #stops = new Map<string, AbortController>();

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const prefix = `sessions/${ctx.id.toString()}`;
    const decisionTtlMs = 1000 * (Number(env.PRAXIS_DECISION_SECONDS) || DECISION_SECONDS);
    this.#stores = openStores(ctx.storage, { bucket: env.BUCKET, prefix, decisionTtlMs });
    this.#tools = withDiscovery(this.tools());
    const hungAt = Number(env.PRAXIS_HUNG_AT);
    this.#driver = new Driver({
      stores: this.#stores,
      model: () => configureModel(env, embeddedPlanner()),
      runner: new NearRunner(env.LOADER, farRunner(ctx)),
      tools: this.#tools,
      bucket: env.BUCKET,
      toolHost: toolHost(env, () => this.#tenant()),
      identity: ctx.id.toString(),
      changed: (run) => this.#feed.notify(run),
      hungAt: Number.isFinite(hungAt) ? hungAt : undefined,
    });
  }

  /** The tools its cells can call. */
  protected tools(): readonly AnyTool[] {
    return CATALOG;
  }

  override readonly taskDefinitions = {
    "drive@1": (input: { run: string }, step: TaskStep) => this.#drive(input.run, step),
  } satisfies TaskHandlers;

  async start(run: string, request: GoalRequest, scope: { tenant: string; session: string }): Promise<RunView> {
    if (this.#stores.runs.find(run) === undefined) {
      // Unreadable, it must not mean unlimited: then the defaults are the most.
      const maximum = parseMaximum(this.env.PRAXIS_MAX_BUDGET) ?? DEFAULT_BUDGET;
      const inputs = await this.#stores.texts.prepare(JSON.stringify(request.inputs ?? {}));
      this.#stores.storage.transactionSync(() => {
        if (this.#stores.runs.find(run) !== undefined) return; // the same goal came in twice at once
        const createdAt = Date.now();
        this.#stores.storage.kv.put("scope", scope);
        this.#stores.runs.insert({
          id: run,
          goal: request.goal,
          budget: grantedBudget(request.budget ?? {}, maximum),
          autoApprove: request.approvals === "auto",
          createdAt,
        });
        this.#stores.runs.append(run, { type: "run-queued", goal: request.goal }, createdAt);
        this.#stores.texts.write(`inputs:${run}`, inputs);
      });
    }
    await this.#advance();
    return this.#view(this.#stores.runs.find(run)!);
  }

  async view(run: string): Promise<Result<RunView>> {
    return this.#withRun(run, (row) => this.#view(row));
  }

  async wait(run: string, ms: number): Promise<Result<RunView>> {
    const until = Date.now() + ms;
    for (;;) {
      const row = this.#stores.runs.find(run);
      const left = until - Date.now();
      if (row === undefined || isEnded(row.status) || left <= 0) return this.view(run);
      await this.#feed.wait(run, left);
    }
  }

  async cancel(run: string): Promise<Result<RunView>> {
    if (this.#stores.runs.find(run) === undefined) return fail({ kind: "unknown-run", id: run });
    this.#driver.cancel(run);
    this.#stops.get(run)?.abort(new Error("cancelled"));
    await this.tasks.cancel(this.#taskId(run), "cancelled");
    await this.#advance();
    return this.view(run);
  }

  async decide(run: string, id: string, answer: DecisionAnswer): Promise<Result<RunView>> {
    const row = this.#stores.runs.find(run);
    if (row === undefined) return fail({ kind: "unknown-run", id: run });
    const { decisions, storage } = this.#stores;
    const asked = decisions.find(run, id);
    if (asked === undefined)
      return fail({ kind: "unknown-decision", id, pending: decisions.pending(run).map((pending) => pending.id) });
    const read = readAnswer(asked, answer, this.#tools);
    if (!read.ok) return read;
    if (asked.decision !== undefined && sameDecision(asked.decision, read.value)) return this.view(run);
    if (asked.decision !== undefined) return fail({ kind: "already-decided", id, decision: asked.decision.decision });
    if (isEnded(row.status)) return fail({ kind: "already-ended", id: run, status: row.status });
    storage.transactionSync(() => {
      decisions.decide(run, id, read.value);
      if ("remember" in answer && answer.remember === "run" && answer.decision === "approve")
        decisions.trust(run, asked.tool);
      this.#resume(run, read.value.decision);
    });
    this.#feed.notify(run);
    await this.#advance();
    return this.view(run);
  }

  /** A waiting run goes on once nothing is open any more. */
  #resume(run: string, reason: string): void {
    const { decisions, runs } = this.#stores;
    if (decisions.pending(run).length > 0) return;
    runs.setStatus(run, { status: "running", at: Date.now() });
    runs.append(run, { type: "run-resumed", reason }, Date.now());
  }

  async cells(
    run: string,
    page: { after: number; limit: number },
  ): Promise<Result<{ items: CellView[]; next?: number }>> {
    return this.#withRun(run, () => {
      const items = this.#stores.runs.cellViews(run, { after: page.after, limit: page.limit + 1 });
      const shown = items.slice(0, page.limit);
      return { items: shown, ...(items.length > page.limit ? { next: shown.at(-1)!.cell } : {}) };
    });
  }

  async variables(run: string): Promise<Result<VariableInfo[]>> {
    return this.#withRun(run, () => this.#stores.variables.list());
  }

  async variable(run: string, name: string): Promise<Result<VariableInfo & { value: unknown }>> {
    if (this.#stores.runs.find(run) === undefined) return fail({ kind: "unknown-run", id: run });
    const variable = this.#stores.variables.find(name);
    const data = variable && (await this.#stores.variables.load(name));
    if (variable === undefined || data === undefined)
      return fail({ kind: "unknown-variable", name, known: this.#stores.variables.list().map((info) => info.name) });
    if (data.length > MAX_SHOWN_CHARS)
      return fail({ kind: "variable-too-large", name, chars: data.length, limit: MAX_SHOWN_CHARS });
    return ok({ ...variable.info, value: toPlain(data, variable.functions, variable.classes) });
  }

  async events(run: string, after: number, waitMs: number): Promise<Result<{ events: StoredEvent[]; ended: boolean }>> {
    const page = (): { events: StoredEvent[]; ended: boolean } => ({
      events: this.#stores.runs.eventsAfter(run, after),
      ended: isEnded(this.#stores.runs.find(run)!.status),
    });
    if (after > 0 && after > this.#stores.runs.lastEvent(run))
      return fail({ kind: "bad-input", field: "Last-Event-ID", problem: "must be the id of an event of this run" });
    return this.#withRun(run, async () => {
      const first = page();
      if (first.events.length > 0 || first.ended) return first;
      await this.#feed.wait(run, waitMs);
      return page();
    });
  }

  /** The alarm's work. Being called at all is what wakes an object whose runtime was restarted: its tasks then go on. */
  async pulse(): Promise<void> {
    await this.#advance();
  }

  /** Starts what can be started, and keeps the pulse going for as long as there is something to come back to. */
  async #advance(): Promise<void> {
    const { runs } = this.#stores;
    if (runs.active() === undefined) {
      const queued = runs.nextQueued();
      if (queued !== undefined) await this.#begin(queued);
    }
    this.#expire();
    const active = runs.active();
    if (active?.status === "running") {
      await this.scheduleEvery(PULSE_SECONDS, "pulse");
      await this.tasks.run("drive@1", { run: active.id }, { runId: this.#taskId(active.id), retain: false });
    }
    await this.#report();
    if (active?.status !== "running" && runs.unreported().length === 0) {
      for (const schedule of await this.listSchedules()) await this.cancelSchedule(schedule.id);
      const expiry = active && this.#stores.decisions.nextExpiry(active.id);
      if (expiry !== undefined) await this.schedule(new Date(expiry + 1000), "pulse"); // schedules count whole seconds
    }
  }

  /** Nobody answered in time: that is an answer too. */
  #expire(): void {
    const { runs, decisions, storage } = this.#stores;
    const waiting = runs.active();
    if (waiting?.status !== "waiting") return;
    storage.transactionSync(() => {
      if (decisions.expire(waiting.id, Date.now())) this.#resume(waiting.id, "expired");
    });
    this.#feed.notify(waiting.id);
  }

  /** The run takes the kernel: its inputs become variables. */
  async #begin(row: RunRow): Promise<void> {
    const { texts, variables, runs, storage } = this.#stores;
    const inputs = JSON.parse((await texts.load(`inputs:${row.id}`)) ?? "{}") as Record<string, unknown>;
    const prepared = await Promise.all(
      Object.entries(inputs).map(async ([name, value]) => {
        const { data } = encode(value);
        return { name, value, chars: data.length, text: await texts.prepare(data) };
      }),
    );
    storage.transactionSync(() => {
      if (runs.active() !== undefined || runs.find(row.id)?.status !== "queued") return; // another request was faster
      for (const { name, value, chars, text } of prepared)
        variables.write(
          {
            info: { name, size: chars, ...shapeOf(value) },
            kind: "let",
            functions: [],
            classes: [],
            mentions: [],
            neededAtOnce: [],
            chars,
          },
          text,
        );
      texts.delete(`inputs:${row.id}`);
      // Told once, at the beginning: a brief that changed from turn to turn would undo the endpoint's prompt cache.
      const given = new Set(Object.keys(inputs));
      const known = variables.list().sort((a, b) => Number(given.has(b.name)) - Number(given.has(a.name)));
      texts.write(`brief:${row.id}`, prepareRows(JSON.stringify(known.slice(0, MAX_BRIEF_VARIABLES))));
      runs.setStatus(row.id, { status: "running", at: Date.now() });
      runs.append(row.id, { type: "run-started" }, Date.now());
    });
    this.#feed.notify(row.id);
  }

  async #drive(run: string, step: TaskStep): Promise<undefined> {
    for (let next = this.#driver.next(run); next !== undefined; next = this.#driver.next(run)) {
      const action = next;
      const name = action.do === "end" ? "end" : `${action.do}:${action.turn}`;
      await step.do(name, { timeout: STEP_TIMEOUT, retries: { limit: 1 } }, async ({ signal }) => {
        const stop = new AbortController();
        this.#stops.set(run, stop);
        try {
          await this.#driver.perform(run, action, AbortSignal.any([signal, stop.signal]));
        } catch (error) {
          if (stop.signal.aborted || signal.aborted) throw error;
          console.error("step failed", run, name, error);
          this.#driver.break(run, {
            kind: "run-broken",
            problem: error instanceof Error ? error.message : String(error),
          });
        } finally {
          this.#stops.delete(run);
        }
      });
    }
    // Not awaited inside the task: it may start the next run's task.
    this.ctx.waitUntil(this.#advance());
    return undefined;
  }

  /** Tells the registry what it has not heard. Tried again at every pulse. */
  async #report(): Promise<void> {
    const registry = this.env.REGISTRY.getByName(this.#tenant());
    for (const { id, status, endedAt } of this.#stores.runs.unreported()) {
      const spent = this.#stores.ledger.byModel(id);
      await registry.note({
        id,
        status,
        spent,
        ...(endedAt === undefined ? {} : { endedAt: new Date(endedAt).toISOString() }),
      });
      this.#stores.runs.markReported(id, status);
    }
  }

  /** Known since the first goal came in. */
  #tenant(): string {
    return this.#stores.storage.kv.get<{ tenant: string }>("scope")?.tenant ?? "";
  }

  /** One task per leg of a run: a run that waited goes on in a new one. */
  #taskId(run: string): string {
    return `${run}#${this.#stores.decisions.answered(run)}`;
  }

  #view(row: RunRow): Promise<RunView> {
    const scope = this.#stores.storage.kv.get<{ session: string }>("scope");
    return runView(this.#stores, row, scope?.session ?? "");
  }

  async #withRun<T>(run: string, action: (row: RunRow) => T | Promise<T>): Promise<Result<T>> {
    const row = this.#stores.runs.find(run);
    return row === undefined ? fail({ kind: "unknown-run", id: run }) : ok(await action(row));
  }
}

/** The type of ctx.exports is known only to a Worker's own build; the entrypoint is exported by src/index.ts. */
const farRunner = (ctx: DurableObjectState): CellRunnerApi =>
  (ctx.exports as unknown as { CellRunner(options: { props: object }): CellRunnerApi }).CellRunner({ props: {} });
