import type { Body } from "./cell.ts";
import type { Question } from "./question.ts";
import type { Source } from "./source.ts";

/**
 * One kind of job the embedded planner can do.
 *
 * `match` is pure and strict: it answers null unless it accounts for every word of the goal. A word it can't place is a
 * condition it would silently drop, and a refusal is better than a wrong answer.
 */
export interface Recipe {
  name: string;
  /** What it does, in a few words. */
  summary: string;
  /** A goal it answers. */
  example: string;
  /** `source` is one of the inputs (or text pasted in the goal), or null for a goal that needs none. */
  match(question: Question, source: Source | null): Match | null;
}

export interface Match extends Body {
  /** How sure: the highest wins. */
  score: number;
  /** What the reply says it does: `count per city`. */
  title: string;
  /** What the body works on when that is more than the source it was matched with: all inputs, or the object it is part of. */
  source?: Source;
}
