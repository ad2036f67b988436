/**
 * Drives the runs of one agent, step by step, on its stores. No Durable Object API in here but storage: the object that
 * owns it calls `next` and `perform` until there is nothing left to do.
 *
 * `perform` may be called again for a step that was interrupted: it finds what was recorded and pays for nothing twice
 * (J2). It does not throw for anything a model, a cell or a tool can do.
 */
import type { CellAnswer } from "../src/contract/cell.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { RunEvent } from "../src/contract/event.ts";
import type { Failure, Result } from "../src/contract/failure.ts";
import { isEnded } from "../src/contract/goal.ts";
import type { LibraryApi } from "../src/contract/library.ts";
import { encode } from "../src/kernel/codec.ts";
import { cellError, type CellRun, runCell } from "../src/kernel/kernel.ts";
import { toPlain } from "../src/kernel/plain.ts";
import type { CellRunnerApi } from "../src/kernel/runner.ts";
import type { Brief } from "../src/contract/model.ts";
import type { Model } from "../src/model/port.ts";
import { type Spend, timeLeftMs } from "../src/orchestration/budget.ts";
import { type NextStep, nextStep } from "../src/orchestration/turn.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import type { Desk } from "../tool-bindings/desk.ts";
import type { LlmRequest } from "../tool-bindings/llm.ts";
import { CellDesks } from "./cell-desk.ts";
import { Llm } from "./llm.ts";
import type { AgentProfile } from "./profile.ts";
import { readFinal, refusalOf } from "./result.ts";
import { shownLogs } from "./shown-logs.ts";
import { prepareRows } from "./text-store.ts";
import type { Stores } from "./stores.ts";
import { pendingBelow } from "./subtask-view.ts";
import type { BaseToolHost } from "./tool-host.ts";
import { stateOf } from "./usage.ts";

export interface DriverHost {
  stores: Stores;
  /** Asked at each call: a deploy may have changed the configuration. */
  model: () => Result<Model>;
  runner: CellRunnerApi;
  tools: readonly AnyTool[];
  toolHost: (run: string) => BaseToolHost;
  /** Names the isolates of its capabilities (E1). */
  tenant: () => string;
  library: () => LibraryApi;
  profile: (run: string) => AgentProfile;
  /** G4: whether those above it let it spend. A Failure ends it. */
  permit: (run: string, spend: Spend) => Promise<Failure | undefined>;
  /** Whether a person has approved the tool for the rest of the run, anywhere in its tree. */
  isTrusted: (run: string, tool: string) => boolean;
  /** Questions of the agents below it that are open. */
  openBelow: (run: string) => boolean;
  /** Holds the workspaces of its runs. */
  bucket: R2Bucket;
  /** The run's workspace: one for a whole tree. */
  workspace: (run: string) => string;
  /** Of what its agents gave, if it has agents. */
  results: (run: string) => string | undefined;
  /** Prefix of idempotency keys: unique to this agent. */
  identity: string;
  /** Something was recorded; those who wait for it can look. */
  changed: (run: string) => void;
  /** When the watchdog restarted a frozen runtime, if it did. */
  hungAt: number | undefined;
}

const MAX_ATTEMPTS = 4; // at a cell that gets no further: one more crash, and it is the cell
const MAX_EVENT_RESULT_CHARS = 64_000; // larger results are fetched, not streamed
type ModelStep = NextStep & { do: "model" };
type CellStep = NextStep & { do: "cell" };
type EndStep = NextStep & { do: "end" };

export class Driver {
  readonly #host: DriverHost;
  readonly #llm: Llm;
  readonly #cellDesks: CellDesks;
  /** The desks of the cells under way, by run. */
  readonly #desks = new Map<string, Desk>();

  constructor(host: DriverHost) {
    this.#host = host;
    this.#llm = new Llm({ stores: host.stores, model: host.model, permit: host.permit });
    this.#cellDesks = new CellDesks(host, this.#llm);
  }

