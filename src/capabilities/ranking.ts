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

/**
 * `coverage`: how many of the candidates have served goals, of all. Where only some have, their goals say little against the
 * words of the others, and one that was tried must not stand behind one that was not.
 */
export function scoreOf({ lexical, learned }: Evidence, coverage = 1): number {
  const share = tried(learned) * coverage ** 2;
  const own = (LEXICAL_WEIGHT * (1 - share) + LEXICAL_WEIGHT_TRIED * share) * lexical;
  return learned === undefined ? own : own + learned.pull + HABIT_WEIGHT * share * learned.habit;
}

/** Below this a hit is not worth a model's attention. */
export const OFFER_CONFIDENCE = 0.3;

const ENOUGH = { lexical: 0.1, pull: 0.4, habit: 0.15 }; // each about what a right hit has at least

/**
 * How likely the hit serves the query. A logistic regression, fitted on goals held back from learning, with no, few and many
 * goals learned: said and found differ by some hundredths in each. It assumes that something serves the query; where there is
 * hardly any evidence at all, nothing may, and the confidence sinks with it.
 *
 * `lead`: by how much its score is above the best of the others, negative for all but the first.
 */
export function confidenceOf({ lexical, learned }: Evidence, lead: number, coverage = 1): number {
  const share = tried(learned) * coverage ** 2;
  const { pull, habit } = learned ?? { pull: 0, habit: 0 };
  const odds =
    -1.5 +
    (2.3 * (1 - share) + 0.9 * share) * lexical +
    0.8 * clamp(pull, 1.5) +
    1.5 * share * habit +
    4 * clamp(lead, 1) -
    0.3 * share;
  const support = Math.max(lexical / ENOUGH.lexical, pull / ENOUGH.pull, (share * habit) / ENOUGH.habit);
  const doubt = Math.min(0, pull) / ENOUGH.pull; // it failed for goals like this one
  return Math.max(0, Math.min(1, support + doubt)) / (1 + Math.exp(-odds));
}

const clamp = (value: number, limit: number): number => Math.max(-limit, Math.min(limit, value));
