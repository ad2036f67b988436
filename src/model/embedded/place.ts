import { wordSet } from "./word-set.ts";
import { adjective, SUPERLATIVES } from "./adjectives.ts";
import { ANY, type Condition, type Value } from "./condition.ts";
import { clauseAt, type Parsed, type Scope } from "./clause.ts";
import { joined } from "./conditions.ts";
import { fieldAt, fieldLike, isDateLike } from "./field-mention.ts";
import type { Token } from "./tokens.ts";
import { valueAt } from "./values.ts";
import { LINKING, NOISE, OPERATIONS, ROW_NOUNS } from "./vocabulary.ts";

const MAX_WORDS = 3; // of a value before its field: `in the New South Wales state`

/** What follows `in`, `from`, `for`: `category toys`, `the toys category`, `2024`, `Paris`. Null when it is none of these. */
export function placeAt(scope: Scope, index: number): Parsed | null {
  const first = scope.isList ? null : placeClause(scope, index);
  return first === null ? null : joined(scope, first);
}

function placeClause(scope: Scope, index: number): Parsed | null {
  const { tokens, fields } = scope;
  const start = tokens[index]?.lower === "the" ? index + 1 : index;
  if (fieldAt(tokens, start, fields) !== null) return clauseAt(scope, start, null);

  const first = tokens[start];
  if (first === undefined || first.kind === "sign") return null;
  for (let words = 1; words <= MAX_WORDS; words++) {
    const mention = fieldAt(tokens, start + words, fields);
    const span = tokens.slice(start, start + words);
    if (mention === null || span.some((token) => !isValueWord(scope, token))) continue;
    const text = span.map((token) => token.text).join(" ");
    const value: Value =
      first.kind === "number" && first.value !== undefined ? { text, number: first.value } : { text };
    return { condition: { kind: "test", field: mention.field, operator: "is", values: [value] }, next: mention.next };
  }
  const year = first.kind === "number" ? yearField(first.value ?? 0, fields) : null;
  if (year !== null && first.value !== undefined)
    return {
      condition: { kind: "test", field: year, operator: "is", values: [{ text: first.text, number: first.value }] },
      next: start + 1,
    };
  const isName = first.kind === "quoted" || /^\p{Lu}/u.test(first.text);
  if (!isName || isOwn(scope, first)) return null;
  const value = valueAt(tokens, start, () => false);
  if (value === null) return null;
  return { condition: { kind: "test", field: ANY, operator: "is", values: [value.value] }, next: value.next };
}

const NOT_VALUES = wordSet(`
    each every all their its any this that these and or of by per with a an highest lowest most least average
    total sum number mean median maximum minimum
  `);

const isOwn = ({ own }: Scope, { kind, stems }: Token): boolean =>
  kind !== "quoted" && stems.length > 0 && stems.every((stem) => own.has(stem));

const isValueWord = (scope: Scope, token: Token): boolean =>
  token.kind !== "sign" && !NOT_VALUES.has(token.lower) && !ROW_NOUNS.has(token.lower) && !isOwn(scope, token);

function yearField(value: number, fields: readonly string[]): string | null {
  if (!Number.isInteger(value) || value < 1500 || value >= 2200) return null;
  const dates = fields.filter(isDateLike);
  return fieldLike(["year"], fields) ?? (dates.length === 1 ? (dates[0] ?? null) : null);
}

/** `age of Ann`: after a field, a name that some field holds. */
export function ownerAt(scope: Scope, index: number): Parsed | null {
  const { tokens, fields, isList } = scope;
  const at = tokens[index + 1]?.lower === "the" ? index + 2 : index + 1;
  const name = tokens[at];
  if (
    isList ||
    name === undefined ||
    fieldAt(tokens, index - 1, fields) === null ||
    fieldAt(tokens, at, fields) !== null
  )
    return null;
  if ((name.kind !== "quoted" && !/^\p{Lu}/u.test(name.text)) || isOwn(scope, name)) return null;
  const value = valueAt(tokens, at, () => false);
  if (value === null) return null;
  return joined(scope, {
    condition: { kind: "test", field: ANY, operator: "is", values: [value.value] },
    next: value.next,
  });
}

/** `are paid`: one word at the end of its clause that some field may hold. */
export function stateAt(scope: Scope, index: number): Parsed | null {
  const { tokens } = scope;
  const isNegated = tokens[index]?.lower === "not";
  const at = isNegated ? index + 1 : index;
  const after = tokens[at + 1]?.lower ?? "";
  if (index < 2 || tokens[index - 2]?.lower === "what" || !["", "and", "or", ",", "by", "per", "in"].includes(after))
    return null;
  const holds = heldAt(scope, at);
  if (holds === null) return null;
  return joined(scope, { condition: isNegated ? { kind: "not", of: holds } : holds, next: at + 1 });
}

/** The condition that some field holds the word at `at`, if the word says nothing else. The cell checks that one does. */
export function heldAt(scope: Scope, at: number): Condition | null {
  const { tokens, fields, isList } = scope;
  const word = tokens[at];
  if (isList || word?.kind !== "word" || word.value !== undefined || !isValueWord(scope, word)) return null;
  const isKnown = [NOISE, LINKING, OPERATIONS, SUPERLATIVES, NOT_STATES].some((known) => known.has(word.lower));
  if (isKnown || fieldAt(tokens, at, fields) !== null || adjective(word.lower, fields) !== null) return null;
  return { kind: "test", field: ANY, operator: "is", values: [{ text: word.text }] };
}

const NOT_STATES = wordSet(`
    distinct unique different duplicate duplicates duplicated repeated empty missing blank total average all sorted grouped
    how many often times common frequent second third next previous last first other same similar new old recent current
    daily weekly monthly yearly available possible valid invalid
  `);
