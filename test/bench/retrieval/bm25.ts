/** Plain BM25 over name and description: Porter stems, the usual English stop words, k1 1.2, b 0.75. What ours is held against. */
import { stem } from "../../../src/capabilities/stem.ts";
import type { Tool } from "./dataset.ts";

const K1 = 1.2;
const B = 0.75;
// prettier-ignore
const STOP = new Set("i me my myself we our ours ourselves you your yours yourself yourselves he him his himself she her hers herself it its itself they them their theirs themselves what which who whom this that these those am is are was were be been being have has had having do does did doing a an the and but if or because as until while of at by for with about against between into through during before after above below to from up down in out on off over under again further then once here there when where why how all any both each few more most other some such no nor not only own same so than too very s t can will just don should now".split(" "));

const tokens = (text: string): string[] =>
  (text.toLowerCase().match(/[a-z0-9]+/g) ?? []).filter((word) => !STOP.has(word)).map(stem);

/** Answers names, best first; tools that share no word with the query are left out. */
export function bm25(tools: readonly Tool[]): (query: string) => string[] {
  const documents = tools.map(({ name, description }) => counts(tokens(`${name} ${description}`)));
  const lengths = documents.map((document) => [...document.values()].reduce((sum, count) => sum + count, 0));
  const mean = lengths.reduce((sum, length) => sum + length, 0) / lengths.length;
  const df = new Map<string, number>();
  for (const document of documents) for (const word of document.keys()) df.set(word, (df.get(word) ?? 0) + 1);
  const idf = (word: string): number => {
    const n = df.get(word) ?? 0;
    return Math.log(1 + (tools.length - n + 0.5) / (n + 0.5));
  };
  return (query) => {
    const words = tokens(query);
    return documents
      .map((document, i) => {
        const stretch = K1 * (1 - B + (B * lengths[i]!) / mean);
        const score = words.reduce((sum, word) => {
          const count = document.get(word) ?? 0;
          return count === 0 ? sum : sum + (idf(word) * count * (K1 + 1)) / (count + stretch);
        }, 0);
        return { name: tools[i]!.name, score };
      })
      .filter(({ score }) => score > 0)
      .sort((a, b) => b.score - a.score)
      .map(({ name }) => name);
  };
}

function counts(words: string[]): Map<string, number> {
  const found = new Map<string, number>();
  for (const word of words) found.set(word, (found.get(word) ?? 0) + 1);
  return found;
}
