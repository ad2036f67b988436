import type { Recipe } from "../recipe.ts";
import { hasAny, hasOnly } from "../table-query.ts";
import { wordsOf } from "../text-request.ts";

const CHARACTERS = ["characters", "character", "chars", "letters", "length", "long"];
const PARAGRAPHS = ["paragraphs"];
const ASKING = ["how", "many", "number", "count", "total"];

export const characters: Recipe = {
  name: "characters",
  summary: "count characters, letters or paragraphs of a text",
  example: "how many characters are in the text",
  match(question, source) {
    if (source?.shape.kind !== "text") return null;
    const words = wordsOf(question, source);
    const isParagraphs = hasAny(words, PARAGRAPHS) || /paragraphs/i.test(question.text);
    if (!hasOnly(words, [...CHARACTERS, ...PARAGRAPHS, ...ASKING])) return null;
    if (!isParagraphs && !hasAny(words, CHARACTERS)) return null;
    if (isParagraphs)
      return {
        score: 50,
        title: "count paragraphs",
        body: String.raw`return data.split(/\n\s*\n/).filter((part) => part.trim() !== "").length;`,
      };
    const isLetters = words.includes("letters");
    return {
      score: 50,
      title: isLetters ? "count letters" : "count characters",
      body: isLetters ? String.raw`return (data.match(/\p{L}/gu) ?? []).length;` : "return [...data].length;",
    };
  },
};
