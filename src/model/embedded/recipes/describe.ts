import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { hasAny, hasOnly, isPlainQuery, tableQuery } from "../table-query.ts";

const WORDS = (
  "describe overview summary summarize summarise profile statistics stats explore inspect analyze " +
  "analyse look basic"
).split(" ");
const COLUMNS = "column columns field fields header headers keys names name called".split(" ");

export const describe: Recipe = {
  name: "describe",
  summary: "an overview of a table: its fields, their kinds, ranges and frequent values",
  example: "describe the table",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || !isPlainQuery(query) || query.fields.length > 0) return null;
    if (source.shape.kind === "list" && source.shape.unit !== undefined) return null;
    const rows = rowsCode(source, query.where);
    if (query.operations.length === 0 && hasAny(query.words, WORDS) && hasOnly(query.words, [...WORDS, ...COLUMNS]))
      return { score: 50, title: "describe", body: [rows, "return describeRows(rows);"].join("\n") };

    const isColumns = hasAny(query.words, COLUMNS.slice(0, 7)) && hasOnly(query.words, COLUMNS);
    const isCount = query.operations.length === 1 && query.operations[0] === "count";
    if (!isColumns || source.shape.kind !== "table" || (query.operations.length > 0 && !isCount)) return null;
    const names = "[...new Set(rows.flatMap((row) => Object.keys(row ?? {})))]";
    return {
      score: 50,
      title: isCount ? "count the fields" : "list the fields",
      body: [rows, `return ${names}${isCount ? ".length" : ""};`].join("\n"),
    };
  },
};
