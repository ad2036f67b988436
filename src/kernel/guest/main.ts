/**
 * The harness inside a cell's isolate. It loads variables, runs the cell once, and sends back what changed.
 *
 * It is not a trust boundary: a cell may break anything in its own isolate, this file included, and gains nothing by it.
 * What counts is checked by the host: the desk, the compiler, the size of what comes back.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import cell from "./cell.js";
import { decode, encode, sourceOf, Unstorable } from "../codec.ts";
import {
  type CellJob,
  type CellOutcome,
  type DeskApi,
  OUTCOME_LIMITS,
  PART_CHARS,
  type SavedVariable,
} from "../job.ts";
import { preview, reasonOf } from "../preview.ts";
import { shapeOf } from "../shape.ts";
import { Allowance } from "./allowance.ts";
import { cellApi } from "./api.ts";
import { Clock, Dice, installClock, installDice } from "./clock.ts";
import { installConsole, LogBook } from "./console.ts";
import { enter } from "./context.ts";
import { installGlobals, reportStrayErrors } from "./globals.ts";
import type { CellHandle } from "./handle.ts";
import { harden } from "./harden.ts";
import { installLimits } from "./limits.ts";
import { Stopper } from "./stop.ts";
import { installTimers } from "./timers.ts";

installClock();
installDice();
installConsole();
installTimers();
installGlobals();
reportStrayErrors();
installLimits();

export default class Guest extends WorkerEntrypoint {
  async run(job: CellJob, desk: DeskApi): Promise<CellOutcome> {
    if (job.isShared === true) harden();
    const clock = new Clock(job.startedAt);
    const stopper = new Stopper();
    const allowance = new Allowance(stopper, job.limits.allocBytes);
    const texts = await gather(job, desk);
    const outcome: CellOutcome = { saved: [], unsaved: [] };
    const flushed: Promise<void>[] = [];
    const book = new LogBook(stopper, job.limits.logChars, (text) => void flushed.push(desk.log(text)));
    const api = cellApi({ desk, clock, stopper, limits: job.limits, done: (data) => void (outcome.done = data) });
    const loaded = new Map<string, Loaded>();
    let getters: Record<string, () => unknown> = {};
    let fuelLeft = (): number => 0;
    const handle: CellHandle = {
      fuel: job.fuel,
      stop: () => stopper.stop("fuel", "The cell computed for too long."),
      api: api.names,
      load: (name, functions, classes) => load(name, { texts, loaded, functions, classes }),
      scope: (names, left, drain) => {
        getters = names;
        fuelLeft = left;
        stopper.drain = drain;
      },
      value: undefined,
    };
    const context = {
      clock,
      stopper,
      allowance,
      dice: new Dice(job.seed),
      log: (text: string) => book.write(text),
      sleep: (ms: number) => api.call("time.sleep", { ms }),
    };
    try {
      await Promise.race([enter(context, job.isShared === true, () => cell(handle)), stopper.stopped]);
      allowance.lift();
      if (handle.value !== undefined) {
        outcome.value = preview(handle.value);
        const encoded = whole(handle.value);
        if (encoded !== undefined) outcome.encoded = encoded;
      }
    } catch (error) {
      allowance.lift();
      outcome.error = describe(error);
    }
    // A cell that swallowed the stop is stopped all the same.
    if (stopper.reason !== undefined) outcome.error = stopper.reason;
    else if (fuelLeft() < 0)
      outcome.error = { kind: "fuel", name: "Stop", message: "The cell computed for too long.", stack: "" };
    await save({ outcome, getters, loaded, desk, limit: job.limits.variableChars });
    await Promise.allSettled(flushed);
    return outcome;
  }
}

/** A variable as it was when the cell began: what is equal at its end is not sent back. */
interface Loaded {
  data: string;
  functions: string[];
}

interface Loading {
  texts: Map<string, string>;
  loaded: Map<string, Loaded>;
  functions: (() => unknown)[];
  classes: Record<string, () => unknown>;
}

function load(name: string, { texts, loaded, functions, classes }: Loading): unknown {
  const data = texts.get(name);
  if (data === undefined) throw new ReferenceError(`The variable ${name} did not arrive.`);
  const sources: string[] = [];
  const made = functions.map((make, index) => () => {
    const value = make();
    sources[index] = sourceOf(value);
    return value;
  });
  const value = decode(data, { functions: made, classes });
  loaded.set(name, { data, functions: sources });
  return value;
}

