import type { Scope } from "./clause.ts";
import { fieldAt } from "./field-mention.ts";
import { heldAt } from "./place.ts";
import { narrow, type Query } from "./query.ts";
import { directionAt, limitAt, rankAt } from "./ranking.ts";
import type { Token } from "./tokens.ts";
import { LINKING, LIST_NOUNS, NOISE, type Operation, OPERATIONS, ROW_NOUNS, TEXT_NOUNS } from "./vocabulary.ts";

/** Consumes one word of the request itself. */
export function readWord(query: Query, scope: Scope, i: number): number {
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
    if (lower.startsWith("rank")) query.descending ??= true;
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
  const limit = limitAt(scope, i) ?? singleAt(scope, i);
  if (limit !== null) {
    query.limit = limit.limit;
    if (limit.rank !== null) query.ranks.push(limit.rank);
    return limit.next;
  }
  const isFirstOperation = query.operations.length === 0 && query.ranks.length === 0;
  const known = OPERATIONS.get(lower);
  const mention = fieldAt(tokens, i, fields);
  if (known !== undefined && (mention === null || isFirstOperation)) {
    query.operationField ??= mention?.field ?? null;
    return operation(query, known, i + 1);
  }
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
  const isState = query.operations.length + query.fields.length > 0 && isNoun(scope, i + 1);
  const held = isState ? heldAt(scope, i) : null;
  if (held !== null) {
    narrow(query, held);
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

/** `first line`, `last order` */
function singleAt(scope: Scope, i: number): ReturnType<typeof limitAt> {
  const lower = scope.tokens[i]?.lower ?? "";
  if ((lower !== "first" && lower !== "last") || !isNoun(scope, i + 1) || scope.tokens[i + 1]?.lower.endsWith("s"))
    return null;
  return { limit: { count: 1, from: lower === "first" ? "start" : "end", isSingle: true }, rank: null, next: i + 1 };
}

function operation(query: Query, operation: Operation, next: number): number {
  if (!query.operations.includes(operation)) query.operations.push(operation);
  query.operationAt = Math.min(query.operationAt, next - 1);
  return next;
}

function noun(query: Query, token: Token, at: number): number {
  query.noun ??= { at, isPlural: /s$|people/i.test(token.text) };
  return at + 1;
}
