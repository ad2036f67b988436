import { literal } from "../cell.ts";
import type { Recipe } from "../recipe.ts";
import type { Source } from "../source.ts";
import type { Token } from "../tokens.ts";
import { NOISE } from "../vocabulary.ts";

const MAX_CHARS = 600; // of the goal that are looked at
const FORMS = [
  /\bhow (?:many times|often) (?:does|do|is|are|did|has|have)? ?(.+?) (?:occurs?|appears?|mentioned|used|found|show up|shows up|come up|comes up|been mentioned|repeated)\b(.*)$/i,
  /\b(?:count|number of|how many) (?:of )?(?:all )?(?:the )?(?:occurrences?|mentions|instances|appearances) (?:of )?(.+?)((?: in| within| from| are| there).*)?$/i,
  /\bcount (?:how often|how many times) (.+?) (?:occurs?|appears?|is mentioned|is used)\b(.*)$/i,
  /\bcount (?:the )?(?:word|phrase|term|letter|character) (.+?)((?: in| within).*)?$/i,
  /\bhow many ("[^"]+"|'[^']+'|`[^`]+`)(?:s|es)?((?: in| are).*)?$/i,
  /\bhow many (?:times (?:is )?)?(?:the )?(?:word|phrase|term|letter|character) (.+?)(?: occurs?| appears?| is)?((?: in| within| are).*)?$/i,
  /\bhow (?:many times|often) (?:is|are) (.+?)( in .*)$/i,
];

export const occurrences: Recipe = {
  name: "occurrences",
  summary: "count how often a word or phrase occurs",
  example: 'how many times does "error" appear in the log',
  match({ text, tokens }, source) {
    if (source === null || (source.shape.kind === "list" && source.shape.unit !== undefined)) return null;
    const flat = text
      .replace(/\s+/g, " ")
      .slice(0, MAX_CHARS)
      .replace(/[?.!]+$/, "");
    const found = FORMS.map((form) => form.exec(flat)).find((match) => match !== null);
    const phrase = found?.[1]?.trim() ?? "";
    const rest = (found?.[2] ?? "").toLowerCase();
    if (phrase === "" || /^(?:each|every|all)\b/i.test(phrase) || !isAboutSource(rest, source, tokens)) return null;
    const isLetter = /\b(?:letter|character)\b/i.test(found?.[0] ?? "");
    const sought = phrase
      .replace(/^(?:the )?(?:word|phrase|term|letter|character|string|text) /i, "")
      .replace(/^(["'`“])(.*)["'`”]$/s, "$2");
    if (sought === "" || (sought === phrase && sought.split(" ").length > 3)) return null;
    const isWhole = !isLetter && sought.length > 1 && /^[\p{L}\p{N}_].*[\p{L}\p{N}_]$/su.test(sought);
    return {
      score: 70,
      title: `count occurrences of ${JSON.stringify(sought.slice(0, 40))}`,
      body: `return countOccurrences(flatten(data), ${literal(sought)}, ${isWhole});`,
    };
  },
};

/** What follows the sought word may name the input, and nothing else. */
function isAboutSource(rest: string, source: Source, tokens: readonly Token[]): boolean {
  const words = rest
    .split(/[^\p{L}\p{N}_]+/u)
    .filter(
      (word) => word !== "" && !NOISE.has(word) && !["within", "text", "log", "document", "article"].includes(word),
    );
  return words.every((word) =>
    tokens.some(({ lower, stems }) => lower === word && stems.every((stem) => source.names.has(stem))),
  );
}
