import type { Recipe } from "../recipe.ts";
import type { Source } from "../source.ts";
import { eachText } from "../text-request.ts";
import { stemsOf } from "../tokens.ts";
import { ROW_NOUNS, TEXT_NOUNS } from "../vocabulary.ts";

const COUNTED: ReadonlyMap<string, (text: string) => string> = new Map([
  ["word", (text) => `toWords(${text}).length`],
  ["sentence", (text) => `toSentences(${text}).length`],
  ["line", (text) => `toLines(${text}).length`],
  ["character", (text) => `[...${text}].length`],
]);
const FORM =
  /^(?:(?:count|how many|(?:the )?number of)(?: of)?(?: the)? (word|sentence|line|character)s|(?:the )?(word|sentence|line|character) count)(?: are| are there| there are)? (?:in|of|for|per)(?: each| every)?(?: of the)? ([\p{L}_]{1,60})[\s?.!]*$/iu;

export const sizes: Recipe = {
  name: "sizes",
  summary: "count the words, sentences, lines or characters of each text in a list or table",
  example: "count the words in each review",
  match({ text }, source) {
    if (source === null || source.shape.kind === "text" || !/\b(?:each|every|per)\b/i.test(text)) return null;
    const [, plural, single, noun = ""] = FORM.exec(text.slice(0, 300)) ?? [];
    const unit = (plural ?? single ?? "").toLowerCase();
    const count = COUNTED.get(unit);
    if (count === undefined || !isText(noun, source)) return null;
    const body = eachText(source, { field: `${unit}s`, of: count });
    return body === null ? null : { score: 65, title: `count the ${unit}s of each ${noun}`, body };
  },
};

const isText = (noun: string, { names }: Source): boolean =>
  ROW_NOUNS.has(noun.toLowerCase()) ||
  TEXT_NOUNS.has(noun.toLowerCase()) ||
  stemsOf(noun).every((stem) => names.has(stem));
