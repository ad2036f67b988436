/**
 * The loop that every agent lives by, coordinator and sub-agent alike: runs one after another on a kernel of its own.
 *
 * A thin shell around `Driver`. What a run does next follows from what is recorded, so an eviction, a crash or a deploy costs
 * at most the step it hit, and that step finds what was recorded (J2). Not on the package's Tasks: an object is there once, so
 * that being in memory is claim enough, the record is our own anyway (people read it, and it outlives the run), and Tasks' record
 * beside it made some ten commits more for each run, which is most of what a small agent costs.
 *
 * Owns (through its stores): runs, turns, cells, events, variables, the journal of calls. Nothing that matters is only in
 * memory: the feed's waiters can ask again, `#driving` is begun anew by the next pulse.
 * Doesn't own: what the agent is and may (`profile`, `permit`, `toolHost`), and whom it reports to (`report`).
 */
import { Agent } from "agents";
import { fail, type Failure, ok, type Result } from "../src/contract/failure.ts";
import { type Budget, type DecisionAnswer, isEnded, type PendingDecision } from "../src/contract/goal.ts";
import { breathe } from "../src/kernel/breath.ts";
import { encode } from "../src/kernel/codec.ts";
import { type CellRunnerApi, NearRunner } from "../src/kernel/runner.ts";
import { shapeOf } from "../src/kernel/shape.ts";
import { configureModel } from "../src/model/configure.ts";
import { embeddedPlanner } from "../src/model/embedded/planner.ts";
import type { Spend } from "../src/orchestration/budget.ts";
import { decisionTtl } from "../src/orchestration/decision.ts";
import { CATALOG } from "../tool-bindings/catalog.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import { withDiscovery } from "../tool-bindings/discovery.ts";
import { isForRun, judge } from "./answer.ts";
import { Driver } from "./driver.ts";
import { type Env, libraryOf } from "./env.ts";
import { Feed } from "./feed.ts";
import type { AgentProfile } from "./profile.ts";
import type { RunRow } from "./run-store.ts";
import { openStores, type Stores } from "./stores.ts";
import { prepareRows } from "./text-store.ts";
import type { BaseToolHost } from "./tool-host.ts";

const PULSE_SECONDS = 2; // how soon after a restart an unfinished run goes on, with nobody asking
const MAX_REPORTED_CHARS = 500_000; // of arguments; a row holds 2 MB
const MAX_BRIEF_VARIABLES = 40; // inputs first; code can list the rest by their names

/** What a run begins with. */
export interface RunOrder {
  id: string;
  goal: string;
  inputs: Record<string, unknown>;
  budget: Budget;
  autoApprove: boolean;
  retention?: string | undefined;
}

export abstract class AgentObject extends Agent<Env> {
  protected readonly stores: Stores;
  protected readonly driver: Driver;
  protected readonly feed = new Feed();
  readonly #tools: readonly AnyTool[];
  /** The runs under way in this life of the object. */
  readonly #driving = new Map<string, AbortController>();
  #isReporting = false;
  /** What was last told of spending: only saves saying it again. */
  #told = "";

  constructor(ctx: DurableObjectState, env: Env) {
    super(ctx, env);
    const prefix = `sessions/${ctx.id.toString()}`;
    const decisionTtlMs = decisionTtl(env.PRAXIS_DECISION_SECONDS);
    this.stores = openStores(ctx.storage, { bucket: env.BUCKET, prefix, decisionTtlMs });
    this.#tools = withDiscovery(this.tools());
    const hungAt = Number(env.PRAXIS_HUNG_AT);
    this.driver = new Driver({
      stores: this.stores,
      model: () => configureModel(env, embeddedPlanner()),
      runner: new NearRunner(env.LOADER, farRunner(ctx)),
      tools: this.#tools,
      bucket: env.BUCKET,
      workspace: (run) => this.workspace(run),
      results: (run) => this.results(run),
      toolHost: (run) => this.toolHost(run),
      tenant: () => this.tenant(),
      library: () => libraryOf(env, this.tenant()),
      profile: (run) => this.profile(run),
      permit: (run, spend) => this.permit(run, spend),
      isTrusted: (run, tool) => this.isTrusted(run, tool),
      openBelow: (run) => this.openBelow(run),
      identity: ctx.id.toString(),
      changed: (run) => this.feed.notify(run),
      hungAt: Number.isFinite(hungAt) ? hungAt : undefined,
    });
    // A new life of the object goes on with what an earlier one left, whoever touched it and why.
    if (this.stores.runs.active()?.status === "running") ctx.waitUntil(breathe().then(() => this.advance()));
  }

