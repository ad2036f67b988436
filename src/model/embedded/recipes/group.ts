import { literal } from "../cell.ts";
import { accessOf } from "../condition.ts";
import { type Grouping, groupingOf } from "../grouping.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { ITEM, type Source } from "../source.ts";
import { tableQuery } from "../table-query.ts";
import { aggregateCode } from "./aggregate.ts";

export const group: Recipe = {
  name: "group",
  summary: "count, sum, average, minimum or maximum per field",
  example: "total revenue by region",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null) return null;
    const grouping = groupingOf(query, source);
    if (grouping === null) return null;
    const by = grouping.by.map((field) => (field === ITEM ? "value" : field)).join(" and ");
    const what = grouping.field === null ? grouping.operation : `${grouping.operation} of ${grouping.field}`;
    return {
      score: 60,
      title: `group and ${what} by ${by}`,
      body: [
        rowsCode(source, query.where),
        ...guardCode(grouping),
        groupsCode(grouping, source),
        answerCode(grouping),
      ].join("\n"),
    };
  },
};

function groupsCode({ by }: Grouping, source: Source): string {
  const isWord = source.shape.kind === "list" && source.shape.unit === "word";
  const [field = ITEM] = by;
  if (by.length === 1)
    return `const groups = groupBy(rows, (row) => ${isWord ? "row.toLowerCase()" : accessOf(field)});`;
  return `const groups = groupBy(rows, (row) => JSON.stringify([${by.map(accessOf).join(", ")}]));`;
}

function resultCode({ operation, field, isBestGreatest }: Grouping): string {
  if (operation === "rows") return field === null ? "group" : `group.map((row) => ${accessOf(field)} ?? null)`;
  const access = accessOf(field ?? ITEM);
  if (operation === "best")
    return `sortBy(group.filter((row) => toText(${access}) !== ""), (row) => ${access}, ${isBestGreatest})[0] ?? null`;
  const code = aggregateCode(operation, field ?? ITEM, "group");
  return isComputed(operation) ? `group.some((row) => Number.isFinite(toNumber(${access}))) ? ${code} : null` : code;
}

const isComputed = (operation: Grouping["operation"]): boolean => ["sum", "average", "median"].includes(operation);

/** A group without a number has null for an answer; a field without any is a mistake, and this throws. */
const guardCode = ({ operation, field }: Grouping): string[] =>
  isComputed(operation) ? [`${aggregateCode("sum", field ?? ITEM, "rows")};`] : [];

/** An object for plain groups; a list of records where order or several keys matter, for an object has no order to rely on. */
function answerCode(grouping: Grouping): string {
  const { by, descending, isByKey, isOne, limit } = grouping;
  const result = resultCode(grouping);
  if (by.length === 1 && descending === null && limit === null)
    return `return Object.fromEntries([...groups].map(([key, group]) => [key, ${result}]));`;
  const name = by.includes(grouping.operation) ? `${grouping.operation} of rows` : grouping.operation;
  const keys = by.map((field) =>
    field === ITEM ? `["value", key]` : `[${literal(field)}, read(group[0], ${literal(field)}) ?? null]`,
  );
  const lines = [
    `const results = [...groups].map(([key, group]) => Object.fromEntries([${keys.join(", ")}, [${literal(name)}, ${result}]]));`,
  ];
  const order = isByKey ? (by[0] ?? ITEM) : name;
  const sorted =
    descending === null ? "results" : `sortBy(results, (result) => read(result, ${literal(order)}), ${descending})`;
  const slice = limit === null ? "" : `.slice(0, ${Math.max(0, Math.trunc(limit))})`;
  return [...lines, isOne ? `return ${sorted}[0] ?? null;` : `return ${sorted}${slice};`].join("\n");
}
