import { accessOf } from "../condition.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { ITEM } from "../source.ts";
import { hasAny, hasOnly, tableQuery } from "../table-query.ts";

const WORDS = ["distinct", "unique", "different", "deduplicate", "deduplicated", "dedupe", "uniq"];
const REPEATED = ["duplicate", "duplicates", "duplicated", "repeated"];
const VERBS = ["extract", "column", "remove", "field", "rows"];

const EXIST = /^(?:what|which) [^?]{1,80}(?:exists?|are there)\W*$/i; // "what statuses exist"

export const distinct: Recipe = {
  name: "distinct",
  summary: "the different values of a field or list, or those that occur more than once",
  example: "unique cities",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || !hasOnly(query.words, [...WORDS, ...REPEATED, ...VERBS])) return null;
    const isRemoval = query.words.includes("remove");
    const isRepeated = hasAny(query.words, REPEATED) && !isRemoval;
    const isAsked = query.fields.length === 1 && EXIST.test(question.text);
    if (!isAsked && !hasAny(query.words, [...WORDS, ...REPEATED])) return null;
    const isCount = query.operations.length === 1 && query.operations[0] === "count";
    const isPlain = query.per.length + query.ranks.length === 0 && query.byOperation === null && query.limit === null;
    if (!isPlain || (query.operations.length > 0 && !isCount) || query.fields.length > 1) return null;
    const named = query.fields[0]?.field ?? query.softFields[0];
    const isRow = source.shape.kind === "table" && named === undefined;
    const field = named ?? ITEM;
    const isWord = source.shape.kind === "list" && source.shape.unit === "word";
    const access = isWord ? "row.toLowerCase()" : accessOf(field);
    const found = isRepeated
      ? `[...groupBy(rows, (row) => ${isRow ? "JSON.stringify(row)" : access}).values()].filter((group) => group.length > 1).map(([row]) => ${access})`
      : `distinct(rows.map((row) => ${access}))`;
    const isSorted = query.isSort || query.descending !== null || query.order.length > 0;
    const values = isSorted ? `sortBy(${found}, (value) => value, ${query.descending === true})` : found;
    return {
      score: 55,
      title: `${isRepeated ? "repeated" : "different"} values of ${field === ITEM ? "the input" : field}`,
      body: [rowsCode(source, query.where), `return ${values}${isCount ? ".length" : ""};`].join("\n"),
    };
  },
};
