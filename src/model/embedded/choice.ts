import type { Brief } from "../../contract/model.ts";
import { writeCell } from "./cell.ts";
import { type Question, questionsOf } from "./question.ts";
import type { Match, Recipe } from "./recipe.ts";
import { lineOf } from "./recipes/help.ts";
import { RECIPES } from "./recipes/index.ts";
import type { Source } from "./source.ts";

export type Choice = { kind: "cell"; title: string; code: string } | { kind: "none"; lines: string[] };

interface Candidate extends Match {
  recipe: Recipe;
  source: Source | null;
}

const NAMED = 20; // an input the goal names beats any other, and any recipe on another

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
      lines: [...hidden.map((name) => `rename the input ${name}: it hides a built-in name`), ...RECIPES.map(lineOf)],
    };
  for (const question of questionsOf(brief)) {
    const [best, ...rest] = candidatesFor(question);
    if (best === undefined) continue;
    const rivals = rest.filter(({ score, source }) => score === best.score && rootOf(source) !== rootOf(best.source));
    if (rivals.length > 0) {
      const names = [...new Set([best, ...rivals].map(({ source }) => source?.name ?? ""))];
      return {
        kind: "none",
        lines: [`several inputs fit: ${names.join(", ")}; name the one you mean`, ...known(brief)],
      };
    }
    return { kind: "cell", title: best.title, code: `// ${oneLine(best.title)}\n${writeCell(best.body, best.source)}` };
  }
  return { kind: "none", lines: known(brief) };
}

function candidatesFor(question: Question): Candidate[] {
  const candidates: Candidate[] = [];
  for (const recipe of RECIPES) {
    for (const source of [null, ...question.sources]) {
      const match = recipe.match(question, source);
      if (match !== null)
        candidates.push({ ...match, score: match.score + (isNamed(question, source) ? NAMED : 0), recipe, source });
    }
  }
  return candidates.sort((a, b) => b.score - a.score);
}

const isNamed = ({ tokens }: Question, source: Source | null): boolean =>
  source !== null && [...source.names].some((name) => tokens.some(({ stems }) => stems.includes(name)));

const rootOf = (source: Source | null): string => source?.name ?? "";

/** A title may quote the goal; a line break in it would end the comment. */
const oneLine = (title: string): string => title.replace(/[\r\n\u2028\u2029]+/g, " ").slice(0, 120);

const known = ({ variables }: Brief): string[] => [
  ...variables.map(({ name, type, fields }) =>
    fields === undefined ? `input ${name}: ${type}` : `input ${name}, fields seen: ${fields.join(", ")}`,
  ),
  ...RECIPES.map(lineOf),
];
