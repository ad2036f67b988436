import { literal } from "../cell.ts";
import type { Recipe } from "../recipe.ts";

const ASKING =
  /^(?:help(?: me)?|what can you do(?: for me)?|what do you do|what (?:are|is) (?:you|this)|who are you|how does this work|what (?:recipes|jobs|goals) (?:are there|do you know|can you do)|(?:list|show)(?: me)?(?: all)?(?: the)? (?:recipes|examples|capabilities)|examples?)[\s?!.]*$/i;

/** One line a recipe, as the help and the refusal show it. */
export const lineOf = ({ name, summary, example }: Recipe): string =>
  `${name}: ${summary} (e.g. ${JSON.stringify(example)})`;

export function helpFor(recipes: readonly Recipe[]): Recipe {
  const help: Recipe = {
    name: "help",
    summary: "say what the embedded planner can do",
    example: "what can you do",
    match({ text }, source) {
      if (source !== null || !ASKING.test(text)) return null;
      return { score: 80, title: "help", body: `return ${literal([...recipes, help].map(lineOf))};` };
    },
  };
  return help;
}
