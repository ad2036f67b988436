import { describeFailure } from "../src/contract/describe.ts";
import type { Failure } from "../src/contract/failure.ts";
import type { CallReply } from "../src/kernel/job.ts";
import type { DeskBackend } from "../src/kernel/desk-target.ts";
import { afterInterruption, callKey, type CallRecord, canonical, type Journal } from "../src/orchestration/journal.ts";
import { type AnyTool, ToolFailure } from "./define.ts";
import { Delivery } from "./delivery.ts";
import { unknownTool } from "./discovery.ts";
import type { ToolHost } from "./host.ts";

export interface DeskOptions {
  /** Names the cell among all cells: the base of idempotency keys. */
  cell: string;
  tools: readonly AnyTool[];
  host: ToolHost;
  /** G4: why no further call may be made, if so. Asked before each. */
  refusal?: () => Failure | undefined;
  journal: Journal;
  signal: AbortSignal;
  log: (text: string) => void;
}

/** A call as it was understood: what to record, and what to do. */
interface Understood {
  record: CallRecord;
  execute: () => Promise<string>;
}

/**
 * The host's side of every tool call: find, check, journal, execute, record, deliver.
 *
 * Holds only what one attempt of one cell needs. The journal is durable and written nowhere else (J5). Every call is
 * journaled, refused ones too: their replies move the clock and win races like any other (J3, J6).
 */
export class Desk implements DeskBackend {
  readonly #options: DeskOptions;
  readonly #seen = new Map<string, number>();
  readonly #delivery = new Delivery();
  readonly #closed = Promise.withResolvers<string>();
  readonly #stuck = Promise.withResolvers<"stuck">();
  #isClosed = false;
  #isStuck = false;

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /**
   * Resolves when a call can't go on without a decision (J4). A stuck desk starts nothing and delivers nothing: the cell is
   * to be abandoned, whatever it answers, and replayed once the decision is there. A replay asks for all that was
   * interrupted before it can start anything new, so nothing new is under way then.
   */
  get stuck(): Promise<"stuck"> {
    return this.#stuck.promise;
  }

  get isStuck(): boolean {
    return this.#isStuck;
  }

  /**
   * The attempt is over: the cell is refused whatever it still asks for. Of what is under way only the results of calls
   * that may not be made again are recorded; a replay makes the others itself.
   */
  close(): void {
    this.#isClosed = true;
    this.#delivery.close();
    this.#closed.resolve(refusal("cell-ended", "The cell has ended."));
  }

  log(text: string): void {
    if (!this.#isClosed) this.#options.log(text);
  }

  call(name: string, argsText: string): Promise<string> {
    return Promise.race([this.#closed.promise, this.#call(name, argsText)]);
  }

  async #call(name: string, argsText: string): Promise<string> {
    const { journal } = this.#options;
    const { record, execute } = this.#understand(name, argsText);
    const known = await journal.find(record.key);
    if (this.#isClosed || this.#isStuck) return this.#closed.promise;
    if (known?.reply !== undefined && known.ordinal !== undefined) return this.#deliver(known.ordinal, known.reply); // J2

    let action = execute;
    if (known === undefined) {
      const spent = this.#options.refusal?.();
      if (spent !== undefined) action = async () => refusal(spent.kind, describeFailure(spent));
      journal.start(spent === undefined ? record : { ...record, effect: "read" }); // J1: record first
    } else if (afterInterruption(known.effect) === "ask") {
      const answer = journal.decided(record.key);
      if (answer === undefined) {
        this.#isStuck = true;
        this.#stuck.resolve("stuck");
        return this.#closed.promise;
      }
      if (answer.decision === "approve") journal.restart(record.key);
      else action = () => rejection(name, answer.note);
    }
    const reply = await action();
    if (this.#isClosed && afterInterruption(record.effect) === "run-again") return this.#closed.promise;
    const recorded = await journal.finish(record.key, reply); // J1: before the cell sees it
    return this.#deliver(recorded.ordinal, recorded.reply);
  }

  async #deliver(ordinal: number, reply: string): Promise<string> {
    if (!this.#isClosed && !this.#isStuck) await this.#delivery.turn(ordinal);
    return this.#isClosed || this.#isStuck ? this.#closed.promise : reply;
  }

  #understand(name: string, argsText: string): Understood {
    const { tools } = this.#options;
    const tool = tools.find((candidate) => candidate.name === name);
    const args = parseJson(argsText);
    const text = args.ok ? canonical(args.value) : argsText;
    const sameCall = callKey(name, text, 0);
    const occurrence = this.#seen.get(sameCall) ?? 0;
    this.#seen.set(sameCall, occurrence + 1);
    const key = callKey(name, text, occurrence);

    const refused = (kind: string, message: string): Understood => ({
      record: { key, tool: name, args: text, effect: "read" },
      execute: async () => refusal(kind, message),
    });
    if (tool === undefined)
      return refused(
        "unknown-tool",
        unknownTool(
          name,
          tools.map((known) => known.name),
        ).message,
      );
    if (!args.ok) return refused("bad-arguments", `The arguments of ${name} are not JSON.`);
    const parsed = tool.input.safeParse(args.value);
    if (!parsed.success)
      return refused(
        "bad-arguments",
        `${name}: ${parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`).join("; ")}`,
      );
    return {
      record: { key, tool: name, args: text, effect: tool.effect },
      execute: () => this.#execute(tool, parsed.data, key),
    };
  }

  async #execute(tool: AnyTool, args: never, key: string): Promise<string> {
    try {
      const value = await tool.execute(args, {
        signal: this.#options.signal,
        host: this.#options.host,
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
const rejection = async (tool: string, note: string | undefined): Promise<string> =>
  refusal(
    "call-rejected",
    `${tool} was interrupted and a person decided not to repeat it${note === undefined ? "" : `: ${note}`}.`,
  );

function parseJson(text: string): { ok: true; value: unknown } | { ok: false } {
  try {
    return { ok: true, value: JSON.parse(text) };
  } catch {
    return { ok: false };
  }
}