  /** One model call of a run outside its turns. Idempotent: equal requests of a run are one. */
  ask(run: string, request: LlmRequest, signal: AbortSignal): Promise<Result<unknown>> {
    return this.#llm.ask(run, request, signal);
  }

  /** Something happened to the run from outside its own steps. */
  tell(run: string, event: RunEvent): void {
    this.#record(run, event);
  }

  /** The cell waits for agents that wait for people: it is put aside until one of them goes on. */
  park(run: string): void {
    this.#desks.get(run)?.park();
  }

  /** What the run does next; nothing when it has ended or waits. */
  next(run: string): NextStep | undefined {
    const { runs } = this.#host.stores;
    const row = runs.find(run);
    if (row?.status !== "running") return undefined;
    return nextStep(stateOf(this.#host.stores, run));
  }

  /** Does nothing when the step is no longer what comes next: somebody else did it, or the run has ended. */
  async perform(run: string, step: NextStep, signal: AbortSignal): Promise<void> {
    const next = this.next(run);
    if (next?.do !== step.do || (next.do !== "end" && step.do !== "end" && next.turn !== step.turn)) return;
    if (step.do === "end") return this.#end(run, step);
    // G4: what is under way when the run's time is over ends too; then the next step is the end.
    const timeout = AbortSignal.timeout(timeLeftMs(stateOf(this.#host.stores, run)));
    try {
      const within = AbortSignal.any([signal, timeout]);
      await (step.do === "model" ? this.#callModel(run, step, within) : this.#runCell(run, step, within));
    } catch (error) {
      if (!timeout.aborted || signal.aborted) throw error;
      if (step.do === "cell")
        await this.#closeCell(run, step, {
          answer: { error: cellError("timeout", "The run's time was over.") },
          saved: [],
        });
    }
  }

  /** Ends a run that something broke; a no-op when it has ended. */
  break(run: string, failure: Failure): void {
    this.#record(
      run,
      { type: "run-ended", status: "failed", failure: { kind: failure.kind, message: describeFailure(failure) } },
      () => this.#host.stores.runs.setStatus(run, { status: "failed", at: Date.now(), failure }),
    );
  }

  cancel(run: string): void {
    const { runs } = this.#host.stores;
    const answer = { error: cellError("lost", "The run was cancelled.") };
    this.#record(run, { type: "run-ended", status: "cancelled" }, () => {
      for (const cell of runs.openCells(run)) runs.closeCell(run, cell, { answer, at: Date.now() });
      runs.setStatus(run, { status: "cancelled", at: Date.now() });
    });
  }

  async #callModel(run: string, { turn }: ModelStep, signal: AbortSignal): Promise<void> {
    const { runs, texts, ledger } = this.#host.stores;
    const row = runs.find(run)!;
    const refused = await this.#host.permit(run, "model");
    if (refused !== undefined) return this.#change(run, () => runs.recordReply(run, turn, { failure: refused }));
    const { system, tier, model: id, output } = this.#host.profile(run);
    const brief = JSON.parse((await texts.load(`brief:${run}`)) ?? "{}") as Partial<Brief>; // written when the run began
    this.#record(run, { type: "model-called", turn, tier });
    const model = this.#host.model();
    const outcome = model.ok
      ? await model.value.call(
          {
            tier,
            ...(id === undefined ? {} : { model: id }),
            system,
            brief: { variables: [], ...brief, goal: row.goal },
            exchanges: runs.exchanges(run),
          },
          {
            signal,
            onRetry: ({ attempt, reason, delayMs }) =>
              this.#record(run, { type: "model-retried", turn, attempt, reason, delayMs }),
          },
        )
      : model;
    // J2: the reply and the fact that it was paid for are one write, before anything else happens.
    if (!outcome.ok) {
      const { failure } = outcome;
      return this.#change(run, () => {
        runs.recordReply(run, turn, { failure });
        if (failure.kind === "model-refused" && failure.spent !== undefined)
          ledger.record(run, `turn:${turn}`, failure.spent);
      });
    }
    const reply = outcome.value;
    const final = reply.call === undefined ? readFinal(reply.text, output) : {};
    this.#record(
      run,
      { type: "model-replied", turn, model: reply.model, text: reply.text, usage: reply.usage, costUsd: reply.costUsd },
      () => {
        runs.recordReply(run, turn, final.nudge === undefined ? { reply } : { reply, nudge: final.nudge });
        if (final.value !== undefined) texts.write(`result:${run}`, prepareRows(encode(final.value).data));
        ledger.record(run, `turn:${turn}`, reply);
      },
    );
  }

  async #runCell(run: string, step: CellStep, signal: AbortSignal): Promise<void> {
    const { runs, variables } = this.#host.stores;
    const { cell, turn, code } = step;
    const refused = await this.#host.permit(run, "cell");
    if (refused !== undefined) return this.#change(run, () => runs.recordFailure(run, turn, refused));
    const { grants } = this.#host.profile(run);
    const seed = Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) =>
      byte.toString(16).padStart(2, "0"),
    ).join("");
    const opened = runs.openCell(run, { cell, turn, code, seed, at: Date.now() });
    if (opened.isNew) this.#record(run, { type: "cell-started", cell, turn, code });
    else if (this.#hung(run, cell, opened.startedAt))
      return this.#closeCell(run, step, {
        answer: { error: cellError("hung", "The cell froze the runtime.") },
        saved: [],
      });

    const logs: string[] = [];
    const shown = opened.isNew ? 0 : runs.logged(run, cell); // by an earlier attempt: nobody wants to read them twice
    const desk = this.#cellDesks.open({
      run,
      cell,
      root: cell,
      grants,
      seed: opened.seed,
      signal,
      log: (text) => {
        if (logs.push(text) > shown) this.#record(run, { type: "cell-logged", cell, text });
      },
    });
    this.#desks.set(run, desk);
    try {
      const ran = runCell({
        source: code,
        isPatient: () => desk.isPatient,
        startedAt: opened.startedAt,
        seed: opened.seed,
        variables,
        backend: desk,
        runner: this.#host.runner,
      });
      const result = await Promise.race([ran, desk.stuck, aborted(signal)]);
      if (result === "stuck" || desk.isStuck) {
        await Promise.race([desk.stuck, aborted(signal)]); // calls under way come to their end, also when the cell did
        return await this.#wait(run, cell);
      }
      const answer = { ...result.answer, ...(logs.length > 0 ? { logs: shownLogs(logs) } : {}) };
      await this.#closeCell(run, step, { ...result, answer });
    } finally {
      if (this.#desks.get(run) === desk) this.#desks.delete(run);
      desk.close();
    }
  }

  /** One transaction: the answer, the variables and the result are there together or not at all. */
  async #closeCell(run: string, { cell, turn }: CellStep, { answer, saved, value, done }: CellRun): Promise<void> {
    const { runs, variables, texts } = this.#host.stores;
    const prepared = await Promise.all(
      saved.map(async ({ variable, data }) => ({ variable, data: await texts.prepare(data) })),
    );
    const refusal = done === undefined ? undefined : refusalOf(toPlain(done), this.#host.profile(run).output);
    const result = done === undefined ? undefined : await texts.prepare(done);
    const final: CellAnswer = { ...answer };
    if (refusal !== undefined) {
      delete final.done;
      final.error = cellError("result", refusal);
    }
    this.#record(run, { type: "cell-finished", cell, turn, answer: final }, () => {
      for (const { variable, data } of prepared) {
        const refusal = variables.refusal(variable);
        if (refusal === undefined) variables.write(variable, data);
        else {
          final.unsaved = [...(final.unsaved ?? []), { name: variable.info.name, reason: refusal }];
          final.variables = final.variables?.filter(({ name }) => name !== variable.info.name) ?? [];
        }
      }
      for (const { name } of final.unsaved ?? []) variables.forget(name);
      // Of the last cell that had a value: what a run that runs out has to show.
      if (value !== undefined) texts.write(`last:${run}`, prepareRows(value));
      else if (answer.value !== undefined) texts.delete(`last:${run}`);
      if (result !== undefined) texts.write(`${refusal === undefined ? "result" : "partial"}:${run}`, result);
      runs.closeCell(run, cell, { answer: final, at: Date.now() });
    });
  }

  async #end(run: string, step: EndStep): Promise<void> {
    const { runs, texts } = this.#host.stores;
    const known = await texts.load(`result:${run}`);
    const value = step.status === "succeeded" ? step.text : step.partial;
    const last = step.status === "succeeded" ? undefined : await texts.load(`last:${run}`);
    const text = known !== undefined || value === undefined ? undefined : (last ?? encode(value).data);
    // A failure has no result; what there was is kept for a parent to see.
    const key = step.status === "failed" ? `partial:${run}` : `result:${run}`;
    const isKept = text !== undefined && (step.status !== "failed" || (await texts.load(key)) === undefined);
    const stored = step.status === "failed" ? undefined : (text ?? known);
    const result = stored === undefined || stored.length > MAX_EVENT_RESULT_CHARS ? undefined : toPlain(stored);
    const failure = "failure" in step ? step.failure : undefined;
    const event: RunEvent = {
      type: "run-ended",
      status: step.status,
      ...(result === undefined ? {} : { result }),
      ...(failure === undefined ? {} : { failure: { kind: failure.kind, message: describeFailure(failure) } }),
    };
    this.#record(run, event, () => {
      if (isKept) texts.write(key, prepareRows(text));
      texts.delete(`last:${run}`);
      runs.setStatus(run, { status: step.status, at: Date.now(), ...(failure === undefined ? {} : { failure }) });
    });
  }

  /** The run waits for a person, and holds nothing meanwhile. */
  async #wait(run: string, cell: number): Promise<void> {
    const { runs, journal, decisions } = this.#host.stores;
    const interrupted = await journal.interrupted(run, cell);
    this.#change(run, () => {
      journal.askInterrupted(run, interrupted);
      const open = decisions.open(run);
      // Else its result or the answer came in meanwhile: the cell is simply replayed.
      if (open.length === 0 && !this.#host.openBelow(run)) return;
      runs.setStatus(run, { status: "waiting", at: Date.now() });
      const tools = [...new Set(open.map(({ tool }) => tool))];
      const on = tools.length > 0 ? `a decision about ${tools.join(", ")}` : "decisions its agents need";
      const ids = [...open, ...pendingBelow(this.#host.stores, run)].map(({ id }) => id);
      runs.append(run, { type: "run-waiting", on, decisions: ids }, Date.now());
    });
  }

  /** By the watchdog's word, or because the runtime went away under it too often: it isn't run again. */
  #hung(run: string, cell: number, startedAt: number): boolean {
    const { runs, journal } = this.#host.stores;
    if (runs.countAttempt(run, cell, journal.records(run)) > MAX_ATTEMPTS) return true;
    return (
      this.#host.hungAt !== undefined &&
      startedAt < this.#host.hungAt &&
      this.#host.stores.journal.wasComputing(run, cell)
    );
  }

  /** What happened and what it changed are one transaction. */
  #record(run: string, event: RunEvent, change?: () => void): void {
    this.#change(run, () => {
      change?.();
      this.#host.stores.runs.append(run, event, Date.now());
    });
  }

  /** Nothing changes in a run that has ended. */
  #change(run: string, change: () => void): void {
    const { runs, storage } = this.#host.stores;
    storage.transactionSync(() => {
      const row = runs.find(run);
      if (row !== undefined && !isEnded(row.status)) change();
    });
    this.#host.changed(run);
  }
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