  /** What the agent is: G2, nothing it calls can change it. */
  protected abstract profile(run: string): AgentProfile;
  /** Whose it is: known since its first order. */
  protected abstract tenant(): string;
  /** What its tools are lent. */
  protected abstract toolHost(run: string): BaseToolHost;
  /** Where the files of the run are. */
  protected abstract workspace(run: string): string;
  /** Where what its agents gave lies, if it has agents. */
  protected results(_run: string): string | undefined {
    return undefined;
  }

  /** Tells whoever gave it its work how a run stands. Called until it does not reject. */
  protected abstract report(row: Pick<RunRow, "id" | "status" | "endedAt">): Promise<void>;
  /** G4: whether those above it let it spend. */
  protected permit(_run: string, _spend: Spend): Promise<Failure | undefined> {
    return Promise.resolve(undefined);
  }

  protected isTrusted(run: string, tool: string): boolean {
    return this.stores.decisions.isTrusted(run, tool);
  }

  /** Whether agents below it wait for people. */
  protected openBelow(_run: string): boolean {
    return false;
  }

  /** Whether what a run has spent is told at every pulse, and not only when its status changes. */
  protected tellsSpending(): boolean {
    return false;
  }

  /** What keeps its pulse going beside a run of its own. */
  protected hasWorkBelow(): boolean {
    return false;
  }

  /** What earlier runs left that may serve this goal: a few lines. */
  protected hints(_goal: string): Promise<string[]> {
    return Promise.resolve([]);
  }

  /** What it does at every pulse, beside driving its run. */
  protected tend(): Promise<void> {
    return Promise.resolve();
  }

  /** The tools there are; which of them a run may call is in its profile. */
  protected tools(): readonly AnyTool[] {
    return CATALOG;
  }

  /** Idempotent per run: a second call with the same id starts nothing. `also` is part of the same write. */
  protected async enqueue(order: RunOrder, also: () => void): Promise<void> {
    const { runs, texts, storage } = this.stores;
    if (runs.find(order.id) === undefined) {
      const inputs = await texts.prepare(JSON.stringify(order.inputs));
      storage.transactionSync(() => {
        if (runs.find(order.id) !== undefined) return; // the same order came in twice at once
        const createdAt = Date.now();
        also();
        const { id, goal, budget, autoApprove, retention } = order;
        runs.insert({ id, goal, budget, autoApprove, retention, createdAt });
        runs.append(id, { type: "run-queued", goal }, createdAt);
        texts.write(`inputs:${id}`, inputs);
      });
    }
    await this.advance();
  }

  /** Ends the run as cancelled; one that has ended stays as it is. */
  protected async stop(run: string): Promise<void> {
    this.driver.cancel(run);
    this.#driving.get(run)?.abort(new Error("cancelled"));
    await this.advance();
  }

