import type { Source } from "./source.ts";
import { type Token, tokensOf } from "./tokens.ts";
import { NOISE, ROW_NOUNS, TEXT_NOUNS } from "./vocabulary.ts";
import { wordSet } from "./word-set.ts";

const SOURCE_NOUNS = wordSet("source sources material materials interview interviews paper papers");
const EACH = wordSet("each every");
const SMALL = wordSet("a an the of in on at for and or to by with from its their his her how why");
const SEPARATOR = /\s?\b(?:from|in|using|based on|out of|with)\s+/gi;
const MAX_CHARS = 100; // of a topic: longer is an instruction
const MAX_WORDS = 8;

/** What a text is to be about: `on honey bees from the sources`, `from the sources`. */
export interface Subject {
  /** Null when the goal names none: the texts are the topic. */
  topic: string | null;
  /** The words by which it names the sources; empty when it doesn't. */
  mention: readonly Token[];
}

/** Null unless all of it is a topic and a mention of the sources. */
export function subjectOf(text: string, sources: readonly Source[]): Subject | null {
  if (text.length > 3 * MAX_CHARS) return null;
  const rest = text.trim().replace(/[\s.!?]+$/, "");
  const cut = [...rest.matchAll(SEPARATOR)].findLast(({ index, 0: { length } }) =>
    isMention(tokensOf(rest.slice(index + length)) ?? [], sources),
  );
  const head = cut === undefined ? rest : rest.slice(0, cut.index).trim();
  const mention = cut === undefined ? [] : (tokensOf(rest.slice(cut.index)) ?? []);
  if (head === "") return { topic: null, mention };
  const topic = /^(?:on|about)\s+(?:the topic of\s+)?("?)([^",;:\n]+)\1$/i.exec(head)?.[2]?.trim() ?? "";
  const words = topicWords(topic);
  if (words.length === 0 || words.length > MAX_WORDS || topic.length > MAX_CHARS) return null;
  return { topic, mention };
}

/** The words of a topic that a text must have to be about it. */
export const topicWords = (topic: string): string[] =>
  (topic.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? []).filter((word) => !SMALL.has(word.toLowerCase()));

/** `the sources`, `these articles`, an input's name: a noun, and nothing that says more. */
function isMention(tokens: readonly Token[], sources: readonly Source[]): boolean {
  const isNoun = ({ lower, stems }: Token): boolean =>
    SOURCE_NOUNS.has(lower) ||
    TEXT_NOUNS.has(lower) ||
    ROW_NOUNS.has(lower) ||
    ["input", "inputs", "data"].includes(lower) ||
    sources.some(({ names }) => stems.length > 0 && stems.every((stem) => names.has(stem)));
  return (
    tokens.some(isNoun) &&
    tokens.every(
      (token) =>
        token.lower === "," ||
        (token.kind === "word" && (isNoun(token) || NOISE.has(token.lower) || EACH.has(token.lower))),
    )
  );
}
