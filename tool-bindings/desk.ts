import { CapabilityName } from "../src/contract/capability.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { Failure } from "../src/contract/failure.ts";
import type { DeskBackend } from "../src/kernel/desk-target.ts";
import type { CallReply } from "../src/kernel/job.ts";
import type { About, Decision } from "../src/orchestration/decision.ts";
import { afterInterruption, callKey, type CallRecord, canonical, type Journal } from "../src/orchestration/journal.ts";
import { type AnyTool, Suspended, type ToolContext, ToolFailure } from "./define.ts";
import { Delivery } from "./delivery.ts";
import { familyCalled, unknownTool } from "./discovery.ts";
import type { ToolHost } from "./host.ts";
import { declined, failureOf, refusal, success, unanswered } from "./reply.ts";

export interface DeskOptions {
  /** Names the cell among all cells: the base of idempotency keys. */
  cell: string;
  tools: readonly AnyTool[];
  host: ToolHost;
  /** G4: why no further call may be made, if so. Asked before each. */
  refusal?: () => Failure | undefined;
  /** Whether this tool's call must be put to a person first. */
  needsApproval?: (tool: AnyTool) => boolean;
  /** Why this agent may not call the tool, if so. */
  ungranted?: (tool: AnyTool) => string | undefined;
  journal: Journal;
  signal: AbortSignal;
  log: (text: string) => void;
  /** Called when it begins to be stuck: a desk inside another's call makes that one stick too. */
  onStuck?: () => void;
  /** How long a desk that sticks waits for the calls under way; `SETTLE_MS` when left out. */
  settleMs?: number;
}

/** A call as it was understood: what to record, and what to do. */
interface Understood {
  record: CallRecord;
  /** Absent when the call is refused as it stands. */
  tool?: AnyTool;
  /** The reply to a call that can't be made as things are: a person need not be asked about it. */
  check: () => string | undefined;
  /** With the arguments of the call, or with those that a person put in their place. */
  execute: (edited?: string) => Promise<string>;
}

