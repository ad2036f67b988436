/**
 * Runs capabilities for the cells of an agent. A run is a cell inside a cell: it has a desk of its own, which reaches what the
 * agent may reach and the capability says it needs (L4), and a journal of its own, so that J1 to J4 hold inside as outside.
 *
 * In memory is only what was compiled: the rest is in the journal and in the library.
 */
import { createHash } from "node:crypto";
import { hashOf, parseSourceFile } from "../src/capabilities/source-file.ts";
import type { CellError } from "../src/contract/cell.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { Failure, Result } from "../src/contract/failure.ts";
import { isJsonObject } from "../src/contract/json.ts";
import type { LibraryApi, Runnable } from "../src/contract/library.ts";
import { encode } from "../src/kernel/codec.ts";
import type { CallReply } from "../src/kernel/job.ts";
import { type EmittedModule, emitModule } from "../src/kernel/module.ts";
import { moduleId, runModule } from "../src/kernel/module-run.ts";
import type { CellRunnerApi } from "../src/kernel/runner.ts";
import { Suspended, ToolFailure } from "../tool-bindings/define.ts";
import type { Desk } from "../tool-bindings/desk.ts";
import type { DeskScope } from "./cell-desk.ts";
import { mayRun } from "./capability-grant.ts";
import type { NestedCell } from "./nested-store.ts";
import { problemsOf } from "./result.ts";
import type { Stores } from "./stores.ts";

const MAX_DEPTH = 5; // capabilities inside one another: more is one that calls itself
const MAX_COMPILED = 100; // kept; any other is compiled again

export interface CapabilityRunsHost {
  stores: Stores;
  runner: CellRunnerApi;
  tenant: () => string;
  library: () => LibraryApi;
  openDesk: (scope: DeskScope) => Desk;
}

export interface CapabilityOrder {
  name: string;
  input: unknown;
  version?: number | undefined;
}

/** The call it is run in: its key, its desk, and what that desk is of. */
export interface CapabilityCall {
  key: string;
  scope: DeskScope;
  desk: Desk;
}

type Ended = { ok: true; output: unknown } | { ok: false; error: Pick<CellError, "kind" | "message"> | CellError };

export class CapabilityRuns {
  readonly #host: CapabilityRunsHost;
  readonly #compiled = new Map<string, { module: EmittedModule; id: string }>();

  constructor(host: CapabilityRunsHost) {
    this.#host = host;
  }

