import type { CellAnswer, CellError, CellErrorKind } from "../contract/cell.ts";
import { analyseCell, type EmittedCell, emitCell } from "./compile.ts";
import { type DeskBackend, DeskTarget } from "./desk-target.ts";
import { CELL_LIMITS, type CellJob, type CellLimits, type CellOutcome, PART_CHARS } from "./job.ts";
import { isEncoded, Outcome } from "./outcome.ts";
import type { CellCode, CellRunnerApi } from "./runner.ts";
import { loadsFor, storable, type StoredVariable, type VariableSource } from "./variables.ts";

export interface CellRequest {
  source: string;
  /** J6: recorded with the cell, the same at every attempt. */
  startedAt: number;
  seed: string;
  variables: VariableSource;
  backend: DeskBackend;
  runner: CellRunnerApi;
  limits?: CellLimits;
  /** True while the cell waits for other agents: that time is theirs, and no reason to end it. */
  isPatient?: () => boolean;
}

export interface CellRun {
  answer: CellAnswer;
  /** To be stored together with the answer, in one transaction. */
  saved: { variable: StoredVariable; data: string }[];
  /** The encoded value of the cell, when it has one that can be kept. */
  value?: string;
  /** The encoded value of `done`, when the cell called it and did not fail. */
  done?: string;
}

const MAX_LISTED = 100; // variables an answer names: it is read by a model, and `GET …/variables` has them all
const INLINE_CHARS = 2 * PART_CHARS; // what a job carries itself; one message holds 32 MiB

/** Compiles and runs one cell. Writes nothing: what it returns is for the caller to record. */
export async function runCell(request: CellRequest): Promise<CellRun> {
  const analysis = analyseCell(request.source);
  if (!analysis.ok) return failed(analysis.error);
  const declared = new Map(
    analysis.value.declares.map(({ name, kind }) => [name, kind === "const" ? ("const" as const) : ("let" as const)]),
  );
  const loads = loadsFor(analysis.value.free, new Set(declared.keys()), request.variables);
  const emitted = emitCell(analysis.value, loads);
  if (!emitted.ok) return failed(emitted.error);

  const texts = await Promise.all(
    loads.map(async ({ name }) => [name, (await request.variables.load(name)) ?? "[null,[]]"] as const),
  );
  const ran = await runIsolated({ module: emitted.value.module }, texts, request);
  if (!ran.ok) return failed(ran.error);
  const kinds = (name: string): "const" | "let" | undefined =>
    declared.get(name) ?? loads.find((load) => load.name === name)?.kind;
  return finish(ran.outcome, { emitted: emitted.value, kinds, kept: (name) => DeskTarget.kept(ran.desk, name) });
}

/** What every run of compiled code is given, be it a cell's or a capability's. */
export type IsolatedRequest = Pick<CellRequest, "startedAt" | "seed" | "backend" | "runner" | "limits" | "isPatient">;

