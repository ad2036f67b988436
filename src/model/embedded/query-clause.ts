import { clauseAt, OPENERS, type Parsed, type Scope } from "./clause.ts";
import { comparatorAt } from "./comparators.ts";
import { conditionsAt } from "./conditions.ts";
import { fieldAt } from "./field-mention.ts";
import { type Per, perAt } from "./per.ts";
import { phraseEnd } from "./phrase.ts";
import { ownerAt, placeAt, stateAt } from "./place.ts";
import { narrow, type Query } from "./query.ts";
import { directionAt } from "./ranking.ts";
import { NOISE } from "./vocabulary.ts";

const STRONG = new Set(["where", "whose", "having"]);
const WEAK = new Set(["with", "that", "which", "who", "when", "if", "are", "is", "have", "has", "without"]);
const PLACES = new Set(["in", "from", "for", "within"]);
const BARE_EQUALS = new Set(["is", "are", "=", "==", "equals", "was", "were", "!=", "≠", "<>"]);

/** Consumes a clause at `i` into the query; undefined when there is none there, null when it can't be read. */
export function readClause(query: Query, scope: Scope, i: number): number | null | undefined {
  const { tokens } = scope;
  const word = tokens[i]?.kind === "quoted" ? "" : (tokens[i]?.lower ?? "");
  if (directionAt(tokens, i) !== null) return undefined;
  const per = perAt(scope, i, query);
  if (per !== null) return addPer(query, per);
  if (STRONG.has(word)) return addWhere(query, conditionsAt(scope, i + 1));
  const isQuestionWord = i === 0 && (word === "which" || word === "who" || word === "is" || word === "are");
  const condition =
    (WEAK.has(word) && !isQuestionWord ? conditionsAt(scope, word === "without" ? i : i + 1) : null) ??
    (word === "with" && comparatorAt(tokens, i) !== null ? conditionsAt(scope, i) : null) ??
    (PLACES.has(word) ? placeAt(scope, i + 1) : null) ??
    notInPlace(scope, i) ??
    (word === "of" ? ownerAt(scope, i) : null) ??
    (word === "are" || word === "is" ? stateAt(scope, i + 1) : null) ??
    bareCondition(scope, i);
  if (condition !== null && isListed(query, scope, i)) listField(query, scope, i);
  return condition === null ? undefined : addWhere(query, condition);
}

/** `names containing "an"`: the field is what is asked for, and has the condition too. */
function isListed({ operations, fields, noun }: Query, { tokens, fields: known }: Scope, i: number): boolean {
  const field = fieldAt(tokens, i, known)?.field.toLowerCase();
  const word = tokens[i]?.lower ?? "";
  const isFirst = tokens.slice(0, i).every(({ lower }) => NOISE.has(lower)) && noun === null;
  return (
    field !== undefined &&
    isFirst &&
    operations.length + fields.length === 0 &&
    word.endsWith("s") &&
    !field.endsWith(word)
  );
}

function listField(query: Query, { tokens, fields }: Scope, at: number): void {
  const mention = fieldAt(tokens, at, fields);
  if (mention !== null) query.fields.push({ field: mention.field, at });
}

/** `not in Paris`, `outside the toys category`. */
function notInPlace(scope: Scope, i: number): Parsed | null {
  const start = phraseEnd(scope.tokens, i, ["not in", "not from", "not for", "outside of", "outside"]);
  const parsed = start === null ? null : placeAt(scope, start);
  return parsed === null ? null : { ...parsed, condition: { kind: "not", of: parsed.condition } };
}

function addWhere(query: Query, parsed: Parsed | null): number | null {
  if (parsed === null) return null;
  narrow(query, parsed.condition);
  return parsed.next;
}

function addPer(query: Query, per: Per): number {
  if (per.kind === "operation") query.byOperation = { operation: per.operation, field: per.field };
  else if (per.kind === "order") query.order.push(...per.orders);
  else query.per.push(...per.fields);
  return per.next;
}

/** A comparison with no word before it: `scores above 90`, `older than 30`, `containing "x"`. */
function bareCondition(scope: Scope, i: number): Parsed | null {
  const { tokens, fields } = scope;
  const mention = fieldAt(tokens, i, fields);
  if (mention === null && OPENERS.has(tokens[i]?.lower ?? "")) return null;
  const comparator = comparatorAt(tokens, mention?.next ?? i);
  const word = tokens[mention?.next ?? i]?.lower ?? "";
  const isEquality = comparator?.operator === "is" || comparator?.operator === "between";
  if (mention !== null) {
    const isClear = comparator !== null && (!isEquality || BARE_EQUALS.has(word) || word === "between");
    return isClear ? conditionsAt(scope, i) : null;
  }
  if (comparator !== null && isEquality && word !== "between") return null;
  return clauseAt(scope, i, null) === null ? null : conditionsAt(scope, i);
}
