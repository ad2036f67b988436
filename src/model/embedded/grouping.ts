import { fieldLike } from "./field-mention.ts";
import type { Query } from "./query.ts";
import { ITEM, type Source } from "./source.ts";
import { hasAny, hasOnly } from "./table-query.ts";
import type { Operation } from "./vocabulary.ts";

/** What a goal asks of each group. */
export interface Grouping {
  by: string[];
  /** `rows` gives each group as it is, `best` its first row by a field. */
  operation: Operation | "rows" | "best";
  field: string | null;
  /** By the result, greatest first or last; null leaves the groups in order of appearance. */
  descending: boolean | null;
  /** By the key instead of the result. */
  isByKey: boolean;
  /** Only the first group is asked for: `which city has the most`. */
  isOne: boolean;
  /** How many groups; null for all. */
  limit: number | null;
  /** For `best`: greatest first. */
  isBestGreatest: boolean;
}

const FREQUENCY = (
  "frequency frequencies distribution histogram breakdown occurrences often how times occur occurs appear " +
  "appears occurrence"
).split(" ");
const WORDS = [...FREQUENCY, "group", "grouped", "split", "per", "common", "frequent", "break", "down"];
const COMMON = 10; // "the most common words" without a number
const SUMMED = "revenue sales amount total quantity profit spending income turnover".split(" ");

export function groupingOf(query: Query, source: Source): Grouping | null {
  if (!hasOnly(query.words, WORDS) || query.ranks.length > 1 || query.operations.length > 1) return null;
  const base = { isBestGreatest: false, isOne: false, limit: query.limit?.count ?? null, ...orderOf(query) };
  return (
    perGrouping(query, source, base) ??
    byResult(query, base) ??
    mostCommon(query, source, base) ??
    frequency(query, source, base) ??
    fieldCounts(query, base) ??
    whichHas(query, base)
  );
}

type Base = Pick<Grouping, "descending" | "isByKey" | "isOne" | "isBestGreatest" | "limit">;

/** `sorted`, `top 3`, `by count descending`. */
function orderOf(query: Query): Pick<Grouping, "descending" | "isByKey"> {
  const [key] = query.order;
  const isByKey = key !== undefined && query.per.includes(key.field);
  const [rank] = query.ranks;
  const isTop = query.limit !== null && rank !== undefined;
  const asked =
    query.isSort || query.order.length > 0 || query.descending !== null || isTop || query.byOperation !== null;
  if (!asked) return { descending: null, isByKey };
  return { descending: key?.descending ?? query.descending ?? rank?.descending ?? !isByKey, isByKey };
}

/** `total revenue by region` */
function perGrouping(query: Query, source: Source, base: Base): Grouping | null {
  const { per, operations, fields, byOperation } = query;
  const [rank] = query.ranks;
  const [mention, ...more] = fields.filter(({ field }) => !per.includes(field));
  if (per.length === 0 || more.length > 0) return null;
  const field = mention?.field ?? null;
  const operation = operations[0] ?? (byOperation !== null && field === null ? byOperation.operation : undefined);
  if (operation === "count") return field === null ? { ...base, by: per, operation, field } : null;
  const metric =
    field ?? byOperation?.field ?? (operation === undefined ? null : (query.softFields[0] ?? query.operationField));
  if (operation !== undefined) return metric === null ? null : { ...base, by: per, operation, field: metric };
  if (rank !== undefined && query.limit === null) {
    if (rank.field !== null && field === null)
      return { ...base, by: per, operation: "best", field: rank.field, isBestGreatest: rank.descending };
    const ranked = field ?? query.softFields.find((soft) => !per.includes(soft)) ?? null;
    if (ranked === null) return null;
    // "the people with the highest salary by city" asks for people.
    if (query.noun !== null && query.noun.at < rank.at)
      return { ...base, by: per, operation: "best", field: ranked, isBestGreatest: rank.descending };
    return { ...base, by: per, operation: rank.descending ? "max" : "min", field: ranked };
  }
  if (field !== null) {
    const numeric = source.shape.kind === "table" ? source.shape.numeric : [];
    const isSum = numeric.includes(field) || fieldLike(SUMMED, [field]) !== null;
    return { ...base, by: per, operation: isSum ? "sum" : "rows", field };
  }
  const isWhole = hasAny(query.words, ["group", "grouped", "split"]) && !hasAny(query.words, FREQUENCY);
  return { ...base, by: per, operation: isWhole ? "rows" : "count", field };
}

/** `top 3 cities by number of orders` */
function byResult({ byOperation, fields, operations, softFields }: Query, base: Base): Grouping | null {
  const [key, ...more] = fields.length > 0 ? fields.map(({ field }) => field) : softFields;
  if (byOperation === null || key === undefined || more.length > 0 || operations.length > 0) return null;
  return { ...base, by: [key], operation: byOperation.operation, field: byOperation.field };
}

/** `most common city` */
function mostCommon(query: Query, source: Source, base: Base): Grouping | null {
  const [rank] = query.ranks;
  if (rank?.byFrequency !== true || query.operations.length > 0 || query.fields.length > 1) return null;
  const key = source.shape.kind === "list" ? ITEM : (query.fields[0]?.field ?? query.softFields[0]);
  if (key === undefined) return null;
  const isOne = query.limit === null && query.noun?.isPlural !== true;
  return {
    ...base,
    by: [key],
    operation: "count",
    field: null,
    descending: rank.descending,
    isOne,
    limit: base.limit ?? COMMON,
  };
}

/** `word frequency`, `distribution of ages` */
function frequency(query: Query, source: Source, base: Base): Grouping | null {
  if (!hasAny(query.words, FREQUENCY.slice(0, 5)) || query.fields.length > 1 || query.operations.length > 0)
    return null;
  const key = source.shape.kind === "list" ? ITEM : query.fields[0]?.field;
  return key === undefined ? null : { ...base, by: [key], operation: "count", field: null };
}

/** `status counts` */
function fieldCounts({ operations, operationAt, fields, ranks }: Query, base: Base): Grouping | null {
  const [key, ...more] = fields;
  if (operations[0] !== "count" || key === undefined || more.length + ranks.length > 0 || key.at > operationAt)
    return null;
  return { ...base, by: [key.field], operation: "count", field: null };
}

/** `which city has the most orders`, `which region has the highest total revenue` */
function whichHas(query: Query, base: Base): Grouping | null {
  const [rank] = query.ranks;
  if (rank === undefined || rank.field !== null || query.limit !== null) return null;
  const [key, metric, ...more] = query.fields;
  if (key === undefined || key.at > rank.at || more.length > 0) return null;
  const grouping = { ...base, by: [key.field], descending: rank.descending, isOne: true };
  const [operation] = query.operations;
  if (operation === undefined || operation === "count") {
    const isCount = metric === undefined && (operation === "count" || (query.noun?.at ?? -1) > rank.at);
    return isCount ? { ...grouping, operation: "count", field: null } : null;
  }
  return metric === undefined ? null : { ...grouping, operation, field: metric.field };
}
