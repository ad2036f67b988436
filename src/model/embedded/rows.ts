import { literal } from "./cell.ts";
import { anywhereValues, type Condition, conditionCode } from "./condition.ts";
import type { Shape, Source } from "./source.ts";

/** Statements that bind `rows` to what the recipe works on. */
export function rowsCode(source: Source, where: Condition | null): string {
  const all = allRows(source.shape);
  if (where === null) return `const rows = ${all};`;
  const filter = `rows.filter((row) => ${conditionCode(where)})`;
  const guards = anywhereValues(where).map((test) => guardCode(test));
  if (guards.length === 0) return `const rows = ${all}${filter.slice("rows".length)};`;
  return [`const all = ${all};`, ...guards, `const rows = all${filter.slice("rows".length)};`].join("\n");
}

function allRows(shape: Shape): string {
  if (shape.kind === "table" && shape.isColumn) return "toColumn(data)";
  if (shape.kind === "table") return shape.isText ? "toRows(data)" : "[data].flat()";
  if (shape.kind !== "list") return "[flatten(data)]";
  switch (shape.unit) {
    case "line":
      return "toLines(flatten(data))";
    case "sentence":
      return "toSentences(flatten(data))";
    case "word":
      return "toWords(flatten(data))";
    default:
      return "[data].flat()";
  }
}

function guardCode(test: Condition): string {
  const sought = test.kind === "test" ? test.values.map(({ text }) => text).join(" or ") : "";
  const message = literal(`No row has ${JSON.stringify(sought)} in any of its fields.`);
  return `if (!all.some((row) => ${conditionCode(test)})) throw new Error(${message});`;
}
