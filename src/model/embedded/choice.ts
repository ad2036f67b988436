import type { Brief } from "../../contract/model.ts";
import { writeCell } from "./cell.ts";
import { type Question, questionsOf } from "./question.ts";
import type { Match, Recipe } from "./recipe.ts";
import { lineOf } from "./recipes/help.ts";
import { RECIPES } from "./recipes/index.ts";
import type { Source } from "./source.ts";

export type Choice = { kind: "cell"; title: string; code: string } | { kind: "none"; lines: string[] };

interface Candidate extends Omit<Match, "source"> {
  recipe: Recipe;
  source: Source | null;
}

const NAMED = 20; // an input the goal names beats any other, and any recipe on another
const GUESSED = 5; // a text that may be a table gives way to one that is

// A cell's own code uses these; an input of the same name would take their place.
const BUILT_IN = new Set([
  "Array",
  "Date",
  "Error",
  "JSON",
  "Map",
  "Math",
  "Number",
  "Object",
  "Promise",
  "RegExp",
  "Set",
  "String",
]);

/** The best recipe for a brief and its cell, or what could be asked instead. */
export function choose(brief: Brief): Choice {
  const hidden = brief.variables.filter(({ name }) => BUILT_IN.has(name)).map(({ name }) => name);
  if (hidden.length > 0)
    return {
      kind: "none",
      lines: [
        ...RECIPES.map(lineOf),
        ...hidden.map((name) => `here: the name of the input ${name} hides a built-in one, rename the input ${name}`),
      ],
    };
  for (const question of questionsOf(brief)) {
    const [best, ...rest] = candidatesFor(question);
    if (best === undefined) continue;
    const rivals = rest.filter(({ score, source }) => score === best.score && rootOf(source) !== rootOf(best.source));
    if (rivals.length > 0) {
      const names = [...new Set([best, ...rivals].map(({ source }) => source?.name ?? ""))];
      return {
        kind: "none",
        lines: [...RECIPES.map(lineOf), `here: several inputs fit (${names.join(", ")}), name one`],
      };
    }
    return { kind: "cell", title: best.title, code: `// ${oneLine(best.title)}\n${writeCell(best, best.source)}` };
  }
  return { kind: "none", lines: known(brief) };
}

function candidatesFor(question: Question): Candidate[] {
  const candidates: Candidate[] = [];
  for (const recipe of RECIPES) {
    for (const source of [null, ...question.sources]) {
      const match = recipe.match(question, source);
      if (match !== null)
        candidates.push({ recipe, source, ...match, score: match.score + weightOf(question, source) });
    }
  }
  return candidates.sort((a, b) => b.score - a.score);
}

const weightOf = (question: Question, source: Source | null): number => {
  const isGuess = source?.shape.kind === "table" && source.shape.isColumn === true;
  return (isNamed(question, source) ? NAMED : 0) - (isGuess ? GUESSED : 0);
};

const isNamed = ({ tokens }: Question, source: Source | null): boolean =>
  source !== null && [...source.names].some((name) => tokens.some(({ stems }) => stems.includes(name)));

const rootOf = (source: Source | null): string => source?.name ?? "";

/** A title may quote the goal; a line break in it would end the comment. */
const oneLine = (title: string): string => title.replace(/[\r\n\u2028\u2029]+/g, " ").slice(0, 120);

const known = ({ variables }: Brief): string[] => [
  ...RECIPES.map(lineOf),
  ...variables.map(({ name, type, fields }) =>
    fields === undefined
      ? `here: the input ${name} is ${type}`
      : `here: the input ${name} has the fields ${fields.join(", ")}`,
  ),
];