async function gather(job: CellJob, desk: DeskApi): Promise<Map<string, string>> {
  const texts = new Map<string, string>();
  await Promise.all(
    Object.entries(job.variables).map(async ([name, source]) => {
      if ("data" in source) return void texts.set(name, source.data);
      let text = "";
      for (let part = 0; part < source.parts; part++) text += await desk.load(name, part);
      texts.set(name, text);
    }),
  );
  return texts;
}

interface Saving {
  outcome: CellOutcome;
  getters: Record<string, () => unknown>;
  loaded: Map<string, Loaded>;
  desk: DeskApi;
  limit: number;
}

/** Only what changed goes back (K1), and one variable that can't be kept doesn't cost the others (K4). */
async function save({ outcome, getters, loaded, desk, limit }: Saving): Promise<void> {
  let inline = 2 * PART_CHARS; // what the outcome carries itself; one message holds 32 MiB
  const values = new Map<string, unknown>();
  for (const [name, get] of Object.entries(getters)) {
    try {
      values.set(name, get());
    } catch {
      // Not assigned yet: the cell ended before it came to the declaration.
    }
  }
  const owners = new Map<object, string>();
  for (const [name, value] of values)
    if (typeof value === "function" && typeof value.prototype === "object" && value.prototype !== null)
      owners.set(value.prototype as object, name);
  for (const [name, value] of values) {
    try {
      const { data, functions, classes } = encode(value, {
        classNamed: (prototype) => owners.get(prototype),
        maxChars: limit,
      });
      const privates = classes.find((owner) => hasPrivateFields(values.get(owner)));
      if (privates !== undefined)
        throw new Unstorable(`an instance of ${privates} has private fields, which can't be read`);
      const before = loaded.get(name);
      if (before?.data === data && before.functions.join() === functions.join()) continue;
      if (name.length > OUTCOME_LIMITS.nameChars) throw new Unstorable("its name is too long");
      refuseExcess({ saved: outcome.saved.length, data, functions, limit });
      const saved: SavedVariable = { name, functions, classes, info: shapeOf(value) };
      if (data.length <= PART_CHARS && (inline -= data.length) >= 0) saved.data = data;
      else {
        saved.parts = Math.ceil(data.length / PART_CHARS);
        for (let part = 0; part < saved.parts; part++)
          await desk.keep(name, part, data.slice(part * PART_CHARS, (part + 1) * PART_CHARS));
      }
      outcome.saved.push(saved);
    } catch (error) {
      if (outcome.unsaved.length < OUTCOME_LIMITS.unsaved)
        outcome.unsaved.push({
          name: name.slice(0, OUTCOME_LIMITS.nameChars),
          reason: reasonOf(error).slice(0, OUTCOME_LIMITS.reasonChars),
        });
    }
  }
}

/** What the host would refuse with the whole outcome is refused here, by name. */
function refuseExcess(it: { saved: number; data: string; functions: string[]; limit: number }): void {
  if (it.data.length > it.limit) throw new Unstorable(`it is longer than ${it.limit} characters`);
  if (it.saved >= OUTCOME_LIMITS.saved)
    throw new Unstorable(`a cell may change ${OUTCOME_LIMITS.saved} variables, and this is one more`);
  if (it.functions.length > OUTCOME_LIMITS.functions)
    throw new Unstorable(`it holds ${it.functions.length} functions, and may hold ${OUTCOME_LIMITS.functions}`);
  if (it.functions.reduce((sum, text) => sum + text.length, 0) > OUTCOME_LIMITS.functionChars)
    throw new Unstorable("the sources of its functions are too long");
}

/** The value of the cell as data; undefined when it is too long, or more than data. */
function whole(value: unknown): string | undefined {
  try {
    const { data, functions } = encode(value, { maxChars: OUTCOME_LIMITS.valueChars, plainInstances: true });
    return functions.length > 0 || data.length > OUTCOME_LIMITS.valueChars ? undefined : data;
  } catch {
    return undefined; // there is the preview
  }
}

const PRIVATE_MEMBER = /(?:^|[;{}\n/])\s*(?:(?:static|async|get|set)\s+|\*\s*)*#[\w$]+\s*[=;({\n}]/;
const hasPrivateFields = (value: unknown): boolean => PRIVATE_MEMBER.test(sourceOf(value));

function describe(error: unknown): NonNullable<CellOutcome["error"]> {
  try {
    if (error instanceof Error)
      return {
        name: String(error.name).slice(0, 200),
        message: String(error.message).slice(0, 4_000),
        stack: String(error.stack).slice(0, 8_000),
      };
    return { name: "Error", message: `The cell threw ${preview(error, 400)}`, stack: "" };
  } catch {
    return { name: "Error", message: "The cell threw something that can't be read.", stack: "" };
  }
}
