import type { Condition } from "./condition.ts";
import type { Order } from "./per.ts";
import type { Limit, Rank } from "./ranking.ts";
import type { Operation } from "./vocabulary.ts";

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
  limit: Limit | null;
  operations: Operation[];
  /** The field that has the operation's own word for a name: `total`. */
  operationField: string | null;
  /** Where the first operation is named, as a token index. */
  operationAt: number;
  fields: { field: string; at: number }[];
  /** Fields whose name is also that of the input: `cities` in a table of cities. */
  softFields: string[];
  /** Where the rows are first named, as a token index, and whether as more than one. */
  noun: { at: number; isPlural: boolean } | null;
  words: string[];
}

export const emptyQuery = (): Query => ({
  where: null,
  per: [],
  byOperation: null,
  isSort: false,
  order: [],
  descending: null,
  ranks: [],
  limit: null,
  operations: [],
  operationField: null,
  operationAt: Infinity,
  fields: [],
  softFields: [],
  noun: null,
  words: [],
});

/** Adds a condition to those there are. */
export function narrow(query: Query, condition: Condition): void {
  query.where = query.where === null ? condition : { kind: "and", of: [query.where, condition] };
}
