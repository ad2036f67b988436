import type { FunctionDraft } from "../../contract/capability.ts";
import type { DistilMaterial } from "../port.ts";

/** A recipe's cell: its title, and a function of `data`, applied to one variable. See `writeCell`. */
const RECIPE_CELL = /^(?:\/\/.*\n)?done\(\(\(data\) => \{\n([\s\S]*)\n\}\)\(([A-Za-z_$][\w$]*)\)\);\s*$/;
const MAX_NAME_CHARS = 52;
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
    description: `Answers exactly this, for other data: "${oneLine(goal)}". Its input is { data }, of the same form.`,
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
  const words =
    goal
      .normalize("NFKD")
      .toLowerCase()
      .match(/[a-z0-9]+/g) ?? [];
  const first = words.findIndex((word) => /^[a-z]/.test(word));
  if (first < 0) return undefined;
  const whole = words.slice(first).join("-");
  // All of the goal stands for the answer, also what is cut off: another question must not become its next version.
  const cut = whole.slice(0, MAX_NAME_CHARS).replace(/-[^-]*$/, "");
  return whole.length <= MAX_NAME_CHARS ? whole : `${cut}-${digestOf(whole)}`;
}

/** A few letters that tell texts apart (FNV-1a). */
const digestOf = (text: string): string => {
  let hash = 0x811c9dc5;
  for (const char of text) hash = Math.imul(hash ^ char.codePointAt(0)!, 0x01000193) >>> 0;
  return hash.toString(36);
};

const oneLine = (text: string): string =>
  text
    .replace(/[\s"]+/g, " ")
    .trim()
    .slice(0, 200);
