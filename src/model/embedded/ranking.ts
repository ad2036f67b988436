import { adjective, SUPERLATIVES } from "./adjectives.ts";
import type { Scope } from "./clause.ts";
import { fieldAt } from "./field-mention.ts";
import { numberAt } from "./numbers.ts";
import { phraseEnd } from "./phrase.ts";
import { ITEM } from "./source.ts";
import type { Token } from "./tokens.ts";

/** `most expensive` names a field; `highest` needs one beside it. */
export interface Rank {
  field: string | null;
  descending: boolean;
  at: number;
  /** `longest word`: by length. */
  byLength?: true;
  /** `most common`: by how often. */
  byFrequency?: true;
}

export interface Limit {
  count: number;
  from: "start" | "end";
  /** `the first line`: asked for as itself, not as a list of one. */
  isSingle?: true;
}

/** `highest`, `most expensive`, `cheapest`, `most common`. */
export function rankAt({ tokens, fields, isList }: Scope, i: number): { rank: Rank; next: number } | null {
  const lower = tokens[i]?.lower ?? "";
  const after = tokens[i + 1]?.lower ?? "";
  const isMost = lower === "most";
  if ((isMost || lower === "least") && ["common", "frequent", "frequently", "often", "used"].includes(after))
    return { rank: { field: null, descending: isMost, at: i, byFrequency: true }, next: i + 2 };
  if (isList && (lower === "longest" || lower === "shortest"))
    return { rank: { field: ITEM, descending: lower === "longest", at: i, byLength: true }, next: i + 1 };
  const isPair =
    isMost || lower === "least" || lower === "best" || lower === "highest" || lower === "lowest" || lower === "worst";
  const paired = isPair ? adjective(after.replace(/^priced$/, "expensive"), fields) : null;
  if (paired !== null) {
    const isUp = isMost || lower === "best" || lower === "highest";
    return { rank: { field: paired.field, descending: paired.descending === isUp, at: i }, next: i + 2 };
  }
  const isSuperlative = lower.endsWith("est") || lower === "worst";
  const own = isSuperlative ? adjective(lower, fields) : null;
  const generic = SUPERLATIVES.get(lower);
  // "largest price": the field beside it counts, not the one the adjective alone would mean.
  const beside = generic === undefined ? null : fieldAt(tokens, i + 1, fields);
  if (own !== null && beside === null) return { rank: { ...own, at: i }, next: i + 1 };
  if (generic === undefined) return null;
  return { rank: { field: isList ? ITEM : null, descending: generic, at: i }, next: i + 1 };
}

/** `top 3`, `first ten`, `5 cheapest`, `three most expensive`. */
export function limitAt(scope: Scope, i: number): { limit: Limit; rank: Rank | null; next: number } | null {
  const { tokens } = scope;
  const lower = tokens[i]?.lower ?? "";
  if (["top", "bottom", "first", "last", "limit", "limited"].includes(lower)) {
    const number = numberAt(tokens, tokens[i + 1]?.lower === "to" ? i + 2 : i + 1);
    if (number === null) return null;
    const isRank = lower === "top" || lower === "bottom";
    const after = isRank ? rankAt(scope, number.next) : null;
    // "top 3 words" are the most frequent ones.
    const own: Rank = { field: scope.isList ? ITEM : null, descending: lower === "top", at: i };
    const isWords = scope.unit === "word" && /^words?$/.test(tokens[number.next]?.lower ?? "");
    return {
      limit: { count: number.value, from: lower === "last" ? "end" : "start" },
      rank: isRank ? (after?.rank ?? (isWords ? { ...own, field: null, byFrequency: true } : own)) : null,
      next: after?.next ?? number.next,
    };
  }
  const number = numberAt(tokens, i);
  if (number === null) return null;
  const rank = rankAt(scope, number.next);
  return rank === null ? null : { limit: { count: number.value, from: "start" }, rank: rank.rank, next: rank.next };
}

const DIRECTIONS: readonly [descending: boolean, phrases: string][] = [
  [true, "in descending order|descending|desc|in reverse order|reversed|z to a|high to low|from high to low"],
  [true, "highest first|largest first|biggest first|most first|newest first|latest first|most expensive first"],
  [true, "from highest to lowest|highest to lowest|from largest to smallest|largest to smallest"],
  [true, "newest to oldest|most to least"],
  [false, "in ascending order|ascending|asc|in alphabetical order|a to z|low to high|from low to high"],
  [false, "lowest first|smallest first|oldest first|earliest first|cheapest first|youngest first"],
  [false, "from lowest to highest|lowest to highest|from smallest to largest|smallest to largest|oldest to newest"],
];

export function directionAt(tokens: readonly Token[], i: number): { descending: boolean; next: number } | null {
  for (const [descending, phrases] of DIRECTIONS) {
    const next = phraseEnd(tokens, i, phrases.split("|"));
    if (next !== null) return { descending, next };
  }
  return null;
}
