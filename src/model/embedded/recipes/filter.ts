import type { Query } from "../query.ts";
import type { Limit } from "../ranking.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";
import { hasAny, isSorted, tableQuery } from "../table-query.ts";

const VERBS = new Set(["filter", "keep", "search", "rows", "matching", "look", "locate", "where", "extract", "see"]);
const REMOVERS = ["remove", "exclude", "drop", "delete", "omit", "except", "excluding", "discard"];

export const filter: Recipe = {
  name: "filter",
  summary: "keep the rows that meet conditions, or the first ones",
  example: "rows where city is Paris and age is at least 30",
  match(question, source) {
    const query = tableQuery(question, source);
    if (query === null || source === null || !isFilter(query)) return null;
    const { limit, where } = query;
    const isRemoval = hasAny(query.words, REMOVERS);
    if (where === null && (isRemoval || (limit === null && !isShowAll(question.text)))) return null;
    const condition = where !== null && isRemoval ? ({ kind: "not", of: where } as const) : where;
    return {
      score: where === null && limit === null ? 10 : 40,
      title: where === null ? "show rows" : "filter",
      body: [rowsCode(source, condition), `return rows${limit?.isSingle ? singleCode(limit) : limitCode(limit)};`].join(
        "\n",
      ),
    };
  },
};

function isFilter(query: Query): boolean {
  const unknown = query.words.filter((word) => !VERBS.has(word) && !REMOVERS.includes(word));
  const isUnknownNoun = query.where !== null && unknown.length === 1 && unknown[0]?.endsWith("s") === true;
  return (
    query.operations.length + query.per.length + query.ranks.length + query.fields.length === 0 &&
    query.byOperation === null &&
    !isSorted(query) &&
    (unknown.length === 0 || isUnknownNoun)
  );
}

const isShowAll = (text: string): boolean =>
  /^(?:please\s+)?(?:show|list|return|display|print|give|get|fetch)\b/i.test(text);

export function limitCode(limit: Query["limit"]): string {
  if (limit === null) return "";
  const count = Math.max(0, Math.trunc(limit.count));
  return limit.from === "start" ? `.slice(0, ${count})` : `.slice(${count === 0 ? "rows.length" : -count})`;
}

const singleCode = ({ from }: Limit): string => `${from === "start" ? "[0]" : ".at(-1)"} ?? null`;