  /** The same answer twice is one. */
  protected async answer(run: string, id: string, answer: DecisionAnswer): Promise<Result<undefined>> {
    const row = this.stores.runs.find(run);
    if (row === undefined) return fail({ kind: "unknown-run", id: run });
    const { decisions, storage } = this.stores;
    const asked = decisions.find(run, id);
    if (asked === undefined)
      return fail({ kind: "unknown-decision", id, pending: decisions.open(run).map((open) => open.id) });
    // The clock decides, not the alarm that tells of it later.
    if (asked.decision === undefined && asked.expiresAt <= Date.now() && !isEnded(row.status)) {
      await this.advance();
      return fail({ kind: "already-decided", id, decision: "expired" });
    }
    const read = judge(asked, answer, { tools: this.#tools, run: row });
    if (!read.ok) return read;
    if (read.value === "known") return ok(undefined);
    const decision = read.value;
    storage.transactionSync(() => {
      decisions.decide(run, id, decision);
      if (isForRun(answer)) decisions.trust(run, asked.tool);
      this.resume(run, decision.decision);
    });
    this.feed.notify(run);
    await this.advance();
    return ok(undefined);
  }

  /** For a report, which is a row of its parent's. */
  protected pending(run: string): PendingDecision[] {
    return this.stores.decisions.pending(run, MAX_REPORTED_CHARS);
  }

  /** Whether the run goes on only once a person has answered, as its view tells it. */
  protected isHeld(run: string): boolean {
    return this.stores.decisions.open(run).length > 0 || this.openBelow(run);
  }

  /** A waiting run goes on once nothing is open any more. */
  protected resume(run: string, reason: string): void {
    const { decisions, runs } = this.stores;
    if (decisions.open(run).length > 0 || runs.find(run)?.status !== "waiting") return;
    runs.setStatus(run, { status: "running", at: Date.now() });
    runs.append(run, { type: "run-resumed", reason }, Date.now());
  }

  /** The alarm's work. Being called at all is what wakes an object whose runtime was restarted: its run then goes on. */
  async pulse(): Promise<void> {
    await this.advance();
    await this.#reportSpending();
  }

  /** Of the run under way, when it has spent something since it was told. */
  async #reportSpending(): Promise<void> {
    const active = this.tellsSpending() ? this.stores.runs.active() : undefined;
    if (active?.status !== "running") return;
    const spent = JSON.stringify(this.stores.ledger.spent(active.id));
    if (spent === this.#told) return;
    await this.report(active);
    this.#told = spent;
  }

  /** Starts what can be started, and keeps the pulse going for as long as there is something to come back to. */
  protected async advance(): Promise<void> {
    const { runs } = this.stores;
    if (runs.active() === undefined) {
      const queued = runs.nextQueued();
      if (queued !== undefined) await this.#begin(queued);
    }
    this.#expire();
    const active = runs.active();
    if (active?.status === "running" || this.hasWorkBelow()) await this.scheduleEvery(PULSE_SECONDS, "pulse");
    if (active?.status === "running") this.#drive(active.id);
    await this.tend();
    await this.#report();
    if (active?.status !== "running" && runs.unreported().length === 0 && !this.hasWorkBelow()) {
      for (const { id, callback } of await this.listSchedules())
        if (callback === "pulse") await this.cancelSchedule(id);
      const expiry = active && this.stores.decisions.nextExpiry(active.id);
      if (expiry !== undefined) await this.schedule(new Date(expiry + 1000), "pulse"); // schedules count whole seconds
    }
  }

  /** Nobody answered in time: that is an answer too. */
  #expire(): void {
    const { runs, decisions, storage } = this.stores;
    const asking = runs.active();
    if (asking === undefined) return;
    const hasExpired = storage.transactionSync(() => {
      if (!decisions.expire(asking.id, Date.now())) return false;
      this.resume(asking.id, "expired");
      return true;
    });
    if (hasExpired) this.feed.notify(asking.id);
  }

  /** The run takes the kernel: its inputs become variables. */
  async #begin(row: RunRow): Promise<void> {
    const { texts, variables, runs, storage } = this.stores;
    const inputs = JSON.parse((await texts.load(`inputs:${row.id}`)) ?? "{}") as Record<string, unknown>;
    const prepared = await Promise.all(
      Object.entries(inputs).map(async ([name, value]) => {
        const { data } = encode(value);
        return { name, value, chars: data.length, text: await texts.prepare(data) };
      }),
    );
    const hints = await this.hints(row.goal);
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
      const brief = { variables: known.slice(0, MAX_BRIEF_VARIABLES), hints };
      texts.write(`brief:${row.id}`, prepareRows(JSON.stringify(brief)));
      runs.setStatus(row.id, { status: "running", at: Date.now() });
      runs.append(row.id, { type: "run-started" }, Date.now());
    });
    this.feed.notify(row.id);
  }

  /** Takes the run's steps until there is none; does nothing while that is under way. */
  #drive(run: string): void {
    if (this.#driving.has(run)) return;
    const stop = new AbortController();
    this.#driving.set(run, stop);
    const work = async (): Promise<void> => {
      try {
        for (let next = this.driver.next(run); next !== undefined; next = this.driver.next(run)) {
          await breathe();
          await this.driver.perform(run, next, stop.signal);
        }
      } catch (error) {
        if (!stop.signal.aborted) {
          console.error("step failed", run, error);
          const problem = error instanceof Error ? error.message : String(error);
          this.driver.break(run, { kind: "run-broken", problem });
        }
      } finally {
        this.#driving.delete(run);
      }
      await this.advance();
    };
    this.ctx.waitUntil(work());
  }

  /** Tells what has not been heard, one word after another. Tried again at every pulse. */
  async #report(): Promise<void> {
    if (this.#isReporting) return;
    this.#isReporting = true;
    try {
      for (let row = this.stores.runs.unreported()[0]; row !== undefined; row = this.stores.runs.unreported()[0]) {
        await this.report(row);
        this.stores.runs.markReported(row.id, row.status);
      }
    } finally {
      this.#isReporting = false;
    }
  }

  protected async withRun<T>(run: string, action: (row: RunRow) => T | Promise<T>): Promise<Result<T>> {
    const row = this.stores.runs.find(run);
    return row === undefined ? fail({ kind: "unknown-run", id: run }) : ok(await action(row));
  }
}

/** The type of ctx.exports is known only to a Worker's own build; the entrypoint is exported by src/index.ts. */
const farRunner = (ctx: DurableObjectState): CellRunnerApi =>
  (ctx.exports as unknown as { CellRunner(options: { props: object }): CellRunnerApi }).CellRunner({ props: {} });
