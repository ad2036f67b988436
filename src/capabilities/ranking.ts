/** What makes one hit better than another, and how sure a hit is. Pure. */
import type { Learned } from "./experience.ts";

/** What is known of one candidate for a query. */
export interface Evidence {
  /** How well its own words answer: 0 to 1. */
  lexical: number;
  learned?: Learned | undefined;
}

// Fitted to held-out goals of seen ones, few and many a tool alike (`npm run bench:retrieval`), then rounded.
const HABIT_WEIGHT = 1.6;
const LEXICAL_WEIGHT = 6.5; // of an entry that has served no goal yet
const LEXICAL_WEIGHT_TRIED = 0.15; // of one whose goals speak for it
const HALF_TRIED = 5; // goals

/** How much an entry's goals speak for it: from 0, with none, to 1. */
const tried = (learned: Learned | undefined): number =>
  learned === undefined ? 0 : learned.goals / (learned.goals + HALF_TRIED);

export function scoreOf({ lexical, learned }: Evidence): number {
  const share = tried(learned);
  const own = (LEXICAL_WEIGHT * (1 - share) + LEXICAL_WEIGHT_TRIED * share) * lexical;
  return learned === undefined ? own : own + learned.pull + HABIT_WEIGHT * share * learned.habit;
}

/** Below this a hit is not worth a model's attention: one in four of those above it or better served, on goals never seen. */
export const OFFER_CONFIDENCE = 0.25;

/** To be fitted. */
export function confidenceOf(evidence: Evidence, lead: number): number {
  return 1 / (1 + Math.exp(-(scoreOf(evidence) + lead - 2)));
}
