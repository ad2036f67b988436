import { literal } from "../cell.ts";
import { accessOf } from "../condition.ts";
import type { Query } from "../query.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { ITEM, type Source } from "../source.ts";
import { hasOnly, isOrderly, isSorted, tableQuery } from "../table-query.ts";
import { projection } from "./column.ts";
import { limitCode } from "./filter.ts";

interface Key {
  code: string;
  descending: boolean;
  label: string;
}

export const sort: Recipe = {
  name: "sort",
  summary: "sort by fields, or find the first or last by one",
  example: "the three most expensive products",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || query.operations.length + query.per.length > 0) return null;
    if (query.byOperation !== null || !hasOnly(query.words, ["rows", "reverse", "first"])) return null;
    const keys = keysOf(query, source);
    const [rank] = query.ranks;
    if (keys.length === 0 || query.ranks.length > 1) return null;
    const listed = listedFields(query);
    if (listed === null || !isOrderly(question, source, rank)) return null;
    const isOne =
      rank !== undefined && query.limit === null && query.noun?.isPlural !== true && !isSorted({ ...query, order: [] });
    // A row without a value is neither the greatest nor the least.
    const ranked = rank === undefined ? "rows" : `rows.filter((row) => toText(${keys[0]?.code}) !== "")`;
    const sorted = keys.reduceRight(
      (rows, { code, descending }) => `sortBy(${rows}, (row) => ${code}, ${descending})`,
      ranked,
    );
    const taken = isOne ? `${sorted}.slice(0, 1)` : `${sorted}${limitCode(query.limit)}`;
    const shown = listed.length === 0 ? taken : `${taken}.map((row) => ${projection(listed)})`;
    return {
      score: 45,
      title: `sort by ${keys.map(({ label, descending }) => `${label}${descending ? ", greatest first" : ""}`).join(" and ")}`,
      body: [
        rowsCode(source, query.where),
        ...(rank?.field === null && query.order.length > 0 ? keys.slice(0, 1).map(guardCode) : []),
        isOne ? `return ${shown}[0] ?? null;` : `return ${shown};`,
      ].join("\n"),
    };
  },
};

/** `top people by city`: a rank needs a field that has sizes. */
function guardCode({ code, label }: Key): string {
  const isSized = `rows.some((row) => Number.isFinite(toNumber(${code})) || isDate(${code}))`;
  const message = literal(`${JSON.stringify(label)} holds no numbers or dates to rank by.`);
  return `if (rows.length > 0 && !${isSized}) throw new Error(${message});`;
}

/** The fields to show: those that are named and are not what the rows are ranked by. Null when that can't be told. */
function listedFields({ fields, order, ranks, limit }: Query): string[] | null {
  const [rank] = ranks;
  const beside = rank === undefined ? [] : fields.filter(({ at }) => at > rank.at);
  // "top cities by salary": how many, and of which rows?
  if (order.length > 0 && beside.length > 0 && limit === null) return null;
  const isKey = rank?.field === null && order.length === 0;
  return [...new Set(fields.filter((mention) => !isKey || !beside.includes(mention)).map(({ field }) => field))];
}

function keysOf(query: Query, source: Source): Key[] {
  const [rank] = query.ranks;
  const isList = source.shape.kind === "list";
  const descending = query.descending ?? rank?.descending ?? false;
  if (query.order.length > 0)
    return query.order.map((order) => ({
      code: accessOf(order.field),
      descending: order.descending ?? descending,
      label: order.field === ITEM ? "value" : order.field,
    }));
  if (rank === undefined) return isSorted(query) && isList ? [{ code: "row", descending, label: "value" }] : [];
  if (rank.byFrequency) return [];
  if (rank.byLength) return [{ code: "row.length", descending, label: "length" }];
  const beside = query.fields.filter(({ at }) => at > rank.at);
  const field = rank.field ?? (beside.length === 1 ? beside[0]?.field : undefined);
  if (field === undefined) return [];
  return [{ code: accessOf(field), descending, label: field === ITEM ? "value" : field }];
}
