import type { FunctionDraft } from "../../contract/capability.ts";
import type { DistilMaterial } from "../port.ts";

/** A recipe's cell: its title, and a function of `data`, applied to one variable. See `writeCell`. */
const RECIPE_CELL = /^(?:\/\/.*\n)?done\(\(\(data\) => \{\n([\s\S]*)\n\}\)\(([A-Za-z_$][\w$]*)\)\);\s*$/;
const MAX_NAME_WORDS = 6;
const MISSING = "data is missing: give what is to be worked on";

/**
 * The capability in a recipe's cell: the same function with `data` as its input. Nothing where a cell is not of that form
 * (it calls agents, or works on a part of an input), or where there is no example small enough to test it by.
 */
export function distil({ goal, code, inputs, result }: DistilMaterial): FunctionDraft | undefined {
  const [, body, variable] = RECIPE_CELL.exec(code) ?? [];
  if (body === undefined || variable === undefined || !(variable in inputs) || result === null) return undefined;
  const name = nameOf(goal);
  if (name === undefined) return undefined;
  return {
    name,
    description: `Serves goals such as "${oneLine(goal)}". Its input is { data }: what the goal is about.`,
    input: { type: "object", properties: { data: { description: "What is to be worked on" } } },
    output: {},
    source: `export default async (input) => {\n  if (input?.data === undefined) throw new Error(${JSON.stringify(MISSING)});\n  return ((data) => {\n${body}\n  })(input.data);\n};\n`,
    // A cast: values of a run's inputs and result are JSON.
    tests: [
      { input: { data: inputs[variable] as never }, expect: result as never },
      { input: {}, throws: MISSING },
    ],
  };
}

/** `total-revenue-by-region`; undefined when the goal has no word to name it by. */
function nameOf(goal: string): string | undefined {
  const words = goal
    .normalize("NFKD")
    .toLowerCase()
    .match(/[a-z][a-z0-9]*/g);
  if (words === null) return undefined;
  return words.slice(0, MAX_NAME_WORDS).join("-").slice(0, 60).replace(/-$/, "");
}

const oneLine = (text: string): string =>
  text
    .replace(/[\s"]+/g, " ")
    .trim()
    .slice(0, 200);
