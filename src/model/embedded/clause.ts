import { wordSet } from "./word-set.ts";
import { adjective } from "./adjectives.ts";
import { type Comparator, comparatorAt } from "./comparators.ts";
import { ANY, type Condition, type Operator, type Value } from "./condition.ts";
import { fieldAt, fieldLike, isDateLike } from "./field-mention.ts";
import { ITEM, type Unit } from "./source.ts";
import type { Token } from "./tokens.ts";
import { valueAt } from "./values.ts";

export interface Scope {
  tokens: readonly Token[];
  fields: readonly string[];
  /** The items are plain values: a comparison without a field is about the item. */
  isList: boolean;
  /** Stems of the words by which the goal names the input. */
  own: ReadonlySet<string>;
  /** Of a list made from a text. */
  unit?: Unit | undefined;
}

export interface Parsed {
  condition: Condition;
  next: number;
}

export type Test = Extract<Condition, { kind: "test" }>;

export const OPENERS = wordSet(`
    a an the their its his her have has had having with whose where who that which is are was were it they there
  `);
const VERBS: ReadonlyMap<string, string[]> = new Map([
  ...["priced", "costing", "cost", "costs", "worth"].map((word): [string, string[]] => [
    word,
    ["price", "cost", "amount"],
  ]),
  ...["named", "called"].map((word): [string, string[]] => [word, ["name", "title"]]),
  ["aged", ["age"]],
  ["rated", ["rating", "score"]],
  ["weighing", ["weight"]],
  ...["earning", "earn", "earns"].map((word): [string, string[]] => [word, ["salary", "income"]]),
]);
export const TEXT_OPERATORS: readonly string[] = ["contains", "has-word", "starts", "ends"];

export const isClause = (scope: Scope, index: number): boolean => {
  const field = fieldAt(scope.tokens, index, scope.fields);
  return field !== null && comparatorAt(scope.tokens, field.next) !== null;
};

/** One comparison. Without a field of its own it is about that of the one before. */
export function clauseAt(scope: Scope, index: number, previous: Test | null): Parsed | null {
  const { tokens, fields } = scope;
  let start = index;
  while (OPENERS.has(tokens[start]?.lower ?? "") && fieldAt(tokens, start, fields) === null) start++;
  const word = tokens[start]?.lower ?? "";

  if (word === "no" || word === "without" || word === "missing") {
    const article = ["a", "an", "the", "any"].includes(tokens[start + 1]?.lower ?? "") ? 2 : 1;
    const absent = fieldAt(tokens, start + article, fields);
    if (absent !== null) return { condition: test(absent.field, "empty", []), next: absent.next };
  }
  const mention = fieldAt(tokens, start, fields);
  if (mention !== null) return comparisonAt(scope, mention.next, mention.field) ?? flagAt(scope, mention);
  const verb = fieldLike(VERBS.get(word) ?? [], fields);
  if (verb !== null) return comparisonAt(scope, start + 1, verb);
  const isNegated = word === "not";
  const compared = adjectiveAt(scope, isNegated ? start + 1 : start);
  if (compared !== null) return { ...compared, condition: not(compared.condition, isNegated) };

  const held = tokens[index];
  const isHeld =
    scope.isList &&
    tokens[index - 1]?.lower === "with" &&
    (held?.kind === "quoted" || /^\p{Lu}/u.test(held?.text ?? ""));
  if (isHeld)
    return withValue(scope, { field: ITEM, comparator: { operator: "contains", negated: false, next: index } });
  const comparator = comparatorAt(tokens, index) ?? comparatorAt(tokens, start);
  if (comparator === null || comparator.operator === "empty") return null;
  const isText = TEXT_OPERATORS.includes(comparator.operator);
  const isDate = tokens[comparator.next]?.kind === "date" && comparator.operator !== "is";
  const implied = scope.isList
    ? ITEM
    : (previous?.field ?? (isText ? ANY : null) ?? (isDate ? onlyDate(fields) : yearsOld(scope, comparator.next)));
  const isPlainEquality = comparator.operator === "is" && previous === null;
  const isExact = ["number", "quoted"].includes(tokens[comparator.next]?.kind ?? "");
  if (implied === null || (isPlainEquality && !(scope.isList && isExact))) return null;
  return withValue(scope, { field: implied, comparator });
}

/** `at least 31 years old`, `between 30 and 45 years old` */
function yearsOld({ tokens, fields }: Scope, at: number): string | null {
  const to = ["and", "to"].includes(tokens[at + 1]?.lower ?? "") ? at + 3 : at + 1;
  return /^years? old$/.test(`${tokens[to]?.lower} ${tokens[to + 1]?.lower}`) ? fieldLike(["age"], fields) : null;
}

const onlyDate = (fields: readonly string[]): string | null => {
  const [first, ...more] = fields.filter(isDateLike);
  return first !== undefined && more.length === 0 ? first : null;
};

const test = (field: string, operator: Operator, values: Value[]): Test => ({ kind: "test", field, operator, values });
const not = (of: Condition, negated: boolean): Condition => (negated ? { kind: "not", of } : of);

