/**
 * Drives the runs of one agent, step by step, on its stores. No Durable Object API in here but storage: the object that
 * owns it calls `next` and `perform` until there is nothing left to do.
 *
 * `perform` may be called again for a step that was interrupted: it finds what was recorded and pays for nothing twice
 * (J2). It does not throw for anything a model, a cell or a tool can do.
 */
import type { CellAnswer, VariableInfo } from "../src/contract/cell.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { RunEvent } from "../src/contract/event.ts";
import type { Failure, Result } from "../src/contract/failure.ts";
import { isEnded } from "../src/contract/goal.ts";
import { encode } from "../src/kernel/codec.ts";
import { cellError, type CellRun, runCell } from "../src/kernel/kernel.ts";
import { toPlain } from "../src/kernel/plain.ts";
import type { CellRunnerApi } from "../src/kernel/runner.ts";
import type { Model } from "../src/model/port.ts";
import { systemPrompt } from "../src/model/prompt.ts";
import { spentLimit, timeLeftMs } from "../src/orchestration/budget.ts";
import { needsApproval } from "../src/orchestration/decision.ts";
import { type NextStep, nextStep, NUDGE } from "../src/orchestration/turn.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import { Desk } from "../tool-bindings/desk.ts";
import type { ToolHost } from "../tool-bindings/host.ts";
import { Llm } from "./llm.ts";
import { prepareRows } from "./text-store.ts";
import type { Stores } from "./stores.ts";
import { stateOf } from "./usage.ts";
import { workspace } from "./workspace.ts";

export interface DriverHost {
  stores: Stores;
  /** Asked at each call: a deploy may have changed the configuration. */
  model: () => Result<Model>;
  runner: CellRunnerApi;
  tools: readonly AnyTool[];
  toolHost: Omit<ToolHost, "llm" | "files">;
  /** Holds the workspaces of its runs. */
  bucket: R2Bucket;
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

  constructor(host: DriverHost) {
    this.#host = host;
    this.#llm = new Llm(host.stores, host.model);
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
    const variables = JSON.parse((await texts.load(`brief:${run}`)) ?? "[]") as VariableInfo[];
    this.#record(run, { type: "model-called", turn, tier: "medium" });
    const model = this.#host.model();
    const outcome = model.ok
      ? await model.value.call(
          {
            tier: "medium",
            system: systemPrompt(),
            brief: { goal: row.goal, variables },
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
    const isEmpty = reply.call === undefined && reply.text.trim() === "";
    this.#record(
      run,
      { type: "model-replied", turn, model: reply.model, text: reply.text, usage: reply.usage, costUsd: reply.costUsd },
      () => {
        runs.recordReply(run, turn, isEmpty ? { reply, nudge: NUDGE } : { reply });
        ledger.record(run, `turn:${turn}`, reply);
      },
    );
  }

  async #runCell(run: string, step: CellStep, signal: AbortSignal): Promise<void> {
    const { runs, journal, variables, decisions } = this.#host.stores;
    const { cell, turn, code } = step;
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
    const desk = new Desk({
      cell: `${this.#host.identity}:${run}:${cell}`,
      tools: this.#host.tools,
      host: {
        ...this.#host.toolHost,
        files: workspace(this.#host.bucket, `workspaces/${this.#host.identity}/${run}`),
        llm: (request, aborting) => this.#llm.ask(run, request, aborting),
      },
      refusal: () => spentLimit(stateOf(this.#host.stores, run), "call"),
      needsApproval: ({ name, approval }) =>
        needsApproval(approval, { auto: runs.find(run)!.autoApprove, trusted: decisions.isTrusted(run, name) }),
      journal: journal.of(run, cell),
      signal,
      log: (text) => {
        if (logs.push(text) > shown) this.#record(run, { type: "cell-logged", cell, text });
      },
    });
    try {
      const ran = runCell({
        source: code,
        startedAt: opened.startedAt,
        seed: opened.seed,
        variables,
        backend: desk,
        runner: this.#host.runner,
      });
      const result = await Promise.race([ran, desk.stuck, aborted(signal)]);
      if (result === "stuck" || desk.isStuck) return this.#wait(run, cell);
      const answer = { ...result.answer, ...(logs.length > 0 ? { logs: shownLogs(logs) } : {}) };
      await this.#closeCell(run, step, { ...result, answer });
    } finally {
      desk.close();
    }
  }

  /** One transaction: the answer, the variables and the result are there together or not at all. */
  async #closeCell(run: string, { cell, turn }: CellStep, { answer, saved, done }: CellRun): Promise<void> {
    const { runs, variables, texts } = this.#host.stores;
    const prepared = await Promise.all(
      saved.map(async ({ variable, data }) => ({ variable, data: await texts.prepare(data) })),
    );
    const result = done === undefined ? undefined : await texts.prepare(done);
    const final: CellAnswer = { ...answer };
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
      if (result !== undefined) texts.write(`result:${run}`, result);
      runs.closeCell(run, cell, { answer: final, at: Date.now() });
    });
  }