  async run(order: CapabilityOrder, call: CapabilityCall): Promise<unknown> {
    const { name, input } = order;
    const { scope, key } = call;
    if (!mayRun(name, scope)) throw new ToolFailure("not-granted", notGranted(name, scope));
    const depth = (scope.capability?.depth ?? 0) + 1;
    if (depth > MAX_DEPTH)
      throw new ToolFailure(
        "too-deep",
        `${name} would be ${depth} capabilities deep; ${MAX_DEPTH} may run inside one another.`,
      );
    const { chosen, cell } = await this.#open(order, call);
    const misfits = chosen.input === undefined ? [] : problemsOf(input, chosen.input);
    if (misfits.length > 0)
      throw new ToolFailure("bad-arguments", `${name}: the input does not fit: ${misfits.join("; ")}`);
    const desk = this.#host.openDesk({
      ...scope,
      cell: cell.cell,
      seed: cell.seed,
      capability: { name, needs: chosen.kind === "agent" ? ["agents.call"] : chosen.needs, depth },
      log: () => {}, // a replay of the caller would not see them again
      onStuck: () => call.desk.hold(),
    });
    const begun = Date.now();
    const ended = await call.desk.within(desk, () => this.#finish(chosen, { input, cell, desk, signal: scope.signal }));
    // What its caller may not, or what its own tests demand, says nothing against it.
    const isItsOwn =
      ended.ok || (!desk.isCallersTrouble(ended.error.message) && !isPromised(chosen, ended.error.message));
    if (isItsOwn) await this.#record(key, { scope, chosen, ended, ms: Date.now() - begun });
    if (ended.ok) return ended.output;
    const { kind, message, ...place } = ended.error;
    const at = "line" in ended.error ? ` (line ${ended.error.line})` : "";
    throw new ToolFailure("capability-failed", `${name} version ${chosen.version} failed${at}: ${message}`, {
      name,
      version: chosen.version,
      cause: { kind, message, ...place },
    });
  }

  /** The version and the cell: those of the first attempt, when there was one. */
  async #open(order: CapabilityOrder, { scope, key }: CapabilityCall): Promise<{ chosen: Runnable; cell: NestedCell }> {
    const { nested } = this.#host.stores.journal;
    const { run, root } = scope;
    const known = nested.find(run, key);
    if (known !== undefined) return { chosen: await this.#recall(order.name, known.version), cell: known };
    const chosen = valueOf(
      await this.#host.library().choose(order.name, order.version, rollOf(`${run}:${order.name}`)),
    );
    const seed = createHash("sha256").update(`${scope.seed}:${key}`).digest("hex").slice(0, 32);
    const cell = nested.open(run, key, { root, version: chosen.version, seed, startedAt: Date.now() });
    // Another attempt at the same call was faster, and had another version.
    return { chosen: cell.version === chosen.version ? chosen : await this.#recall(order.name, cell.version), cell };
  }

  /** A version that was begun is gone on with, whatever became of it in the library since. */
  async #recall(name: string, version: number): Promise<Runnable> {
    const { file } = valueOf(await this.#host.library().source(name, version));
    const { manifest } = valueOf(parseSourceFile(file));
    const { description } = manifest;
    const base = { name, version, hash: hashOf(file), file, description };
    if (manifest.kind === "agent") return { ...base, kind: "agent", needs: [], agent: manifest.agent };
    const { input, output, needs = [] } = manifest;
    return { ...base, kind: "function", needs, input, output };
  }

  /** Its end, checked; throws Suspended when it can't come to one now. */
  async #finish(chosen: Runnable, running: Running): Promise<Ended> {
    const { desk, signal } = running;
    const ran = chosen.kind === "agent" ? this.#callAgent(chosen, running) : this.#runModule(chosen, running);
    const result = await Promise.race([ran, desk.stuck, aborted(signal)]);
    if (desk.isClosed) throw new Suspended(); // its caller has ended
    if (result === "stuck" || desk.isStuck) {
      await Promise.race([desk.stuck, aborted(signal)]); // calls under way come to their end
      throw new Suspended();
    }
    if (!result.ok || chosen.output === undefined) return result;
    const misfits = problemsOf(result.output, chosen.output);
    if (misfits.length === 0) return result;
    return { ok: false, error: { kind: "output", message: `its output does not fit: ${misfits.join("; ")}` } };
  }

  async #runModule(chosen: Runnable, { input, cell, desk }: Running): Promise<Ended> {
    const compiled = this.#compile(chosen);
    if ("error" in compiled) return { ok: false, error: compiled.error };
    return runModule({
      ...compiled,
      input: encode(input).data,
      startedAt: cell.startedAt,
      seed: cell.seed,
      backend: desk,
      runner: this.#host.runner,
      isPatient: () => desk.isPatient,
    });
  }

  /** L1: by its hash. */
  #compile({ hash, file }: Runnable): { module: EmittedModule; id: string } | { error: CellError } {
    const known = this.#compiled.get(hash);
    if (known !== undefined) return known;
    if (hashOf(file) !== hash) return { error: broken("its file is not the one that was saved") };
    const parsed = parseSourceFile(file);
    if (!parsed.ok) return { error: broken(describeFailure(parsed.failure)) };
    const module = emitModule(parsed.value.source);
    if (!module.ok) return { error: module.error };
    const compiled = { module: module.value, id: moduleId(this.#host.tenant(), module.value) };
    if (this.#compiled.size >= MAX_COMPILED) this.#compiled.clear();
    this.#compiled.set(hash, compiled);
    return compiled;
  }

  /** Through its desk, as code would call one: G1 holds, and it waits as a cell does. */
  async #callAgent(chosen: Runnable, { input, desk }: Running): Promise<Ended> {
    const given = isJsonObject(input) && typeof input["task"] === "string" ? input["task"] : undefined;
    const args = { who: chosen.agent, task: given ?? chosen.description, data: input };
    const reply = JSON.parse(await desk.call("agents.call", JSON.stringify(args))) as CallReply;
    if (!reply.ok) return { ok: false, error: { kind: "thrown", message: reply.error.message } };
    const { value } = reply;
    if (!isJsonObject(value) || !isJsonObject(value["failure"])) return { ok: true, output: value };
    return { ok: false, error: { kind: "thrown", message: String(value["failure"]["message"]) } };
  }

  /** Statistics must not cost a run: when the library is away, one use is not counted. */
  async #record(key: string, { scope, chosen, ended, ms }: Recording): Promise<void> {
    const { name, version } = chosen;
    const goal = this.#host.stores.runs.find(scope.run)?.goal ?? "";
    const error = ended.ok ? {} : { error: ended.error.message };
    try {
      await this.#host.library().record(key, { name, version, ok: ended.ok, ms, ...error, caller: scope.run, goal });
    } catch (problem) {
      console.warn("a use was not recorded", name, problem);
    }
  }
}

interface Running {
  input: unknown;
  cell: NestedCell;
  desk: Desk;
  signal: AbortSignal;
}

interface Recording {
  scope: DeskScope;
  chosen: Runnable;
  ended: Ended;
  ms: number;
}

/** An error that one of its own tests asks for by its input alone: it refuses what it must. What a tool's answer led to is none. */
function isPromised({ file }: Runnable, message: string): boolean {
  const parsed = parseSourceFile(file);
  if (!parsed.ok || parsed.value.manifest.kind !== "function") return false;
  return parsed.value.manifest.tests.some(
    (test) =>
      "throws" in test && typeof test.throws === "string" && test.tools === undefined && message.includes(test.throws),
  );
}

/** One draw for all uses of a capability in a run: half of it by one version and half by another would serve nobody. */
const rollOf = (text: string): number =>
  Number.parseInt(createHash("sha256").update(text).digest("hex").slice(0, 8), 16) / 2 ** 32;

const broken = (message: string): CellError => ({ kind: "lost", message, hint: "Save it again." });

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw toolFailure(result.failure);
}

const toolFailure = ({ kind, ...data }: Failure): ToolFailure =>
  new ToolFailure(kind, describeFailure({ kind, ...data } as Failure), data);

function notGranted(name: string, { capability }: DeskScope): string {
  return capability === undefined
    ? `This agent may not run capabilities: library is not among its tools. What it can't do itself it asks for with escalate({ need, why }).`
    : `${capability.name} may not run ${name}: it is not in its needs.`;
}

const aborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_, reject) => {
    if (signal.aborted) reject(signal.reason as Error);
    signal.addEventListener("abort", () => reject(signal.reason as Error), { once: true });
  });
