/**
 * The harness inside a cell's isolate. It loads variables, runs the cell once, and sends back what changed.
 *
 * It is not a trust boundary: a cell may break anything in its own isolate, this file included, and gains nothing by it.
 * What counts is checked by the host: the desk, the compiler, the size of what comes back.
 */
import { WorkerEntrypoint } from "cloudflare:workers";
import cell from "./cell.js";
import { decode, encode, Unstorable } from "../codec.ts";
import { type CellJob, type CellOutcome, type DeskApi, PART_CHARS, type SavedVariable } from "../job.ts";
import { preview } from "../preview.ts";
import { shapeOf } from "../shape.ts";
import { cellApi } from "./api.ts";
import { Clock, installClock, installDice } from "./clock.ts";
import { installConsole } from "./console.ts";
import type { CellHandle } from "./handle.ts";
import { Limits } from "./limits.ts";
import { Stop, Stopper } from "./stop.ts";

export default class Guest extends WorkerEntrypoint {
  async run(job: CellJob, desk: DeskApi): Promise<CellOutcome> {
    const clock = new Clock(job.startedAt);
    const stopper = new Stopper();
    const texts = await gather(job, desk);
    const outcome: CellOutcome = { saved: [], unsaved: [] };
    const flushed: Promise<void>[] = [];
    const encodedBefore = new Map<string, string>();
    let getters: Record<string, () => unknown> = {};
    let fuelLeft = (): number => 0;

    const handle: CellHandle = {
      fuel: job.fuel,
      stop: () => stopper.stop("fuel", "The cell computed for too long."),
      api: cellApi({ desk, clock, stopper, limits: job.limits, done: (data) => void (outcome.done = data) }),
      load: (name, functions, classes) => {
        const data = texts.get(name);
        if (data === undefined) throw new Stop("lost", `The variable ${name} did not arrive.`);
        encodedBefore.set(name, data);
        return decode(data, { functions, classes });
      },
      scope: (names, left) => {
        getters = names;
        fuelLeft = left;
      },
    };
    installClock(clock);
    installDice(job.seed);
    installConsole({ stopper, limit: job.limits.logChars, send: (text) => void flushed.push(desk.log(text)) });
    const limits = new Limits(stopper, job.limits);
    limits.install();

    try {
      await cell(handle);
      if (handle.value !== undefined) outcome.value = preview(handle.value);
    } catch (error) {
      outcome.error = describe(error);
    }
    limits.lift();
    // A cell that swallowed the stop is stopped all the same.
    if (stopper.reason !== undefined) outcome.error = stopper.reason;
    else if (fuelLeft() < 0)
      outcome.error = { kind: "fuel", name: "Stop", message: "The cell computed for too long.", stack: "" };
    await save({ outcome, getters, encodedBefore, desk, limit: job.limits.variableChars });
    await Promise.allSettled(flushed);
    return outcome;
  }
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
  encodedBefore: Map<string, string>;
  desk: DeskApi;
  limit: number;
}

/** Only what changed goes back (K1), and one variable that can't be kept doesn't cost the others (K4). */
async function save({ outcome, getters, encodedBefore, desk, limit }: Saving): Promise<void> {
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
      const { data, functions, classes } = encode(value, { classNamed: (prototype) => owners.get(prototype) });
      const privates = classes.find((owner) => hasPrivateFields(values.get(owner)));
      if (privates !== undefined)
        throw new Unstorable(`an instance of ${privates} has private fields, which can't be read`);
      if (data === encodedBefore.get(name)) continue;
      if (data.length > limit)
        throw new Unstorable(`it is ${data.length} characters long; a variable holds at most ${limit}`);
      const saved: SavedVariable = { name, functions, classes, info: shapeOf(value) };
      if (data.length <= PART_CHARS) saved.data = data;
      else {
        saved.parts = Math.ceil(data.length / PART_CHARS);
        for (let part = 0; part < saved.parts; part++)
          await desk.keep(name, part, data.slice(part * PART_CHARS, (part + 1) * PART_CHARS));
      }
      outcome.saved.push(saved);
    } catch (error) {
      outcome.unsaved.push({ name, reason: error instanceof Error ? error.message : "it can't be stored" });
    }
  }
}

const PRIVATE_MEMBER = /(?:^|[;{}\n/])\s*(?:(?:static|async|get|set)\s+|\*\s*)*#[\w$]+\s*[=;({\n}]/;
const hasPrivateFields = (value: unknown): boolean =>
  typeof value === "function" && PRIVATE_MEMBER.test(Function.prototype.toString.call(value));

function describe(error: unknown): NonNullable<CellOutcome["error"]> {
  if (error instanceof Stop)
    return { kind: error.kind, name: "Stop", message: error.message, stack: error.stack ?? "" };
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
