import type { Scope } from "./clause.ts";
import { fieldAt } from "./field-mention.ts";
import { phraseEnd } from "./phrase.ts";
import { directionAt, type Rank } from "./ranking.ts";
import { ITEM } from "./source.ts";
import { stemsOf, type Token } from "./tokens.ts";
import { type Operation, OPERATIONS, ROW_NOUNS } from "./vocabulary.ts";

export interface Order {
  field: string;
  descending: boolean | null;
}

export type Per =
  | { kind: "group"; fields: string[]; next: number }
  | { kind: "order"; orders: Order[]; next: number }
  | { kind: "operation"; operation: Operation; field: string | null; next: number };

const PER_PHRASES = [
  "grouped by",
  "group by",
  "broken down by",
  "split by",
  "for each",
  "for every",
  "in each",
  "of each",
  "in every",
  "at each",
  "by each",
  "by",
  "per",
  "across",
  "each",
];
const ORDER_PHRASES = ["sorted by", "sort by", "ordered by", "order by", "ranked by", "rank by", "arranged by"];

/** What was read of the goal before the clause. */
interface State {
  isSort: boolean;
  ranks: readonly Rank[];
  limit: unknown;
  operations: readonly Operation[];
  fields: readonly { at: number }[];
  softFields: readonly string[];
  noun: unknown;
}

/** `by city`, `per region and year`, `sorted by price descending`, `by number of orders`. */
export function perAt(scope: Scope, i: number, state: State): Per | null {
  const { tokens } = scope;
  const order = phraseEnd(tokens, i, ORDER_PHRASES);
  const start = order ?? phraseEnd(tokens, i, PER_PHRASES);
  if (start === null) return null;
  const at = skipArticle(tokens, start);
  const operation = operationAt(scope, at);
  if (operation !== null) return operation;
  if (scope.isList && order !== null)
    return { kind: "order", orders: [{ field: ITEM, descending: null }], next: order };
  if (scope.isList && isItemAt(scope, i, at)) return { kind: "group", fields: [ITEM], next: at };
  const all = fieldsAt(scope, at);
  const last = all.at(-1);
  if (last === undefined) return null;
  // "list people by age" asks for an order; "list names by city" for groups.
  const isListing = /^(?:list|show|display|print)$/.test(tokens[0]?.lower ?? "") && state.noun !== null;
  const isBare = state.operations.length + state.fields.length === 0;
  const isRanked = state.ranks.length > 0 && state.operations.length === 0 && !isRankComplete(tokens, all, state);
  const isRanking = state.isSort || (isListing && isBare) || isRanked;
  if (order !== null || (tokens[i]?.lower === "by" && isRanking))
    return { kind: "order", orders: all, next: last.next };
  return { kind: "group", fields: all.map(({ field }) => field), next: last.next };
}

/** `highest salary by city`, `cheapest product by category`: the rank has its field, so `by` names groups. */
function isRankComplete(
  tokens: readonly Token[],
  by: readonly Order[],
  { ranks, limit, fields, softFields }: State,
): boolean {
  const [rank] = ranks;
  if (rank === undefined || limit !== null || rank.byFrequency === true) return false;
  if (rank.field !== null) return by.every(({ field }) => field !== rank.field);
  // "top cities by salary" ranks cities; "highest salary by city" doesn't.
  return (
    !["top", "bottom", "best", "worst"].includes(tokens[rank.at]?.lower ?? "") &&
    (softFields.length > 0 || fields.some(({ at }) => at > rank.at))
  );
}

/** `each word`, `of each`: what a list is grouped by is the item itself. */
function isItemAt({ tokens, unit }: Scope, i: number, at: number): boolean {
  if (!["each", "of", "by", "per"].includes(tokens[i]?.lower ?? "") || (tokens[i]?.lower === "of" && at === i))
    return false;
  if (["for", "in", "from", "within"].includes(tokens[i - 1]?.lower ?? "")) return false;
  const after = tokens[at];
  if (unit !== undefined) return after?.stems.join(" ") === stemsOf(unit).join(" ");
  return after === undefined || ROW_NOUNS.has(after.lower) || ["value", "kind"].includes(after.lower);
}

/** `city, year and price descending` */
function fieldsAt({ tokens, fields }: Scope, start: number): (Order & { next: number })[] {
  const found: (Order & { next: number })[] = [];
  for (let at: number | null = start; at !== null;) {
    const mention = fieldAt(tokens, skipArticle(tokens, at), fields);
    // "by age, names only": what is to be shown, not what to sort by.
    if (mention === null || (found.length > 0 && tokens[mention.next]?.lower === "only")) break;
    const direction = directionAt(tokens, mention.next);
    const next = direction?.next ?? mention.next;
    found.push({ field: mention.field, descending: direction?.descending ?? null, next });
    at = phraseEnd(tokens, next, [", and", ", then by", ", then", "and then by", "then by", "and by", ",", "and"]);
  }
  return found;
}

function operationAt({ tokens, fields }: Scope, at: number): Per | null {
  const lower = tokens[at]?.lower ?? "";
  const isNumberOf = lower === "number" && tokens[at + 1]?.lower === "of";
  const operation = isNumberOf ? "count" : OPERATIONS.get(lower);
  // A field may be called `total` or `count`.
  if (operation === undefined || (fieldAt(tokens, at, fields) !== null && fieldAt(tokens, at + 1, fields) === null))
    return null;
  const mention = fieldAt(tokens, at + 1, fields);
  if (operation === "count" || mention === null)
    return operation === "count"
      ? { kind: "operation", operation, field: null, next: isNumberOf ? at + 2 : at + 1 }
      : null;
  return { kind: "operation", operation, field: mention.field, next: mention.next };
}

const skipArticle = (tokens: readonly Token[], i: number): number =>
  ["the", "a", "an", "its", "their"].includes(tokens[i]?.lower ?? "") ? i + 1 : i;
