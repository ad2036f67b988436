import type { CallReply } from "../src/kernel/job.ts";
import type { DeskBackend } from "../src/kernel/desk-target.ts";
import { afterInterruption, callKey, type CallRecord, canonical, type Journal } from "../src/orchestration/journal.ts";
import { type AnyTool, ToolFailure } from "./define.ts";
import { Delivery } from "./delivery.ts";

export interface DeskOptions {
  /** Names the cell among all cells: the base of idempotency keys. */
  cell: string;
  tools: readonly AnyTool[];
  journal: Journal;
  signal: AbortSignal;
  log: (text: string) => void;
  /** What was decided about a call that was interrupted (J4), if anything. */
  decided: (key: string) => { decision: "approve" | "reject"; note?: string } | undefined;
  /** Called for a call that can't go on without a decision. The cell is then abandoned: its reply never comes. */
  suspend: (record: CallRecord) => void;
}

/**
 * The host's side of every tool call: find, check, journal, execute, record, deliver.
 *
 * Holds only what one attempt of one cell needs. The journal is durable and written nowhere else (J5).
 */
export class Desk implements DeskBackend {
  readonly #options: DeskOptions;
  readonly #seen = new Map<string, number>();
  readonly #delivery = new Delivery();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  log(text: string): void {
    this.#options.log(text);
  }

  async call(name: string, argsText: string): Promise<string> {
    const { tools, journal } = this.#options;
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined)
      return refusal("unknown-tool", `No tool "${name}". Known: ${tools.map((known) => known.name).join(", ")}.`);
    let args: unknown;
    try {
      args = JSON.parse(argsText);
    } catch {
      return refusal("bad-arguments", `The arguments of ${name} are not JSON.`);
    }
    const parsed = tool.input.safeParse(args);
    if (!parsed.success)
      return refusal(
        "bad-arguments",
        `${name}: ${parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`).join("; ")}`,
      );

    const canonicalArgs = canonical(args);
    const sameCall = callKey(name, canonicalArgs, 0);
    const occurrence = this.#seen.get(sameCall) ?? 0;
    this.#seen.set(sameCall, occurrence + 1);
    const key = callKey(name, canonicalArgs, occurrence);

    const known = await journal.find(key);
    if (known?.reply !== undefined && known.ordinal !== undefined)
      return this.#delivery.deliver(known.ordinal, known.reply); // J2
    const record: CallRecord = known ?? { key, tool: name, args: canonicalArgs, effect: tool.effect };
    if (known === undefined) journal.start(record); // J1: record first
    else {
      const refused = await this.#interrupted(record);
      if (refused !== undefined) return refused;
    }
    const reply = await this.#execute(tool, parsed.data, key);
    return this.#delivery.deliver(await journal.finish(key, reply), reply);
  }

  /** J4. Returns the reply when the call is not to be made again; never returns while a decision is missing. */
  async #interrupted(record: CallRecord): Promise<string | undefined> {
    if (afterInterruption(record.effect) === "run-again") return undefined;
    const answer = this.#options.decided(record.key);
    if (answer === undefined) {
      this.#options.suspend(record);
      return new Promise<never>(() => {});
    }
    if (answer.decision === "approve") return undefined;
    const reply = refusal(
      "call-rejected",
      `${record.tool} was interrupted and a person decided not to repeat it${answer.note === undefined ? "" : `: ${answer.note}`}.`,
    );
    return this.#delivery.deliver(await this.#options.journal.finish(record.key, reply), reply);
  }

  async #execute(tool: AnyTool, args: never, key: string): Promise<string> {
    try {
      const value = await tool.execute(args, {
        signal: this.#options.signal,
        idempotencyKey: `${this.#options.cell}:${key}`,
      });
      return replyText({ ok: true, value: value ?? null, at: Date.now() });
    } catch (error) {
      if (this.#options.signal.aborted) throw error; // the run is over: nothing is recorded for nobody
      if (error instanceof ToolFailure)
        return replyText({
          ok: false,
          error: {
            kind: error.kind,
            message: error.message,
            ...(error.data === undefined ? {} : { data: error.data }),
          },
          at: Date.now(),
        });
      return refusal("tool-broken", `${tool.name} broke: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
}

const replyText = (reply: CallReply): string => JSON.stringify(reply);
const refusal = (kind: string, message: string): string =>
  replyText({ ok: false, error: { kind, message }, at: Date.now() });