  async #end(run: string, step: EndStep): Promise<void> {
    const { runs, texts } = this.#host.stores;
    const value = step.status === "succeeded" ? step.text : step.partial;
    const text = value === undefined ? undefined : encode(value).data;
    const stored = text ?? (await texts.load(`result:${run}`));
    const result = stored === undefined || stored.length > MAX_EVENT_RESULT_CHARS ? undefined : toPlain(stored);
    const failure = "failure" in step ? step.failure : undefined;
    const event: RunEvent = {
      type: "run-ended",
      status: step.status,
      ...(result === undefined ? {} : { result }),
      ...(failure === undefined ? {} : { failure: { kind: failure.kind, message: describeFailure(failure) } }),
    };
    this.#record(run, event, () => {
      if (text !== undefined) texts.write(`result:${run}`, prepareRows(text));
      runs.setStatus(run, { status: step.status, at: Date.now(), ...(failure === undefined ? {} : { failure }) });
    });
  }

  /** The run waits for a person, and holds nothing meanwhile. */
  #wait(run: string, cell: number): void {
    const { runs, journal, decisions } = this.#host.stores;
    this.#change(run, () => {
      journal.askInterrupted(run, cell);
      const pending = decisions.pending(run);
      if (pending.length === 0) return; // its result came in after all: the cell is simply replayed
      runs.setStatus(run, { status: "waiting", at: Date.now() });
      const tools = new Set(pending.map(({ tool }) => tool));
      runs.append(run, { type: "run-waiting", on: `a decision about ${[...tools].join(", ")}` }, Date.now());
    });
  }

  /** By the watchdog's word, or because the runtime went away under it too often: it isn't run again. */
  #hung(run: string, cell: number, startedAt: number): boolean {
    const { runs, journal } = this.#host.stores;
    if (runs.countAttempt(run, cell, journal.calls(run)) > MAX_ATTEMPTS) return true;
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

const MAX_SHOWN_LOG_CHARS = 4_000; // about 1,000 tokens for the model; the events have them all

const MAX_SHOWN_LINE_CHARS = 1_000;

/** The last lines of a cell's logs: they are what it was doing when it ended. */
function shownLogs(logs: string[]): string[] {
  let room = MAX_SHOWN_LOG_CHARS;
  const shown: string[] = [];
  for (const line of logs.toReversed()) {
    const part = line.length > MAX_SHOWN_LINE_CHARS ? `${line.slice(0, MAX_SHOWN_LINE_CHARS)}…` : line;
    room -= part.length + 1;
    if (room < 0) break;
    shown.unshift(part);
  }
  const hidden = logs.length - shown.length;
  return hidden === 0 ? shown : [`… ${hidden} earlier lines are not shown`, ...shown];
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
