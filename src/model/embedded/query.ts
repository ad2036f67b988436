import { clauseAt, OPENERS, type Parsed, type Scope } from "./clause.ts";
import { conditionsAt } from "./conditions.ts";
import { comparatorAt } from "./comparators.ts";
import type { Condition } from "./condition.ts";
import { fieldAt } from "./field-mention.ts";
import { phraseEnd } from "./phrase.ts";
import { heldAt, placeAt, stateAt } from "./place.ts";
import { directionAt, limitAt, type Rank, rankAt } from "./ranking.ts";
import { type Order, type Per, perAt } from "./per.ts";
import type { Source } from "./source.ts";
import { stemsOf, type Token } from "./tokens.ts";
import { LINKING, LIST_NOUNS, NOISE, type Operation, OPERATIONS, ROW_NOUNS, TEXT_NOUNS } from "./vocabulary.ts";

/** A goal about a table or a list, taken apart. What no clause could use is in `words`. */
export interface Query {
  where: Condition | null;
  /** Fields after `by`, `per`, `for each`. */
  per: string[];
  /** `by total revenue`, `by number of orders`. */
  byOperation: { operation: Operation; field: string | null } | null;
  isSort: boolean;
  order: Order[];
  descending: boolean | null;
  ranks: Rank[];
  limit: { count: number; from: "start" | "end" } | null;
  operations: Operation[];
  /** Where the first operation is named, as a token index. */
  operationAt: number;
  fields: { field: string; at: number }[];
  /** Fields whose name is also that of the input: `cities` in a table of cities. */
  softFields: string[];
  /** Where the rows are first named, as a token index, and whether as more than one. */
  noun: { at: number; isPlural: boolean } | null;
  words: string[];
}

const STRONG = new Set(["where", "whose", "having"]);
const WEAK = new Set(["with", "that", "which", "who", "when", "if", "are", "is", "have", "has", "without"]);
const PLACES = new Set(["in", "from", "for", "within"]);
const BARE_EQUALS = new Set(["is", "are", "=", "==", "equals", "was", "were", "!=", "≠", "<>"]);

/** Null when a clause that must be a condition can't be read as one. */
export function queryOf(tokens: readonly Token[], source: Source): Query | null {
  const { shape } = source;
  const fields = shape.kind === "table" ? shape.fields : [];
  const scope: Scope = {
    tokens,
    fields,
    isList: shape.kind === "list",
    own: namesOf(source),
    unit: shape.kind === "list" ? shape.unit : undefined,
  };
  const query: Query = {
    where: null,
    per: [],
    byOperation: null,
    isSort: false,
    order: [],
    descending: null,
    ranks: [],
    limit: null,
    operations: [],
    operationAt: Infinity,
    fields: [],
    softFields: [],
    noun: null,
    words: [],
  };
  for (let i = 0; i < tokens.length;) {
    const used = clause(query, scope, i);
    if (used === null) return null;
    const next = used ?? head(query, scope, i);
    i = next;
  }
  return query;
}

const namesOf = (source: Source): Set<string> =>
  new Set([...source.names, ...(source.shape.kind === "list" ? stemsOf(source.shape.unit ?? "value") : [])]);

/** Consumes a clause at `i` into the query; undefined when there is none there, null when it can't be read. */
function clause(query: Query, scope: Scope, i: number): number | null | undefined {
  const { tokens } = scope;
  const word = tokens[i]?.kind === "quoted" ? "" : (tokens[i]?.lower ?? "");
  if (directionAt(tokens, i) !== null) return undefined;
  const per = perAt(scope, i, query);
  if (per !== null) return addPer(query, per);
  if (STRONG.has(word)) return addWhere(query, conditionsAt(scope, i + 1));
  const isQuestionWord = i === 0 && (word === "which" || word === "who" || word === "is" || word === "are");
  const condition =
    (WEAK.has(word) && !isQuestionWord ? conditionsAt(scope, word === "without" ? i : i + 1) : null) ??
    (PLACES.has(word) ? placeAt(scope, i + 1) : null) ??
    notInPlace(scope, i) ??
    (word === "are" || word === "is" ? stateAt(scope, i + 1) : null) ??
    bareCondition(scope, i);
  return condition === null ? undefined : addWhere(query, condition);
}

/** `not in Paris`, `outside the toys category`. */
function notInPlace(scope: Scope, i: number): Parsed | null {
  const start = phraseEnd(scope.tokens, i, ["not in", "not from", "not for", "outside of", "outside"]);
  const parsed = start === null ? null : placeAt(scope, start);
  return parsed === null ? null : { ...parsed, condition: { kind: "not", of: parsed.condition } };
}

function addWhere(query: Query, parsed: Parsed | null): number | null {
  if (parsed === null) return null;
  query.where = query.where === null ? parsed.condition : { kind: "and", of: [query.where, parsed.condition] };
  return parsed.next;
}

