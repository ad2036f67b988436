import { accessOf } from "../condition.ts";
import type { Query } from "../query.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { isPlainQuery, tableQuery } from "../table-query.ts";

export const count: Recipe = {
  name: "count",
  summary: "count rows, words, lines or sentences, all of them or those that meet conditions",
  example: "how many orders have status open and total above 100",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || !isPlainQuery(query) || !query.operations.includes("count")) return null;
    if (query.operations.some((operation) => operation !== "count") || !isClear(query)) return null;
    const [mention, ...more] = query.fields;
    if (more.length > 0 || (mention !== undefined && mention.at < query.operationAt && query.where === null))
      return null;
    // "How many cities" asks for different ones; "how many cities are above 100" for rows.
    const isDistinct = mention !== undefined && query.where === null;
    const answer = isDistinct
      ? `return distinct(rows.map((row) => ${accessOf(mention.field)})).length;`
      : "return rows.length;";
    return {
      score: 50,
      title: isDistinct
        ? `count the different values of ${mention.field}`
        : `count${query.where ? " with conditions" : ""}`,
      body: [rowsCode(source, query.where), answer].join("\n"),
    };
  },
};

/** A noun nobody knows is fine when a condition says which rows are meant: `how many robots weigh more than 10`. */
const isClear = ({ words, where }: Query): boolean =>
  words.length === 0 || (where !== null && words.length === 1 && words[0]?.endsWith("s") === true);
