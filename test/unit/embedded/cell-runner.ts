import { stripTypeScriptTypes } from "node:module";
import { createContext, runInContext } from "node:vm";
import type { VariableInfo } from "../../../src/contract/cell.ts";
import type { Result } from "../../../src/contract/failure.ts";
import type { Exchange, ModelReply } from "../../../src/contract/model.ts";
import { shapeOf } from "../../../src/kernel/shape.ts";
import { embeddedPlanner } from "../../../src/model/embedded/planner.ts";
import type { Model } from "../../../src/model/port.ts";

export type Inputs = Record<string, unknown>;

/** What a prompt would know of the inputs. */
export const variablesOf = (inputs: Inputs): VariableInfo[] =>
  Object.entries(inputs).map(([name, value]) => ({ name, size: JSON.stringify(value).length, ...shapeOf(value) }));

export interface Asked {
  goal: string;
  inputs?: Inputs;
  exchanges?: Exchange[];
  model?: Model;
}

export const ask = ({
  goal,
  inputs = {},
  exchanges = [],
  model = embeddedPlanner(),
}: Asked): Promise<Result<ModelReply>> =>
  model.call(
    { tier: "small", system: "", brief: { goal, variables: variablesOf(inputs) }, exchanges },
    { signal: new AbortController().signal },
  );

/** Runs a cell where nothing is in scope but the language, `done`, `console`, the inputs and what else is given of the cell API. */
export async function runCell(code: string, inputs: Inputs, api: Record<string, object> = {}): Promise<unknown> {
  const answers: string[] = [];
  const context = createContext(
    {
      ...structuredClone(inputs),
      ...api,
      console: { log: () => undefined },
      done: (value: unknown) => answers.push(JSON.stringify(value)),
    },
    { codeGeneration: { strings: false, wasm: false } },
  );
  const script = stripTypeScriptTypes(`(async () => {\n${code}\n})()`);
  await runInContext(script, context, { timeout: 10_000 });
  if (answers.length !== 1) throw new Error(`The cell called done ${answers.length} times.`);
  return JSON.parse(answers[0] ?? "null");
}

/** The cell for a goal. A refusal is an error. */
export async function codeOf(goal: string, inputs: Inputs = {}): Promise<string> {
  const reply = await ask({ goal, inputs });
  if (!reply.ok) throw new Error(`${reply.failure.kind}: ${goal}`);
  return reply.value.call?.code ?? "";
}

/** The answer to a goal: planned, then computed. A refusal or a failing cell is an error. */
export const answer = async (goal: string, inputs: Inputs = {}): Promise<unknown> =>
  runCell(await codeOf(goal, inputs), inputs);
