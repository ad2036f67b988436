import { z } from "zod";
import { defineTool } from "../define.ts";
import { boundedText, LIMIT_NOTE } from "./size.ts";
import { isStopWord } from "./stop-words.ts";
import { wordsOf } from "./words.ts";

const MAX_PHRASE_WORDS = 3;
const PHRASE_SCOPE = 50_000; // words in which phrases are looked for: memory grows with every distinct one

interface Term {
  term: string;
  words: number;
  count: number;
  /** Place of its first occurrence: breaks ties, so that the order is always the same. */
  first: number;
}

/** Words and phrases that recur, best first. A word that only occurs inside a chosen phrase is left out. */
function keyTerms(text: string, limit: number): Term[] {
  const terms = new Map<string, Term>();
  const run: string[] = [];
  let place = 0;
  for (const { word, follows } of wordsOf(text)) {
    place++;
    const stops = isStopWord(word);
    if (stops || !follows) run.length = 0;
    if (stops) continue;
    run.push(word);
    if (run.length > MAX_PHRASE_WORDS) run.shift();
    const longest = place > PHRASE_SCOPE ? 1 : run.length;
    for (let words = 1; words <= longest; words++) {
      const term = run.slice(run.length - words).join(" ");
      const known = terms.get(term);
      if (known === undefined) terms.set(term, { term, words, count: 1, first: place });
      else known.count++;
    }
  }
  const ranked = [...terms.values()]
    .filter((term) => term.words === 1 || term.count > 1)
    .sort((a, b) => scoreOf(b) - scoreOf(a) || a.first - b.first);
  const chosen: Term[] = [];
  const covered = new Map<string, number>();
  for (const term of ranked) {
    if (chosen.length === limit) break;
    if ((covered.get(term.term) ?? 0) >= term.count) continue;
    chosen.push(term);
    for (const part of partsOf(term.term)) covered.set(part, Math.max(covered.get(part) ?? 0, term.count));
  }
  return chosen;
}

const scoreOf = ({ count, words }: Term): number => count * (1 + 0.5 * (words - 1));

function partsOf(phrase: string): string[] {
  const words = phrase.split(" ");
  return words.flatMap((_, from) => words.slice(from).map((_, i) => words.slice(from, from + i + 1).join(" ")));
}

export const keywords = defineTool({
  name: "text.keywords",
  summary: "Finds the words and phrases a text is about.",
  description: `By frequency without stop words (English, German, French, Spanish); recurring phrases of two or three words count more than single words. Lower case. ${LIMIT_NOTE}`,
  input: z.strictObject({
    text: z.string().describe("any text"),
    limit: z.int().min(1).max(500).optional().describe("at most so many; 10 when left out"),
  }),
  output: z.object({
    keywords: z
      .array(
        z.object({
          term: z.string().describe("a word or phrase, lower case"),
          count: z.number().describe("occurrences"),
          score: z.number().describe("what it is ranked by"),
        }),
      )
      .describe("best first"),
  }),
  effect: "read",
  examples: [
    {
      args: { text: "Solar power is cheap. Solar power needs storage; storage is not cheap.", limit: 2 },
      result: {
        keywords: [
          { term: "solar power", count: 2, score: 3 },
          { term: "cheap", count: 2, score: 2 },
        ],
      },
    },
  ],
  execute: async ({ text, limit = 10 }) => ({
    keywords: keyTerms(boundedText(text, "text"), limit).map((term) => ({
      term: term.term,
      count: term.count,
      score: scoreOf(term),
    })),
  }),
});
