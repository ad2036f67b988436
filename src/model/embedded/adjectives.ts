import { fieldLike } from "./field-mention.ts";

/** A word that ranks rows by a field it doesn't name: `cheapest`, `older`. */
interface Adjective {
  /** All its forms that stand alone: `cheapest`, `older`. */
  words: readonly string[];
  /** Fields it can mean, the likeliest first. */
  fields: readonly string[];
  descending: boolean;
}

const PRICE = ["price", "cost", "amount", "fare", "fee", "total"];
const DATE = ["date", "created", "timestamp", "time", "published", "released", "year", "day"];
const GOOD = ["rating", "score", "grade", "points", "mark"];
const SIZE = ["size", "area", "population", "amount", "total", "value", "revenue"];

const ADJECTIVES: readonly Adjective[] = [
  { words: ["expensive", "costly", "priciest", "pricier", "costliest", "dearest"], fields: PRICE, descending: true },
  { words: ["cheap", "cheapest", "cheaper"], fields: PRICE, descending: false },
  { words: ["oldest", "older", "old", "eldest"], fields: ["age"], descending: true },
  { words: ["youngest", "younger", "young"], fields: ["age"], descending: false },
  { words: ["oldest", "older", "earliest", "earlier"], fields: DATE, descending: false },
  { words: ["newest", "newer", "latest", "later", "recent"], fields: DATE, descending: true },
  { words: ["tallest", "taller", "tall"], fields: ["height"], descending: true },
  { words: ["shortest", "shorter"], fields: ["height", "length", "duration"], descending: false },
  { words: ["longest", "longer", "long"], fields: ["length", "duration", "distance", "time"], descending: true },
  { words: ["heaviest", "heavier", "heavy"], fields: ["weight", "mass"], descending: true },
  { words: ["lightest", "lighter"], fields: ["weight", "mass"], descending: false },
  { words: ["fastest", "faster", "fast"], fields: ["speed"], descending: true },
  { words: ["slowest", "slower"], fields: ["speed"], descending: false },
  { words: ["richest", "richer", "paid"], fields: ["salary", "income", "wage", "pay", "wealth"], descending: true },
  { words: ["populous", "populated"], fields: ["population", "inhabitants"], descending: true },
  { words: ["popular"], fields: ["popularity", "votes", "views", "likes", "downloads", "rating"], descending: true },
  { words: ["best", "better", "rated"], fields: GOOD, descending: true },
  { words: ["worst", "worse"], fields: GOOD, descending: false },
  { words: ["largest", "biggest", "larger", "bigger", "large", "big"], fields: SIZE, descending: true },
  { words: ["smallest", "smaller", "small"], fields: SIZE, descending: false },
];

/** What an adjective ranks by in a table with these fields; null when it names none of them. */
export function adjective(word: string, fields: readonly string[]): { field: string; descending: boolean } | null {
  for (const { words, fields: candidates, descending } of ADJECTIVES) {
    const field = words.includes(word) ? fieldLike(candidates, fields) : null;
    if (field !== null) return { field, descending };
  }
  return null;
}

/** Words that rank by a field named beside them: `highest salary`. True for the greatest first. */
export const SUPERLATIVES: ReadonlyMap<string, boolean> = new Map([
  ..."highest largest biggest greatest most top best longest latest newest maximum max".split(" ").map(descends),
  ..."lowest smallest least fewest bottom worst shortest earliest oldest minimum min".split(" ").map(ascends),
]);

function descends(word: string): [string, boolean] {
  return [word, true];
}

function ascends(word: string): [string, boolean] {
  return [word, false];
}
