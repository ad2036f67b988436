import { numberAt } from "../numbers.ts";
import type { Question } from "../question.ts";
import type { Recipe } from "../recipe.ts";
import type { Source } from "../source.ts";
import { hasAny, hasOnly } from "../table-query.ts";
import { eachText, wordsOf } from "../text-request.ts";

const ASKS = "summarise summarize summary summaries tl dr tldr shorten gist condense".split(" ");
const FILLERS = (
  "each every sentence sentences short brief briefly bullet bullets points point key main most " +
  "important max up write create make concise quick"
).split(" ");
const SENTENCES = 3; // of a summary when the goal does not say
const WEIGHED_WORDS = 40; // the frequent words a sentence is judged by

export const summarise: Recipe = {
  name: "summarise",
  summary: "a summary made of a text's own most telling sentences",
  example: "summarise the article in two sentences",
  match(question, source) {
    if (source === null) return null;
    const asked = summaryOf(question, source);
    if (asked === null) return null;
    const { limit, isList } = asked;
    const body = eachText(source, {
      field: "summary",
      of: (text) =>
        `topSentences(toSentences(${text}), keywords(${text}, ${WEIGHED_WORDS}), ${limit})${isList ? "" : '.join(" ")'}`,
    });
    if (body === null || (source.shape.kind === "text" && question.sources[0]?.shape.kind === "table")) return null;
    return { score: 45, title: `summarise in ${limit} ${limit === 1 ? "sentence" : "sentences"}`, body };
  },
};

/** Of how many sentences a summary is asked for, and whether as a list; null when the goal asks for something else. */
export function summaryOf(question: Question, source: Source): { limit: number; isList: boolean } | null {
  const { tokens } = question;
  const words = wordsOf(question, source).filter((word) => !/^\d+$/.test(word));
  const counted = tokens.map((_, at) => numberAt(tokens, at)).find((number) => number !== null);
  const numbers = tokens.filter(({ kind, value }) => kind === "word" && value !== undefined).map(({ lower }) => lower);
  const asks = /\bsum up\b/i.test(question.text) ? [...ASKS, "sum"] : ASKS;
  if (numbers.length > 1 || !hasAny(words, asks) || !hasOnly(words, [...asks, ...FILLERS, ...numbers])) return null;
  const one = /\ba sentence\b|one-sentence/i.test(question.text) ? 1 : SENTENCES;
  return {
    limit: Math.max(1, Math.trunc(counted?.value ?? one)),
    isList: hasAny(words, ["bullet", "bullets", "points"]),
  };
}
