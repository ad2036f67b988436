import { literal } from "./cell.ts";
import { isDateLike } from "./field-mention.ts";
import { ITEM } from "./source.ts";

/** The field that stands for any field of the row. */
export const ANY = "*";

export type Operator =
  | "is"
  | "contains"
  | "has-word"
  | "starts"
  | "ends"
  | "above"
  | "below"
  | "at-least"
  | "at-most"
  | "empty"
  | "true";

export interface Value {
  text: string;
  /** When it was written as a number. */
  number?: number;
}

export type Condition =
  | { kind: "test"; field: string; operator: Operator; values: Value[]; /** Of the text's length. */ length?: true }
  | { kind: "not"; of: Condition }
  | { kind: "and" | "or"; of: Condition[] };

/** How a field of `row` is read. */
export const accessOf = (field: string): string => (field === ITEM ? "row" : `read(row, ${literal(field)})`);

/** The condition as an expression over `row`. */
export function conditionCode(condition: Condition): string {
  switch (condition.kind) {
    case "not":
      return `!(${conditionCode(condition.of)})`;
    case "and":
      return condition.of
        .map((part) => (part.kind === "or" ? `(${conditionCode(part)})` : conditionCode(part)))
        .join(" && ");
    case "or":
      return condition.of.map((part) => conditionCode(part)).join(" || ");
    case "test": {
      if (condition.field !== ANY) return testCode(condition, accessOf(condition.field));
      return `Object.values(row ?? {}).some((value) => ${testCode(condition, "value")})`;
    }
  }
}

function testCode({ field, operator, values, length }: Extract<Condition, { kind: "test" }>, access: string): string {
  const [first = { text: "" }] = values;
  const texts = values.map(({ text }) => text.trim().toLowerCase());
  switch (operator) {
    case "true":
      return `["true", "yes", "y", "1", ${literal(field.toLowerCase())}].includes(toText(${access}))`;
    case "empty":
      return `toText(${access}) === ""`;
    case "is":
      return either(values.map((value) => equality({ field, value, access })));
    case "contains":
      return either(texts.map((text) => `toText(${access}).includes(${literal(text)})`));
    case "has-word":
      return either(texts.map((text) => `countOccurrences(toText(${access}), ${literal(text)}, true) > 0`));
    case "starts":
      return either(texts.map((text) => `toText(${access}).startsWith(${literal(text)})`));
    case "ends":
      return either(texts.map((text) => `toText(${access}).endsWith(${literal(text)})`));
    default:
      return `${measure({ field, value: first, access, length: length === true })} ${SIGNS[operator]} ${bound(first)}`;
  }
}

const either = (parts: string[]): string => (parts.length > 1 ? `(${parts.join(" || ")})` : parts.join(""));

function equality({ field, value, access }: { field: string; value: Value; access: string }): string {
  if (isMonth(value)) return `toText(${access}).slice(0, 7) === ${literal(value.text)}`;
  const asText = `toText(${access}) === ${literal(value.text.trim().toLowerCase())}`;
  if (value.number === undefined) return asText;
  return `(${measure({ field, value, access, length: false })} === ${value.number} || ${asText})`;
}

const SIGNS = { above: ">", below: "<", "at-least": ">=", "at-most": "<=" } as const;

function bound(value: Value): string {
  if (isMonth(value)) return literal(value.text);
  return value.number === undefined ? `toTime(${literal(value.text)})` : String(value.number);
}

const isMonth = ({ text, number }: Value): boolean => number === undefined && /^\d{4}-\d{2}$/.test(text);

function measure({
  field,
  value,
  access,
  length,
}: {
  field: string;
  value: Value;
  access: string;
  length: boolean;
}): string {
  if (length) return `toText(${access}).length`;
  // "after 2019-05" is after all of May.
  if (isMonth(value)) return `toText(${access}).slice(0, 7)`;
  if (value.number === undefined) return `toTime(${access})`;
  const isYear = Number.isInteger(value.number) && value.number >= 1500 && value.number < 2200;
  if (!isYear) return `toNumber(${access})`;
  return isDateLike(field) ? `toYear(${access})` : `(isDate(${access}) ? toYear(${access}) : toNumber(${access}))`;
}

/** Values that must be in some field, so that a misread word is an error and not an empty answer. */
export function anywhereValues(condition: Condition): Condition[] {
  if (condition.kind === "test") return condition.field === ANY && condition.operator === "is" ? [condition] : [];
  return condition.kind === "not" ? anywhereValues(condition.of) : condition.of.flatMap(anywhereValues);
}
