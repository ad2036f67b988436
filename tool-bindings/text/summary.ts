import { z } from "zod";
import { defineTool } from "../define.ts";
import { sentencesOf } from "./sentences.ts";
import { boundedText, LIMIT_NOTE } from "./size.ts";
import { isStopWord } from "./stop-words.ts";
import { wordsOf } from "./words.ts";

const MIN_WORDS = 4; // shorter ones are headings and exclamations
const LEAD_BONUS = 1.2; // writers put what matters first

/** The sentences whose words are the most frequent of the text, in their order. */
function bestSentences(text: string, limit: number): { text: string; index: number }[] {
  const sentences = sentencesOf(text).map((span, index) => ({
    text: span.text,
    index,
    words: [...wordsOf(span.text)].map(({ word }) => word).filter((word) => !isStopWord(word)),
  }));
  const counts = new Map<string, number>();
  for (const { words } of sentences) for (const word of words) counts.set(word, (counts.get(word) ?? 0) + 1);
  const scored = sentences.map((sentence) => {
    const distinct = new Set(sentence.words);
    let total = 0;
    for (const word of distinct) total += counts.get(word)!;
    const weight = sentence.words.length < MIN_WORDS ? 0.5 : 1;
    return {
      ...sentence,
      score: (total / Math.sqrt(distinct.size || 1)) * weight * (sentence.index === 0 ? LEAD_BONUS : 1),
    };
  });
  return scored
    .sort((a, b) => b.score - a.score || a.index - b.index)
    .slice(0, limit)
    .sort((a, b) => a.index - b.index)
    .map(({ text, index }) => ({ text, index }));
}

export const summary = defineTool({
  name: "text.summary",
  summary: "Picks the sentences that say most about a text.",
  description: `Extractive: sentences as they stand, by word frequency, without a model. For a summary in new words use \`llm\`. ${LIMIT_NOTE}`,
  input: z.strictObject({
    text: z.string().describe("any text"),
    sentences: z.int().min(1).max(100).optional().describe("how many sentences to pick; 3 when left out"),
  }),
  output: z.object({
    summary: z.string().describe("the picked sentences, joined by spaces"),
    sentences: z
      .array(z.object({ text: z.string(), index: z.number().describe("its place among all sentences, from 0") }))
      .describe("in the order of the text"),
  }),
  effect: "read",
  examples: [
    {
      args: {
        text: "The harbour froze in January. Ships waited outside the frozen harbour for weeks. Nobody minded. Ice closed the harbour to ships until March.",
        sentences: 1,
      },
      result: {
        summary: "Ships waited outside the frozen harbour for weeks.",
        sentences: [{ text: "Ships waited outside the frozen harbour for weeks.", index: 1 }],
      },
    },
  ],
  execute: async ({ text, sentences = 3 }) => {
    const picked = bestSentences(boundedText(text, "text"), sentences);
    return { summary: picked.map((sentence) => sentence.text).join(" "), sentences: picked };
  },
});
