import { z } from "zod";
import { defineTool } from "../define.ts";
import { boundedText, LIMIT_NOTE } from "./size.ts";
import { countsOf } from "./words.ts";

const MAX_LEVENSHTEIN_CHARS = 10_000; // the work grows with the product of the lengths

function cosine(a: string, b: string): number {
  const left = countsOf(a);
  const right = countsOf(b);
  let product = 0;
  for (const [word, count] of left) product += count * (right.get(word) ?? 0);
  const size = Math.sqrt(squares(left) * squares(right));
  return size === 0 ? Number(left.size === right.size) : product / size;
}

const squares = (counts: Map<string, number>): number => {
  let sum = 0;
  for (const count of counts.values()) sum += count * count;
  return sum;
};

function jaccard(a: string, b: string): number {
  const left = countsOf(a);
  const right = countsOf(b);
  let shared = 0;
  for (const word of left.keys()) if (right.has(word)) shared++;
  const union = left.size + right.size - shared;
  return union === 0 ? 1 : shared / union;
}

/** 1 − edits / length of the longer, by code points, in two rows of memory. */
function levenshtein(a: string, b: string): number {
  const left = Array.from(a, (char) => char.codePointAt(0)!);
  const right = Array.from(b, (char) => char.codePointAt(0)!);
  const longest = Math.max(left.length, right.length);
  if (longest === 0) return 1;
  let row = Uint32Array.from({ length: right.length + 1 }, (_, i) => i);
  let next = new Uint32Array(right.length + 1);
  for (let i = 0; i < left.length; i++) {
    next[0] = i + 1;
    for (let j = 0; j < right.length; j++) {
      const replaced = row[j]! + (left[i] === right[j] ? 0 : 1);
      next[j + 1] = Math.min(replaced, row[j + 1]! + 1, next[j]! + 1);
    }
    [row, next] = [next, row];
  }
  return 1 - row[right.length]! / longest;
}

export const similarity = defineTool({
  name: "text.similarity",
  summary: "Says how alike two texts are, from 0 to 1.",
  description: `By letters and words, not by meaning. Two empty texts are alike (1). ${LIMIT_NOTE} Levenshtein: above 10,000 characters each.`,
  input: z.strictObject({
    a: z.string().describe("one text"),
    b: z.string().describe("the other"),
    method: z
      .enum(["cosine", "jaccard", "levenshtein"])
      .optional()
      .describe("cosine (when left out): word counts; jaccard: sets of words; levenshtein: edits of characters"),
  }),
  output: z.object({ score: z.number().describe("0: nothing in common, 1: the same; six decimals") }),
  effect: "read",
  examples: [
    { args: { a: "red apple", b: "green apple" }, result: { score: 0.5 } },
    { args: { a: "kitten", b: "sitting", method: "levenshtein" }, result: { score: 0.571429 } },
  ],
  execute: async ({ a, b, method = "cosine" }) => {
    const limit = method === "levenshtein" ? MAX_LEVENSHTEIN_CHARS : undefined;
    const left = boundedText(a, "a", limit);
    const right = boundedText(b, "b", limit);
    const score = { cosine, jaccard, levenshtein }[method](left, right);
    return { score: Math.round(Math.min(1, score) * 1e6) / 1e6 };
  },
});
