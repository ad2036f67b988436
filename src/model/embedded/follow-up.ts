import type { Source } from "./source.ts";
import type { Token } from "./tokens.ts";
import { LIST_NOUNS, ROW_NOUNS, TEXT_NOUNS } from "./vocabulary.ts";
import { wordSet } from "./word-set.ts";

const STARTS = wordSet("and or but now then also by only instead");
const PRONOUNS = wordSet("them those they");
const REPEATS = wordSet("again instead");

/** Whether a goal leans on an earlier answer: `how many of them`, `and now by name`. Earlier answers are not at hand. */
export function isFollowUp(tokens: readonly Token[], sources: readonly Source[]): boolean {
  const words = tokens.map(({ kind, lower }) => (kind === "quoted" ? "" : lower));
  if (/^(?:what|how) about$/.test(words.slice(0, 2).join(" "))) return true;
  if (STARTS.has(words[0] ?? "") || words.some((word, at) => REPEATS.has(word) && at === words.length - 1)) return true;
  const noun = tokens.findIndex((token) => isNoun(token, sources));
  return words.some((word, at) => {
    if (noun >= 0 && noun < at) return false;
    const isBareThat = word === "that" && ["", "by", "per", ",", "in", "and"].includes(words[at + 1] ?? "");
    const isOfThese = (word === "these" || word === "it") && ["of", "among"].includes(words[at - 1] ?? "");
    return (PRONOUNS.has(word) || isBareThat || isOfThese) && noun !== at + 1;
  });
}

const isNoun = ({ kind, lower, stems }: Token, sources: readonly Source[]): boolean =>
  kind === "word" &&
  (ROW_NOUNS.has(lower) ||
    LIST_NOUNS.has(lower) ||
    TEXT_NOUNS.has(lower) ||
    sources.some(({ names }) => stems.length > 0 && stems.every((stem) => names.has(stem))));
