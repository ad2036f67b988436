import type { Query } from "./query.ts";
import { queryOf } from "./query-parser.ts";
import type { Question } from "./question.ts";
import type { Rank } from "./ranking.ts";
import type { Source } from "./source.ts";
import { stemsOf } from "./tokens.ts";

/** The goal as a query on a table or list; null when the source is neither, or the goal doesn't name its unit. */
export function tableQuery(question: Question, source: Source | null): Query | null {
  if (source === null) return null;
  // Every recipe asks for the same query, so it is read once.
  const known = QUERIES.get(question) ?? new Map<Source, Query | null>();
  QUERIES.set(question, known);
  const query = known.has(source) ? (known.get(source) ?? null) : readQuery(question, source);
  known.set(source, query);
  return query;
}

const QUERIES = new WeakMap<Question, Map<Source, Query | null>>();

function readQuery({ tokens }: Question, source: Source): Query | null {
  if (source.shape.kind !== "table" && source.shape.kind !== "list") return null;
  const isRows = tokens.some(({ kind, lower }) => kind === "word" && /^(?:rows?|records?)$/.test(lower));
  if (source.shape.kind === "table" && source.shape.isColumn && !isRows) return null;
  if (source.shape.kind === "list" && source.shape.unit !== undefined) {
    const unit = stemsOf(source.shape.unit).join(" ");
    if (!tokens.some(({ kind, stems }) => kind !== "quoted" && stems.join(" ") === unit)) return null;
  }
  return queryOf(tokens, source);
}

/** Nothing but conditions: no grouping, no order, no limit. */
export const isPlainQuery = (query: Query): boolean =>
  query.per.length === 0 &&
  query.byOperation === null &&
  query.ranks.length === 0 &&
  query.limit === null &&
  !isSorted(query);

export const isSorted = ({ isSort, order, descending }: Query): boolean =>
  isSort || order.length > 0 || descending !== null;

export const hasOnly = (words: readonly string[], allowed: readonly string[]): boolean =>
  words.every((word) => allowed.includes(word));

export const hasAny = (words: readonly string[], sought: readonly string[]): boolean =>
  words.some((word) => sought.includes(word));

const SIZED = new Set(
  "number score price age grade temperature amount integer figure date".split(" ").flatMap((word) => stemsOf(word)),
);

/** Whether `highest`, `top` mean anything: texts have a length and a first in the alphabet, but no best one. */
export function isOrderly({ tokens }: Question, { shape }: Source, rank: Rank | undefined): boolean {
  const isText = shape.kind === "list" && shape.items === "texts";
  if (!isText || rank === undefined || rank.byLength === true) return true;
  return (
    shape.unit === undefined &&
    tokens.some(({ kind, stems }) => kind === "word" && stems.some((stem) => SIZED.has(stem)))
  );
}
