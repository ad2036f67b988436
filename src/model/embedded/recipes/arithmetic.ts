import { parseArithmetic } from "../arithmetic-parser.ts";
import type { Recipe } from "../recipe.ts";

const ASKING =
  /^(?:please\s+)?(?:what(?:'s|’s| is| are)?|calculate|compute|evaluate|solve|how much(?: is| are)?|find|tell me)?\s*(?:the (?:result|value) of\s+)?/i;

const MAX_CHARS = 300; // of a goal that is an expression; the parser recurses

export const arithmetic: Recipe = {
  name: "arithmetic",
  summary: "work out an expression",
  example: "what is 17 * 23",
  match({ text }, source) {
    if (source !== null || text.length > MAX_CHARS) return null;
    const expression = parseArithmetic(text.replace(ASKING, "").replace(/[\s=?.!]+$/, ""));
    if (expression === null) return null;
    return {
      score: 90,
      title: "arithmetic",
      body: [
        `const result = ${expression};`,
        'if (!Number.isFinite(result)) throw new Error("The result is not a finite number: is something divided by zero?");',
        "// 15 digits: 0.1 + 0.2 is 0.3",
        "return Number.isInteger(result) ? result : Number(result.toPrecision(15));",
      ].join("\n"),
    };
  },
};
