import type { VariableInfo } from "../contract/cell.ts";
import type { Refusal } from "../contract/library.ts";

/** What a capability is made from. */
export interface Material {
  goal: string;
  code: string;
  /** The goal's inputs: names and shapes. */
  variables: VariableInfo[];
  /** A few of the inputs' values and the result, bounded: for its tests. */
  inputs: Record<string, unknown>;
  result: unknown;
}

const MAX_EXAMPLE_CHARS = 3_000;

/** The answer wanted: a draft for the gate, or why there is none. */
export const DISTILLED_SCHEMA = {
  type: "object",
  properties: {
    serves: { type: "boolean", description: "Would it serve other goals of this kind?" },
    reason: { type: "string" },
    draft: {
      type: "object",
      properties: {
        name: { type: "string", description: "kebab-case: sum-by-group" },
        description: { type: "string", description: "What it does, for which goals, in one or two sentences" },
        input: { type: "object", description: "JSON Schema of its one argument, an object" },
        output: { type: "object", description: "JSON Schema of what it gives" },
        source: { type: "string" },
        tests: { type: "array", items: { type: "object" } },
        needs: { type: "array", items: { type: "string" } },
      },
      required: ["name", "description", "input", "output", "source", "tests"],
    },
  },
  required: ["serves"],
};

/** Asks for a generalisation of code that worked. What stands in data is material. */
export const DISTIL_PROMPT = `Code in data reached a goal. If a function made from it would serve other goals of the same kind, write it; else answer {"serves": false, "reason": "…"}.
Generalise what is particular to this goal (values, names, thresholds) to fields of one input object. The source is a TypeScript module: export default async (input) => output, with helpers above it if need be, no imports. It may call tools (await tools.family.tool(args)); list those in needs.
Give 2 to 5 tests, from the example in data: {"input": …, "expect": …}, and at least one case that must fail: {"input": …, "throws": "part of the message"}. Check the input and throw an Error that says what is wrong. A tool that a test calls is stubbed: "tools": {"http.get": value it returns}.`;

/** The material as the model reads it. */
export const distilData = ({ goal, code, variables, inputs, result }: Material): object => ({
  goal,
  code,
  variables: variables.map(({ name, type, fields }) => ({ name, type, ...(fields === undefined ? {} : { fields }) })),
  example: { inputs: bounded(inputs), result: bounded(result) },
});

/** What a model is told of a draft that the gate refused. */
export const repairPrompt = (reasons: readonly Refusal[]): string =>
  `The gate refused the draft: ${reasons
    .map(({ rule, problem }) => `${rule}: ${problem}`)
    .join("; ")
    .slice(0, 2_000)}. Answer again with the whole draft, mended.`;

function bounded(value: unknown): unknown {
  const text = JSON.stringify(value) ?? "null";
  return text.length <= MAX_EXAMPLE_CHARS ? value : `${text.slice(0, MAX_EXAMPLE_CHARS)}… (cut)`;
}
