import { literal } from "../cell.ts";
import { accessOf } from "../condition.ts";
import type { Query } from "../query.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { ITEM, type Source } from "../source.ts";
import { hasOnly, isOrderly, isSorted, tableQuery } from "../table-query.ts";
import type { Operation } from "../vocabulary.ts";

export const aggregate: Recipe = {
  name: "aggregate",
  summary: "sum, average, median, minimum or maximum of a field or of a list of numbers",
  example: "average price where category is toys",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || !isAggregate(query)) return null;
    if (!isOrderly(question, source, query.ranks[0])) return null;
    const operations = operationsOf(query);
    const fields = metricFields(query, source);
    if (operations.length === 0 || fields.length === 0 || (operations.length > 1 && fields.length > 1)) return null;
    const [operation = "sum"] = operations;
    const [field = ITEM] = fields;
    let answer = aggregateCode(operation, field, "rows");
    if (operations.length > 1)
      answer = `{ ${operations.map((each) => `${each}: ${aggregateCode(each, field, "rows")}`).join(", ")} }`;
    else if (fields.length > 1)
      answer = `Object.fromEntries([${fields.map((each) => `[${literal(each)}, ${aggregateCode(operation, each, "rows")}]`).join(", ")}])`;
    return {
      score: 48,
      title: `${operations.join(", ")} of ${fields.map((each) => (each === ITEM ? "the values" : each)).join(", ")}`,
      body: [rowsCode(source, query.where), `return ${answer};`].join("\n"),
    };
  },
};

function isAggregate(query: Query): boolean {
  const [rank] = query.ranks;
  const isRowAsked = rank !== undefined && (query.noun?.at ?? Infinity) < rank.at && query.operations.length === 0;
  return (
    query.per.length === 0 &&
    query.byOperation === null &&
    query.limit === null &&
    !isSorted(query) &&
    !isRowAsked &&
    !query.operations.includes("count") &&
    query.ranks.every(
      ({ field, byLength, byFrequency }) => (field === null || field === ITEM) && !byLength && !byFrequency,
    ) &&
    (rank === undefined || query.operations.length > 0 || query.fields.every(({ at }) => at > rank.at)) &&
    hasOnly(query.words, ["up", "statistics"])
  );
}

const operationsOf = ({ operations, ranks }: Query): Operation[] => [
  ...new Set([...operations, ...ranks.map(({ descending }): Operation => (descending ? "max" : "min"))]),
];

/** The fields to compute with. A field called `total` is meant by `total` when there is no other. */
function metricFields(query: Query, source: Source): string[] {
  if (source.shape.kind === "list") return source.shape.unit !== undefined && query.operations.length > 0 ? [] : [ITEM];
  const named = [...new Set(query.fields.map(({ field }) => field))];
  if (named.length > 0) return named;
  if (query.softFields.length > 0) return query.softFields.slice(0, 1);
  const numeric = source.shape.kind === "table" ? source.shape.numeric : [];
  if (query.operationField !== null) return [query.operationField];
  return numeric.length === 1 && query.ranks.length === 0 && query.noun === null ? numeric : [];
}

/** The code of an operation over the rows bound to a name. */
export function aggregateCode(operation: Operation, field: string, rows: string): string {
  const access = accessOf(field);
  if (operation === "count") return `${rows}.length`;
  if (operation === "min" || operation === "max") return `extreme(${rows}.map((row) => ${access}), "${operation}")`;
  return `aggregate(${rows}.map((row) => toNumber(${access})), "${operation}")`;
}
