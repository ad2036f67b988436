import { stem } from "./stem.ts";
import { subjectsOf } from "./thesaurus.ts";

// Words that say how one asks, not what for. prettier-ignore
// prettier-ignore
const STOP = new Set("a about above after again against all also am an and any anything are as at be because been before being below between both but by can certain could d did do does doing don down during each ensure etc everything few find for from further get give got had has have having he hello help her here hers herself hey hi him himself his how i if im in include including into is it its itself just kind know let like ll look looking lot m make may me might more most must my myself need needed no nor not now of off ok on once only or other our ours ourselves out over own particular per please provide re really s same shall she should show so some someone something specific specifically such t tell than thank thanks that the their theirs them themselves then there these they this those through to too under until up us use used using various ve very via want wanted was way ways we were what when where whether which while who whom why will with within without would you your yours yourself yourselves able".split(" "));
const MAX_WORD_CHARS = 64; // longer ones are data, not words

/** The words of a name or a text, lower case; `getUserByEmail`, `user_list` and `http.get` fall into their parts. */
export function wordsOf(text: string): string[] {
  const words = text
    .replace(/([\p{Ll}\p{N}])(\p{Lu})/gu, "$1 $2")
    .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, "$1 $2")
    .toLowerCase()
    .replace(/['’]/g, "")
    .match(/[\p{L}\p{N}]+/gu);
  return (words ?? []).filter((word) => word.length <= MAX_WORD_CHARS);
}

/** Stems in the order they stand, common words included: what a goal is remembered by. */
export const stemsOf = (text: string, limit: number): string[] => wordsOf(text).slice(0, limit).map(stem);

/** The stems a text is about, with how often each stands there. When all words are common ones, those. */
export function topicsOf(text: string, limit: number): Map<string, number> {
  const words = wordsOf(text);
  const telling = words.filter((word) => !STOP.has(word));
  const counts = new Map<string, number>();
  for (const word of telling.length > 0 ? telling : words) {
    const stemmed = stem(word);
    if (counts.size < limit || counts.has(stemmed)) counts.set(stemmed, (counts.get(stemmed) ?? 0) + 1);
  }
  return counts;
}

/** The subjects of stems, each by how many of the stems speak of it. A stem of several subjects counts less for each. */
export function subjectWeights(stems: Iterable<[string, number]>): Map<number, number> {
  const weights = new Map<number, number>();
  for (const [word, count] of stems) {
    const subjects = subjectsOf(word);
    for (const subject of subjects)
      weights.set(subject, (weights.get(subject) ?? 0) + count / Math.sqrt(subjects.length));
  }
  return weights;
}