function comparisonAt(scope: Scope, index: number, field: string): Parsed | null {
  const comparator = comparatorAt(scope.tokens, index) ?? { operator: "is", negated: false, next: index };
  return withValue(scope, { field, comparator });
}

/** `that are active`: a field that is itself the answer. */
function flagAt({ tokens }: Scope, { field, next }: { field: string; next: number }): Parsed | null {
  const after = tokens[next];
  const [asked = "", before = ""] = [tokens[next - 3]?.lower, tokens[next - 2]?.lower];
  if (after !== undefined && !["and", "or", ",", "by", "per"].includes(after.lower)) return null;
  if (!["are", "is", "where", "not"].includes(before) || asked === "what") return null;
  return { condition: not(test(field, "true", []), before === "not"), next };
}

/** `older than 30`, `more expensive than 100`. */
function adjectiveAt(scope: Scope, index: number): Parsed | null {
  const { tokens, fields } = scope;
  const amount = tokens[index]?.lower ?? "";
  const at = amount === "more" || amount === "less" ? index + 1 : index;
  const word = tokens[at]?.lower ?? "";
  if (tokens[at + 1]?.lower !== "than") return null;
  if (scope.isList && (word === "longer" || word === "shorter")) {
    const limit = valueAt(tokens, at + 2, () => false);
    if (limit?.value.number === undefined) return null;
    const operator = word === "longer" ? "above" : "below";
    return { condition: { ...test(ITEM, operator, [limit.value]), length: true }, next: limit.next };
  }
  const ranked = adjective(word, fields);
  if (ranked === null) return null;
  const operator = ranked.descending === (amount !== "less") ? "above" : "below";
  return withValue(scope, { field: ranked.field, comparator: { operator, negated: false, next: at + 2 } });
}

function withValue(scope: Scope, { field, comparator }: { field: string; comparator: Comparator }): Parsed | null {
  const { tokens } = scope;
  const { operator, negated } = comparator;
  if (operator === "empty") return { condition: not(test(field, operator, []), negated), next: comparator.next };
  const mention = valueAt(tokens, comparator.next, (at) => isClause(scope, at));
  if (mention === null) return null;
  const { value, next } = mention;
  if (isUnread(scope, comparator, value)) return null;
  // "a price of 100", but not "the price of lamps"
  if (
    tokens[comparator.next - 1]?.lower === "of" &&
    value.number === undefined &&
    tokens[comparator.next]?.kind !== "quoted"
  )
    return null;
  if (operator === "between") {
    const to = ["and", "to"].includes(tokens[next]?.lower ?? "") ? valueAt(tokens, next + 1, () => true) : null;
    if (to === null) return null;
    const range: Condition = {
      kind: "and",
      of: [test(field, "at-least", [value]), test(field, "at-most", [to.value])],
    };
    return { condition: not(range, negated), next: to.next };
  }
  const isOrder = operator !== "is" && !TEXT_OPERATORS.includes(operator);
  if (isOrder && value.number === undefined && !/\d/.test(value.text)) return null;
  const open = operator === "is" && value.number !== undefined ? openEndAt(tokens, next) : null;
  const found = test(field, open?.operator ?? operator, [value]);
  return { condition: not(mention.isLength ? { ...found, length: true } : found, negated), next: open?.next ?? next };
}

const MONTH = /^(?:jan|feb|mar|apr|may|june?|july?|aug|sept?|oct|nov|dec)[a-z]{0,6}\.?(?: \d.*)?$/i;
const MEMBERS = wordSet("word words phrase term string both neither all any");

/** Words that would be sought as they stand but mean something else: `in May 2019`, `containing both a and b`. */
function isUnread({ tokens }: Scope, { operator, next }: Comparator, { text }: Value): boolean {
  if (tokens[next]?.kind === "quoted") return false;
  const [first = "", ...more] = text.toLowerCase().split(" ");
  if (TEXT_OPERATORS.includes(operator)) return MEMBERS.has(first) && more.length > 0;
  const isWhen = ["in", "during", "on", "after", "before", "since", "until"].includes(tokens[next - 1]?.lower ?? "");
  return MONTH.test(text) && (isWhen || /\d/.test(text));
}

/** `30 or more`, `18 and under`. */
function openEndAt(tokens: readonly Token[], index: number): { operator: Operator; next: number } | null {
  if (!["or", "and"].includes(tokens[index]?.lower ?? "")) return null;
  const word = tokens[index + 1]?.lower ?? "";
  if (["more", "above", "older", "over", "higher", "greater", "later", "up", "better"].includes(word)) {
    return isEnd(tokens, index + 2) ? { operator: "at-least", next: index + 2 } : null;
  }
  if (["less", "below", "younger", "under", "lower", "fewer", "earlier"].includes(word)) {
    return isEnd(tokens, index + 2) ? { operator: "at-most", next: index + 2 } : null;
  }
  return null;
}

/** Not `30 or above 50`. */
const isEnd = (tokens: readonly Token[], index: number): boolean => tokens[index]?.kind !== "number";
