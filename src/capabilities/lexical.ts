/**
 * How well an entry's own words answer a query: BM25 over stems, the name counting more, and over the subjects the
 * thesaurus gives them. Pure: the index brings the counts.
 */
import { subjectWeights, topicsOf } from "./words.ts";

const MAX_QUERY_WORDS = 32; // the rare ones decide; more only cost time
const MAX_ENTRY_WORDS = 400;
const NAME_WEIGHT = 1.5; // a word of the name counts like so many of the summary
const TEXT_WEIGHT = 0.5; // argument names and examples say less than the summary
const K1 = 1.2;
const B = 0.5;
const SUBJECT_WEIGHT = 1;
const SUBJECT_IDF_POWER = 1.2; // a subject that many share says little

/** Term → weight. Subjects are terms too: `#` and their number. */
export type Terms = Map<string, number>;

export interface Corpus {
  entries: number;
  /** The mean length of an entry: the sum of its words' weights, subjects left out. */
  meanLength: number;
  /** In how many entries a term stands. */
  df(term: string): number;
}

export function entryTerms({ name, summary, text }: { name: string; summary: string; text: string }): Terms {
  const terms: Terms = new Map();
  const parts: [string, number][] = [
    [name, NAME_WEIGHT],
    [summary, 1],
    [text, TEXT_WEIGHT],
  ];
  for (const [part, weight] of parts)
    for (const [word, count] of topicsOf(part, MAX_ENTRY_WORDS))
      terms.set(word, (terms.get(word) ?? 0) + count * weight);
  for (const [subject, weight] of subjectWeights([...terms])) terms.set(`#${subject}`, weight);
  return terms;
}

export function queryTerms(query: string): Terms {
  const words = [...topicsOf(query, MAX_QUERY_WORDS).keys()].map((word): [string, number] => [word, 1]);
  const terms: Terms = new Map(words);
  for (const [subject, weight] of subjectWeights(words)) terms.set(`#${subject}`, (2 * weight) / (weight + 1));
  return terms;
}

export const isSubject = (term: string): boolean => term.startsWith("#");
export const lengthOf = (terms: Terms): number => {
  let length = 0;
  for (const [term, weight] of terms) if (!isSubject(term)) length += weight;
  return length;
};

/** What a term of the query is worth in this corpus. */
export function worthOf(term: string, weight: number, corpus: Corpus): number {
  const df = Math.min(corpus.df(term), corpus.entries);
  const idf = Math.log(1 + (corpus.entries - df + 0.5) / (df + 0.5));
  return isSubject(term) ? weight * SUBJECT_WEIGHT * idf ** SUBJECT_IDF_POWER : weight * idf;
}

/**
 * How well the entry answers, 0 to 1: BM25 over the most that any entry could have. `worth`: of each query term, by `worthOf`.
 */
export function scoreEntry(worth: Terms, entry: { terms: Terms; length: number }, corpus: Corpus): number {
  let score = 0;
  let asked = 0;
  const stretch = K1 * (1 - B + (B * entry.length) / (corpus.meanLength || 1));
  for (const [term, value] of worth) {
    asked += value;
    const count = entry.terms.get(term);
    if (count !== undefined) score += (value * count) / (count + stretch);
  }
  return asked === 0 ? 0 : score / asked;
}