/** One run of compiled code in an isolate: what came back, of a form and size that make sense, or why nothing did. */
export async function runIsolated(
  code: CellCode,
  texts: readonly (readonly [name: string, data: string])[],
  request: IsolatedRequest,
): Promise<{ ok: true; outcome: CellOutcome; desk: DeskTarget } | { ok: false; error: CellError }> {
  const limits = request.limits ?? CELL_LIMITS;
  const { variables, large } = gather(texts);
  const job: CellJob = { fuel: limits.fuel, startedAt: request.startedAt, seed: request.seed, variables, limits };
  const desk = new DeskTarget(request.backend, limits, large);
  const ran = await attempt(() => request.runner.run(code, job, desk), {
    wallMs: limits.wallMs,
    isPatient: request.isPatient ?? (() => false),
  });
  if (!ran.ok) return ran;
  const outcome = Outcome.safeParse(ran.value);
  (ran.value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.(); // the host keeps nothing of the isolate
  return outcome.success
    ? { ok: true, outcome: outcome.data, desk }
    : { ok: false, error: cellError("lost", "The isolate's answer made no sense.") };
}

function gather(texts: readonly (readonly [name: string, data: string])[]): {
  variables: CellJob["variables"];
  large: Map<string, string>;
} {
  const variables: CellJob["variables"] = {};
  const large = new Map<string, string>();
  let room = INLINE_CHARS;
  for (const [name, data] of texts) {
    room -= data.length;
    if (room >= 0) variables[name] = { data };
    else {
      large.set(name, data);
      variables[name] = { parts: Math.ceil(data.length / PART_CHARS) };
    }
  }
  return { variables, large };
}

const LOOK_MS = 5_000; // how often it is looked whether a cell still waits for others

async function attempt(
  run: () => Promise<unknown>,
  { wallMs, isPatient }: { wallMs: number; isPatient: () => boolean },
): Promise<{ ok: true; value: unknown } | { ok: false; error: CellError }> {
  let timer: ReturnType<typeof setInterval> | undefined;
  const late = new Promise<{ ok: false; error: CellError }>((resolve) => {
    let left = wallMs;
    const every = Math.min(LOOK_MS, wallMs);
    timer = setInterval(() => {
      if (!isPatient()) left -= every;
      if (left <= 0)
        resolve({ ok: false, error: cellError("timeout", `The cell ran for more than ${wallMs / 1000} s.`) });
    }, every);
  });
  try {
    return await Promise.race([run().then((value) => ({ ok: true as const, value })), late]);
  } catch (error) {
    return { ok: false, error: runtimeError(error) };
  } finally {
    clearInterval(timer);
  }
}

/** What the platform says when an isolate ends without an answer. Its texts are all there is to go by. */
function runtimeError(error: unknown): CellError {
  const message = error instanceof Error ? error.message : String(error);
  if (/never generate a response|hung/i.test(message))
    return cellError("timeout", "The cell waits for something that never comes.");
  if (/exceeded CPU|CPU time/i.test(message)) return cellError("fuel", "The cell computed for too long.");
  if (/memory limit/i.test(message)) return cellError("memory", "The cell took too much memory.");
  if (error instanceof SyntaxError || /SyntaxError/.test(message)) return cellError("syntax", message.slice(0, 500));
  return cellError("lost", `The cell's isolate ended without an answer: ${message.slice(0, 500)}`);
}

interface Finishing {
  emitted: EmittedCell;
  kinds: (name: string) => "const" | "let" | undefined;
  kept: (name: string) => string | undefined;
}

function finish(outcome: CellOutcome, { emitted, kinds, kept }: Finishing): CellRun {
  const answer: CellAnswer = {};
  const unsaved = [...outcome.unsaved];
  const candidates: CellRun["saved"] = [];
  for (const item of outcome.saved) {
    const kind = kinds(item.name);
    const data = item.data ?? kept(item.name);
    // Not a name of this cell, or no value: nothing the harness would send.
    if (kind === undefined || data === undefined || !isEncoded(data)) continue;
    const stored = storable(item, { kind, isVariable: (name) => kinds(name) !== undefined });
    if (!stored.ok) unsaved.push({ name: item.name, reason: stored.reason });
    else
      candidates.push({
        variable: { ...stored.variable, chars: data.length, info: { ...stored.variable.info, size: data.length } },
        data,
      });
  }
  // An instance without its class could not be loaded again.
  const lost = new Set(unsaved.map(({ name }) => name));
  const saved = candidates.filter(({ variable }) => {
    const missing = variable.classes.find((name) => lost.has(name));
    if (missing !== undefined) unsaved.push({ name: variable.info.name, reason: `its class ${missing} is not kept` });
    return missing === undefined;
  });
  if (outcome.value !== undefined) answer.value = outcome.value;
  if (saved.length > 0) answer.variables = saved.slice(0, MAX_LISTED).map(({ variable }) => variable.info);
  if (unsaved.length > 0) answer.unsaved = unsaved.slice(0, MAX_LISTED);
  if (outcome.error !== undefined) {
    answer.error = locate(outcome.error, emitted.locate);
    return { answer, saved };
  }
  const value = outcome.encoded === undefined ? {} : { value: outcome.encoded };
  if (outcome.done === undefined) return { answer, saved, ...value };
  return { answer: { ...answer, done: true }, saved, ...value, done: outcome.done };
}

/** An error of the isolate as its author is told of it: with the place in the source, when its stack names one. */
export function locate(error: NonNullable<CellOutcome["error"]>, placeOf: EmittedCell["locate"]): CellError {
  const kind = error.kind ?? "thrown";
  const message =
    error.kind === undefined && error.name !== "Error" ? `${error.name}: ${error.message}` : error.message;
  let where = "";
  for (const [, line, column] of error.stack.matchAll(/cell\.js:(\d+):(\d+)/g)) {
    const at = placeOf(Number(line), Number(column));
    if (at === undefined) continue;
    // Thrown in a function of an earlier cell: that is said, and the line is the one of this cell that called it.
    if ("variable" in at) where ||= ` (in ${at.variable}, line ${at.line} of it)`;
    else return { ...cellError(kind, message + where), line: at.line, column: at.column };
  }
  return cellError(kind, message + where);
}

const HINTS: Record<CellErrorKind, string> = {
  syntax: "Mend the syntax and run the cell again.",
  forbidden: "Leave it out and use what the cell API offers.",
  thrown: "Mend the cause and run the rest again: what was assigned before is kept.",
  fuel: "Make the loop end, or split the work over several cells.",
  timeout: "Await only what will settle; split long waits over several cells.",
  memory: "Work on smaller pieces.",
  output: "Keep the bulk in a variable and give done() a summary.",
  logs: "Log less; look at a variable with a small expression instead.",
  result: "Call done(value) again with a value that fits.",
  calls: "Make fewer calls in one cell.",
  hung: "Do it another way: this cell froze the runtime and is not run again.",
  lost: "Run it again; if it ends so twice, do it another way.",
};

export const cellError = (kind: CellErrorKind, message: string): CellError => ({ kind, message, hint: HINTS[kind] });
const failed = (error: CellError): CellRun => ({ answer: { error }, saved: [] });