const RUN = "library.run"; // what a call by a capability's own name is
const CALLERS_TROUBLE = new Set(["not-granted", "call-rejected", "call-expired", "budget-spent"]);
const GRACE_MS = 5; // for calls that were made together with one that sticks: they are asked about together
const SETTLE_MS = 30_000; // as long as the slowest request may take; what is under way after that counts as interrupted

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
  /** Set while a stuck desk waits for calls that were made together, and for those under way. */
  #grace: ReturnType<typeof setTimeout> | undefined;
  #patience: ReturnType<typeof setTimeout> | undefined;
  /** Calls that were started, act on the world and have no recorded result. */
  #acting = 0;
  /** What refused calls were told that says nothing against the code that made them. */
  readonly #troubles = new Set<string>();
  /** Calls under way: all of them, and those that wait for other agents. */
  #open = 0;
  #waiting = 0;
  /** The desks of capabilities that run in calls of this one, one for each such call. */
  readonly #inner = new Set<Desk>();

  constructor(options: DeskOptions) {
    this.#options = options;
  }

  /**
   * Resolves when a call can't go on without a decision (J4). A stuck desk starts nothing and delivers nothing: the cell is
   * to be abandoned, whatever it answers, and replayed once the decision is there. Calls that were under way come to their
   * end first and are recorded, so that none of them seems interrupted; reads are simply made again by the replay.
   */
  get stuck(): Promise<"stuck"> {
    return this.#stuck.promise;
  }

  get isStuck(): boolean {
    return this.#isStuck;
  }

  get isClosed(): boolean {
    return this.#isClosed;
  }

  /** True while all that the cell waits for is other agents, also those that a capability waits for. */
  get isPatient(): boolean {
    const inner = [...this.#inner].filter((desk) => desk.isPatient).length;
    return this.#open > 0 && this.#waiting + inner === this.#open;
  }

  /** Ties a capability's desk to this one, which its call came from, while `action` lasts. Both are closed together. */
  async within<T>(inner: Desk, action: () => Promise<T>): Promise<T> {
    this.#inner.add(inner);
    if (this.#isClosed) inner.close();
    try {
      return await action();
    } finally {
      this.#inner.delete(inner);
      inner.close();
    }
  }

  /** Something inside one of its calls waits for a person. */
  hold(): void {
    if (!this.#isStuck) this.#options.onStuck?.();
    this.#isStuck = true;
    if (this.#patience !== undefined) return;
    this.#patience = setTimeout(() => this.#stuck.resolve("stuck"), this.#options.settleMs ?? SETTLE_MS);
    this.#grace = setTimeout(() => {
      this.#grace = undefined;
      this.#settle();
    }, GRACE_MS);
  }

  /** What the cell waits for will take a person: it is abandoned and replayed later. Not while anything else is under way. */
  park(): void {
    if (!this.isPatient) return;
    this.#isStuck = true;
    this.#stuck.resolve("stuck");
  }

  /**
   * The attempt is over: the cell is refused whatever it still asks for. Of what is under way only the results of calls
   * that may not be made again are recorded; a replay makes the others itself.
   */
  close(): void {
    this.#isClosed = true;
    for (const desk of this.#inner) desk.close();
    clearTimeout(this.#grace);
    clearTimeout(this.#patience);
    this.#delivery.close();
    this.#closed.resolve(refusal("cell-ended", "The cell has ended."));
  }

  log(text: string): void {
    if (!this.#isClosed) this.#options.log(text);
  }

  async call(name: string, argsText: string): Promise<string> {
    this.#open++;
    try {
      return await Promise.race([this.#closed.promise, this.#call(name, argsText)]);
    } finally {
      this.#open--;
    }
  }

  async #call(name: string, argsText: string): Promise<string> {
    const { journal } = this.#options;
    const { record, tool, check, execute } = this.#understand(name, argsText);
    const known = await journal.find(record.key);
    if (this.#isClosed) return this.#closed.promise;
    if (known?.reply !== undefined && known.ordinal !== undefined) return this.#deliver(known.ordinal, known.reply); // J2

    const decision = journal.decided(record.key);
    const about = decision === undefined ? this.#about(tool, known) : undefined;
    const impossible = about === "approval" || about === "always" ? check() : undefined;
    if (about !== undefined && impossible === undefined) return this.#stick({ ...record, about }, tool);
    if (this.#isStuck) return this.#closed.promise;

    const isUsable = record.refused === undefined && impossible === undefined;
    const spent = known === undefined && isUsable ? this.#options.refusal?.() : undefined;
    if (decision?.decision === "approve") journal.use(record.key); // any other answer stays one for every attempt
    const refused = spent === undefined ? (impossible === undefined ? undefined : "unusable") : "overdrawn";
    if (known === undefined) journal.start(refused === undefined ? record : { ...record, effect: "read", refused }); // J1: record first
    const isActing = record.effect !== "read" && tool?.waits === undefined;
    if (isActing) this.#acting++;
    let recorded: { ordinal: number; reply: string };
    try {
      const reply =
        spent === undefined
          ? (impossible ?? (await follow({ name, tool }, decision, () => execute(journal.edited(record.key)))))
          : refusal(spent.kind, describeFailure(spent));
      if (this.#isClosed && afterInterruption(record.effect) === "run-again") return this.#closed.promise;
      recorded = await journal.finish(record.key, reply); // J1: before the cell sees it
    } catch (error) {
      if (!(error instanceof Suspended)) throw error;
      if (!this.#isClosed) this.hold();
      return this.#closed.promise;
    } finally {
      if (isActing) this.#acted();
    }
    return this.#deliver(recorded.ordinal, recorded.reply);
  }

  /** Why a call can't be made, or not made again, without a person, if so. */
  #about(tool: AnyTool | undefined, known: CallRecord | undefined): About | undefined {
    if (known !== undefined) return afterInterruption(known.effect) === "ask" ? "interrupted-call" : undefined;
    if (tool?.answeredBy === "person") return "question";
    if (tool === undefined || !this.#options.needsApproval?.(tool)) return undefined;
    return tool.approval === "always" ? "always" : "approval";
  }

  /** Nothing goes on until a person has decided. */
  #stick({ key, tool: name, args, about }: CallRecord & { about: About }, tool: AnyTool | undefined): Promise<string> {
    const options = tool?.answeredBy === "person" ? (JSON.parse(args) as { choices?: string[] }).choices : undefined;
    const { journal } = this.#options;
    // What would be made is shown: for a call that was made before, the arguments it was made with.
    const shown = about === "interrupted-call" ? (journal.edited(key) ?? args) : args;
    journal.ask({ key, about, tool: name, args: shown, ...(options === undefined ? {} : { options }) });
    this.hold();
    return this.#closed.promise;
  }

  #acted(): void {
    this.#acting--;
    this.#settle();
  }

  #settle(): void {
    if (this.#isStuck && this.#grace === undefined && this.#acting === 0) this.#stuck.resolve("stuck");
  }

  /** Whether an error is one of a call that was refused for the caller's sake: no grant, no budget, a person's no. */
  isCallersTrouble(message: string): boolean {
    return [...this.#troubles].some((trouble) => message.endsWith(trouble));
  }

  async #deliver(ordinal: number, reply: string): Promise<string> {
    this.#heed(reply);
    if (!this.#isClosed && !this.#isStuck) await this.#delivery.turn(ordinal);
    return this.#isClosed || this.#isStuck ? this.#closed.promise : reply;
  }

  #heed(text: string): void {
    if (!text.startsWith('{"ok":false')) return;
    const reply = JSON.parse(text) as CallReply;
    if (!reply.ok && CALLERS_TROUBLE.has(reply.error.kind)) this.#troubles.add(reply.error.message);
  }

  #understand(name: string, argsText: string): Understood {
    const { tools } = this.#options;
    const found = tools.find((candidate) => candidate.name === name);
    const args = parseJson(argsText);
    const text = args.ok ? args.canonical : argsText;
    const sameCall = callKey(name, text, 0);
    const occurrence = this.#seen.get(sameCall) ?? 0;
    this.#seen.set(sameCall, occurrence + 1);
    const key = callKey(name, text, occurrence);

    const unusable = (failure: ToolFailure): Understood => ({
      record: { key, tool: name, args: text, effect: "read", refused: "unusable" },
      check: () => undefined,
      execute: async () => failureOf(name, failure),
    });
    const refused = (kind: string, message: string): Understood => unusable(new ToolFailure(kind, message));
    const isCapability = found === undefined && CapabilityName.safeParse(name).success && !isFamily(name, tools);
    const tool = isCapability ? tools.find((candidate) => candidate.name === RUN) : found;
    if (tool === undefined)
      return {
        record: { key, tool: name, args: text, effect: "read", refused: "unusable" },
        check: () => undefined,
        execute: async () => failureOf(name, await this.#unknown(name)),
      };
    const ungranted = this.#options.ungranted?.(tool);
    if (ungranted !== undefined) return refused("not-granted", ungranted);
    if (!args.ok) return refused("bad-arguments", `The arguments of ${name} are not JSON, or nested too deeply.`);
    const parsed = tool.input.safeParse(isCapability ? { name, input: args.value } : args.value);
    if (!parsed.success)
      return refused(
        "bad-arguments",
        `${name}: ${parsed.error.issues.map((issue) => `${issue.path.join(".") || "arguments"}: ${issue.message}`).join("; ")}`,
      );
    return {
      record: { key, tool: name, args: text, effect: tool.effect },
      tool,
      check: () => this.#check(tool, parsed.data, key),
      // Edited arguments were checked against the same schema when they came in.
      execute: (edited) =>
        this.#execute(tool, edited === undefined ? parsed.data : tool.input.parse(JSON.parse(edited)), { key, name }),
    };
  }

  /** Names like it, of tools and of capabilities. */
  async #unknown(name: string): Promise<ToolFailure> {
    const { tools, host } = this.#options;
    const names = tools.map((candidate) => candidate.name);
    if (isFamily(name, tools)) return familyCalled(name, names);
    return unknownTool(name, [...names, ...(await host.library.nearest(name).catch(() => []))]);
  }

  #context(key: string): ToolContext {
    const { signal, host, cell } = this.#options;
    return { signal, host, idempotencyKey: `${cell}:${key}` };
  }

  #check(tool: AnyTool, args: never, key: string): string | undefined {
    try {
      tool.check?.(args, this.#context(key));
      return undefined;
    } catch (error) {
      return failureOf(tool.name, error);
    }
  }

  async #execute(tool: AnyTool, args: never, { key, name }: { key: string; name: string }): Promise<string> {
    if (tool.waits) this.#waiting++;
    try {
      return success(await tool.execute(args, this.#context(key)));
    } catch (error) {
      if (this.#options.signal.aborted) throw error; // the run is over: nothing is recorded for nobody
      if (error instanceof Suspended) throw error;
      const isUnknown = error instanceof ToolFailure && error.kind === "unknown-capability" && name !== tool.name;
      return failureOf(name, isUnknown ? await this.#unknown(name) : error);
    } finally {
      if (tool.waits) this.#waiting--;
    }
  }
}

const isFamily = (name: string, tools: readonly AnyTool[]): boolean =>
  tools.some((tool) => tool.name.startsWith(`${name}.`));

/** What comes of a call once a person has spoken, or at once when none has to. */
async function follow(
  { name, tool }: { name: string; tool: AnyTool | undefined },
  decision: Decision | undefined,
  execute: () => Promise<string>,
): Promise<string> {
  if (decision === undefined || decision.decision === "approve") return execute();
  if (decision.decision === "answer") return success(decision.answer);
  return tool?.answeredBy === "person" ? unanswered(decision) : declined(name, decision);
}

/** Canonical text comes along: making it can fail too, for what is nested too deeply. */
function parseJson(text: string): { ok: true; value: unknown; canonical: string } | { ok: false } {
  try {
    const value: unknown = JSON.parse(text);
    return { ok: true, value, canonical: canonical(value) };
  } catch {
    return { ok: false };
  }
}
