/**
 * What a run taught: kept across sessions, merged when alike, fading unless it is used, and shown to a model in few words.
 * A lesson is data from others. Its text is made inert when it is made, so that every reader gets the same.
 */
import { z } from "zod";
import { neutralise } from "./inert-text.ts";
import { estimateTokens } from "./prompt-tokens.ts";

export const LESSON_LIMITS = {
  textChars: 280, // one of three in 150 tokens
  goalChars: 500,
  halfLifeDays: 30, // since it was last used
  maxWeight: 8, // so that what was right often still fades within months
  forgetBelow: 0.05, // a weight at which it is not worth its place
  alike: 0.6, // share of words in common at which two say the same
  promptItems: 3,
  promptTokens: 150,
} as const;

export const LESSON_KINDS = ["worked", "failed", "mended", "remembered"] as const;

export const Lesson = z.strictObject({
  id: z.string().min(1).max(64),
  text: z.string().min(1).max(LESSON_LIMITS.textChars),
  /** The goal it was learnt in. */
  goal: z.string().max(LESSON_LIMITS.goalChars),
  outcome: z.enum(["succeeded", "failed"]),
  kind: z.enum(LESSON_KINDS),
  createdAt: z.iso.datetime(),
  usedAt: z.iso.datetime(),
  /** As of `usedAt`. */
  weight: z.number().positive().max(LESSON_LIMITS.maxWeight),
});
export type Lesson = z.infer<typeof Lesson>;

export type NewLesson = Pick<Lesson, "id" | "text" | "goal" | "outcome" | "kind" | "createdAt">;

/** A lesson of weight 1; undefined when nothing is left of its text once it is inert. */
export function makeLesson(given: NewLesson): Lesson | undefined {
  const text = neutralise(given.text, LESSON_LIMITS.textChars);
  if (!/[\p{L}\p{N}]/u.test(text)) return undefined;
  return { ...given, text, goal: neutralise(given.goal, LESSON_LIMITS.goalChars), usedAt: given.createdAt, weight: 1 };
}

const HALF_LIFE_MS = LESSON_LIMITS.halfLifeDays * 86_400_000;

/** What a lesson weighs at a time, in milliseconds since the epoch. A clock that goes back adds nothing. */
export function weightAt(lesson: Pick<Lesson, "weight" | "usedAt">, now: number): number {
  const age = Math.max(0, now - Date.parse(lesson.usedAt));
  return lesson.weight * 2 ** (-age / HALF_LIFE_MS);
}

export const isForgotten = (lesson: Lesson, now: number): boolean => weightAt(lesson, now) < LESSON_LIMITS.forgetBelow;

/** The lesson after it served once more. */
export function useLesson(lesson: Lesson, now: number): Lesson {
  return { ...lesson, usedAt: new Date(now).toISOString(), weight: heavier(weightAt(lesson, now), 1) };
}

const heavier = (a: number, b: number): number => Math.min(LESSON_LIMITS.maxWeight, a + b);

const wordsOf = (text: string): Set<string> => new Set(text.toLowerCase().match(/[\p{L}\p{N}]+/gu));

/** Share of their words that two lessons have in common, of kinds that can say the same. */
function likenessOf(a: Lesson, b: Lesson): number {
  // "x works" and "x fails" share their words and say the opposite.
  if (a.kind !== b.kind || a.outcome !== b.outcome) return 0;
  const [left, right] = [wordsOf(a.text), wordsOf(b.text)];
  const shared = left.intersection(right).size;
  return shared / (left.size + right.size - shared || 1);
}

export type Merge = { merged: Lesson; replaces: string } | { merged: Lesson; replaces?: undefined };

/**
 * The lesson to keep: the new one, or one that says the same with the weight of both. It keeps the id and the first
 * date of the old one, and the words of the new one, which knew more.
 */
export function mergeAlike(existing: readonly Lesson[], added: Lesson): Merge {
  let best: { lesson: Lesson; likeness: number } | undefined;
  for (const lesson of existing) {
    const likeness = likenessOf(lesson, added);
    if (likeness >= LESSON_LIMITS.alike && likeness > (best?.likeness ?? 0)) best = { lesson, likeness };
  }
  if (best === undefined) return { merged: added };
  const { id, createdAt } = best.lesson;
  const weight = heavier(weightAt(best.lesson, Date.parse(added.usedAt)), added.weight);
  return { merged: { ...added, id, createdAt, weight }, replaces: id };
}

export interface PromptRoom {
  maxItems: number;
  maxTokens: number;
}

const ROOM: PromptRoom = { maxItems: LESSON_LIMITS.promptItems, maxTokens: LESSON_LIMITS.promptTokens };
const LINE_TOKENS = 2; // the mark before it and the line's end

/**
 * Those of the candidates, best first, that fit into the prompt together. One that is too long is passed over for a
 * shorter one after it: a place left empty helps nobody.
 */
export function pickForPrompt<T extends { text: string }>(candidates: readonly T[], room: PromptRoom = ROOM): T[] {
  const picked: T[] = [];
  let left = room.maxTokens;
  for (const candidate of candidates) {
    if (picked.length >= room.maxItems) break;
    const cost = estimateTokens(candidate.text) + LINE_TOKENS;
    if (cost > left) continue;
    picked.push(candidate);
    left -= cost;
  }
  return picked;
}