function addPer(query: Query, per: Per): number {
  if (per.kind === "operation") query.byOperation = { operation: per.operation, field: per.field };
  else if (per.kind === "order") query.order.push(...per.orders);
  else query.per.push(...per.fields);
  return per.next;
}

/** A comparison with no word before it: `scores above 90`, `older than 30`, `containing "x"`. */
function bareCondition(scope: Scope, i: number): Parsed | null {
  const { tokens, fields } = scope;
  const mention = fieldAt(tokens, i, fields);
  if (mention === null && OPENERS.has(tokens[i]?.lower ?? "")) return null;
  const comparator = comparatorAt(tokens, mention?.next ?? i);
  const word = tokens[mention?.next ?? i]?.lower ?? "";
  const isEquality = comparator?.operator === "is" || comparator?.operator === "between";
  if (mention !== null) {
    const isClear = comparator !== null && (!isEquality || BARE_EQUALS.has(word) || word === "between");
    return isClear ? conditionsAt(scope, i) : null;
  }
  if (comparator !== null && isEquality && word !== "between") return null;
  return clauseAt(scope, i, null) === null ? null : conditionsAt(scope, i);
}

/** Consumes one word of the request itself. */
function head(query: Query, scope: Scope, i: number): number {
  const { tokens, fields, own } = scope;
  const token = tokens[i];
  if (token === undefined || [",", ";", ":"].includes(token.lower)) return i + 1;
  const { lower } = token;
  const phrase = `${lower} ${tokens[i + 1]?.lower ?? ""}`;

  if (
    ["sort", "sorted", "sorting", "rank", "ranked", "arrange", "arranged", "alphabetically"].includes(lower) ||
    (lower === "order" && i === 0)
  ) {
    query.isSort = true;
    return i + 1;
  }
  const direction = directionAt(tokens, i);
  if (direction !== null) {
    query.descending = direction.descending;
    return direction.next;
  }
  if (phrase === "how many" || phrase === "number of" || phrase === "count of") return operation(query, "count", i + 2);
  if (phrase === "total number") return operation(query, "count", tokens[i + 2]?.lower === "of" ? i + 3 : i + 2);
  const isCounted = (lower === "total" || token.value !== undefined) && isNoun(scope, i + 1);
  if (isCounted && token.value === undefined) return operation(query, "count", i + 1);
  if (isCounted && token.value !== undefined && query.limit === null) {
    query.limit = { count: token.value, from: "start" };
    return i + 1;
  }
  if (phrase === "how much") return operation(query, "sum", i + 2);
  const limit = limitAt(scope, i);
  if (limit !== null) {
    query.limit = limit.limit;
    if (limit.rank !== null) query.ranks.push(limit.rank);
    return limit.next;
  }
  const isFirstOperation = query.operations.length === 0 && query.ranks.length === 0;
  const known = OPERATIONS.get(lower);
  const mention = fieldAt(tokens, i, fields);
  if (known !== undefined && (mention === null || isFirstOperation)) return operation(query, known, i + 1);
  const rank = mention === null || isFirstOperation ? rankAt(scope, i) : null;
  if (rank !== null) {
    query.ranks.push(rank.rank);
    return rank.next;
  }
  const isOwn = token.stems.length > 0 && token.stems.every((stem) => own.has(stem));
  if (mention !== null) {
    if (!isOwn) query.fields.push({ field: mention.field, at: i });
    else query.softFields.push(mention.field);
    return isOwn ? noun(query, token, i) : mention.next;
  }
  if (isOwn || ROW_NOUNS.has(lower)) return noun(query, token, i);
  if (scope.isList && scope.unit === undefined && LIST_NOUNS.has(lower)) return noun(query, token, i);
  if (i === 0 && lower === "who") return noun(query, token, i);
  const isState = query.operations.length > 0 && isNoun(scope, i + 1);
  const held = isState ? heldAt(scope, i) : null;
  if (held !== null) {
    addWhere(query, { condition: held, next: i + 1 });
    return i + 1;
  }
  const isEmpty = NOISE.has(lower) || LINKING.has(lower) || (scope.unit !== undefined && TEXT_NOUNS.has(lower));
  if (!isEmpty) query.words.push(lower);
  return i + 1;
}

const isNoun = ({ tokens, fields, own }: Scope, i: number): boolean => {
  const token = tokens[i];
  if (token?.kind !== "word" || fieldAt(tokens, i, fields) !== null) return false;
  return ROW_NOUNS.has(token.lower) || (token.stems.length > 0 && token.stems.every((stem) => own.has(stem)));
};

function operation(query: Query, operation: Operation, next: number): number {
  query.operations.push(operation);
  query.operationAt = Math.min(query.operationAt, next - 1);
  return next;
}

function noun(query: Query, token: Token, at: number): number {
  query.noun ??= { at, isPlural: /s$|people/i.test(token.text) };
  return at + 1;
}
