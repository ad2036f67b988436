/**
 * What is drawn from a run once it has ended: a lesson, the credit of the capabilities it used, and perhaps a new capability.
 * Never part of the run: its answer is out before this begins, and nothing in here can change it.
 *
 * Holds nothing: a run is marked as settled when all of it is done, and each part may be done again. Model calls are cached by
 * the run, so that none is paid for twice (J2), and count against what is left of its budget.
 */
import { CapabilityDraft } from "../src/contract/capability.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { Result } from "../src/contract/failure.ts";
import type { LibraryApi, Saved } from "../src/contract/library.ts";
import type { Brief } from "../src/contract/model.ts";
import { toPlain } from "../src/kernel/plain.ts";
import type { Model } from "../src/model/port.ts";
import { codeOf, type EndedRun, isWorthDistilling, lessonOf } from "../src/orchestration/aftermath.ts";
import {
  DISTIL_PROMPT,
  DISTILLED_SCHEMA,
  distilData,
  type Material,
  repairPrompt,
} from "../src/orchestration/distillation.ts";
import type { LlmRequest } from "../tool-bindings/llm.ts";
import type { RunRow } from "./run-store.ts";
import type { Stores } from "./stores.ts";

const MAX_CELLS = 60;
const MAX_INPUT_CHARS = 4_000; // of inputs that become a test; longer ones are shown cut and serve for none

export interface AftermathHost {
  stores: Stores;
  library: () => LibraryApi;
  model: () => Result<Model>;
  ask: (run: string, request: LlmRequest, signal: AbortSignal) => Promise<Result<unknown>>;
  /** What a run saved in tokens by what it used. */
  saved: (run: string, tokens: number) => Promise<void>;
  /** What was spent after the run's end is to be told too. */
  settled: (row: RunRow) => Promise<void>;
  /** Off: no capability is made from runs. */
  distils: boolean;
}

export class Aftermath {
  readonly #host: AftermathHost;
  #isSettling = false;

  constructor(host: AftermathHost) {
    this.#host = host;
  }

  /** Draws what there is to draw from the runs that have ended. One after another. */
  async settle(): Promise<void> {
    if (this.#isSettling) return;
    this.#isSettling = true;
    const { runs } = this.#host.stores;
    try {
      for (let row = runs.unsettled()[0]; row !== undefined; row = runs.unsettled()[0]) {
        try {
          await this.#draw(row);
        } catch (error) {
          // A lesson less: nothing that anybody waits for.
          console.error("nothing could be drawn from", row.id, error instanceof Error ? error.message : error);
        }
        runs.markSettled(row.id);
        await this.#host.settled(row);
      }
    } finally {
      this.#isSettling = false;
    }
  }

  async #draw(row: RunRow): Promise<void> {
    const run = this.#endedRun(row);
    const library = this.#host.library();
    const lesson = lessonOf(run);
    if (lesson !== undefined) await library.remember(lesson);
    const used = this.#capabilitiesOf(row.id);
    const saved =
      used.length > 0 && row.status === "succeeded"
        ? await library.credit({ id: row.id, tokens: run.tokens }, used)
        : 0;
    if (saved > 0) await this.#host.saved(row.id, saved);
    if (this.#host.distils) await this.#distil(row, run);
  }

  async #distil(row: RunRow, run: EndedRun): Promise<void> {
    const model = this.#host.model();
    const byRule = model.ok ? model.value.distil : undefined;
    if (!isWorthDistilling(run, byRule !== undefined)) return;
    const material = await this.#material(row, run);
    if (byRule !== undefined) {
      const draft = CapabilityDraft.safeParse(byRule(material));
      if (draft.success) await this.#save(row, run, draft.data);
      return;
    }
    const request: LlmRequest = {
      prompt: DISTIL_PROMPT,
      tier: "small",
      data: distilData(material) as NonNullable<LlmRequest["data"]>, // bounded JSON
      schema: DISTILLED_SCHEMA as NonNullable<LlmRequest["schema"]>,
    };
    const first = await this.#askForDraft(row.id, request);
    const saved = first && (await this.#save(row, run, first));
    if (first === undefined || saved === undefined || saved.saved || saved.duplicate !== undefined) return;
    const again = await this.#askForDraft(row.id, {
      ...request,
      prompt: `${DISTIL_PROMPT}\n${repairPrompt(saved.reasons)}`,
    });
    if (again !== undefined) await this.#save(row, run, again);
  }

  async #askForDraft(run: string, request: LlmRequest): Promise<CapabilityDraft | undefined> {
    const answer = await this.#host.ask(run, request, AbortSignal.timeout(120_000));
    if (!answer.ok) {
      console.warn("no capability is made from", run, describeFailure(answer.failure));
      return undefined;
    }
    const { serves, draft } = answer.value as { serves?: boolean; draft?: unknown }; // checked against the schema
    const parsed = CapabilityDraft.safeParse(draft);
    return serves === true && parsed.success ? parsed.data : undefined;
  }

  async #save(row: RunRow, run: EndedRun, draft: CapabilityDraft): Promise<Saved | undefined> {
    const saved = await this.#host
      .library()
      .save(draft, { run: row.id, goal: row.goal, grants: [], by: "distillation", tokens: run.tokens });
    return saved.ok ? saved.value : undefined;
  }

  async #material(row: RunRow, run: EndedRun): Promise<Material> {
    const { texts, variables } = this.#host.stores;
    const brief = JSON.parse((await texts.load(`brief:${row.id}`)) ?? "{}") as Partial<Brief>;
    const inputs: Record<string, unknown> = {};
    let room = MAX_INPUT_CHARS;
    for (const { name } of brief.variables ?? []) {
      const data = await variables.load(name);
      room -= data?.length ?? 0;
      if (data !== undefined && room >= 0) inputs[name] = toPlain(data);
    }
    const result = await texts.load(`result:${row.id}`);
    return {
      goal: row.goal,
      code: codeOf(run)!, // a run without is not worth distilling
      variables: brief.variables ?? [],
      inputs,
      result: result === undefined ? null : toPlain(result),
    };
  }

  #endedRun(row: RunRow): EndedRun {
    const { runs, journal, ledger } = this.#host.stores;
    const turns = runs.turns(row.id);
    const { input, output, cacheRead, cacheWrite } = ledger.spent(row.id);
    const last = turns.at(-1);
    return {
      goal: row.goal,
      status: row.status,
      ...(row.failure === undefined
        ? {}
        : { failure: { kind: row.failure.kind, message: describeFailure(row.failure) } }),
      turns: turns.length,
      tokens: input + output + cacheRead + cacheWrite,
      cells: runs.cellViews(row.id, { after: 0, limit: MAX_CELLS }),
      tools: journal.toolsOf(row.id).map(({ tool }) => tool),
      isByCode: last?.cell?.answer?.done === true,
      model: last?.reply?.model,
    };
  }

  /** By the calls that ran one: `library.run`, or a name without a dot. */
  #capabilitiesOf(run: string): { name: string; version?: number }[] {
    return this.#host.stores.journal.toolsOf(run).flatMap(({ tool, args }) => {
      if (tool !== "library.run") return tool.includes(".") ? [] : [{ name: tool }];
      try {
        const { name, version } = JSON.parse(args) as { name: string; version?: number };
        return [{ name, ...(version === undefined ? {} : { version }) }];
      } catch {
        return []; // its arguments were too long to be kept whole
      }
    });
  }
}
