import { literal } from "../cell.ts";
import { accessOf } from "../condition.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { hasOnly, isSorted, tableQuery } from "../table-query.ts";
import { limitCode } from "./filter.ts";

const VERBS = ["extract", "pull", "column", "columns", "field", "fields", "filter", "keep", "see", "project"];

export const column: Recipe = {
  name: "column",
  summary: "take one or more fields from rows",
  example: "list the names of people older than 30",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || !hasOnly(query.words, VERBS) || query.byOperation !== null) return null;
    if (query.operations.length + query.per.length + query.ranks.length > 0 || isSorted(query)) return null;
    const fields = [...new Set(query.fields.map(({ field }) => field))];
    if (fields.length === 0) return null;
    return {
      score: 35,
      title: `take ${fields.join(", ")}`,
      body: [
        rowsCode(source, query.where),
        `return rows${limitCode(query.limit)}.map((row) => ${projection(fields)});`,
      ].join("\n"),
    };
  },
};

/** One field as its value, several as a record. */
export const projection = (fields: readonly string[]): string =>
  fields.length === 1 && fields[0] !== undefined
    ? `${accessOf(fields[0])} ?? null`
    : `Object.fromEntries(${literal(fields)}.map((field) => [field, read(row, field) ?? null]))`;
