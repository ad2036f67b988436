import type { Question } from "./question.ts";
import type { Source } from "./source.ts";
import { tokensOf } from "./tokens.ts";

/**
 * When each text of a source goes to an agent of its own, and when one cell does them all.
 *
 * - The goal says so (`in parallel`, `with an agent each`, `by sub-agents`): always.
 * - It doesn't, and the input holds `inputChars` or more: the cell looks at the texts, and only if they are `textChars`
 *   long on average, and more than one and no more than `texts`, agents get them.
 * - Otherwise never: many short texts, or one, are the work of one cell.
 */
export const DELEGATION = {
  inputChars: 20_000, // about 5K tokens: less is one document
  textChars: 2_000, // longer than most reviews and messages, shorter than most articles
  texts: 500, // half the agents that a run may have when its goal doesn't say
} as const;

const AGENTS = String.raw`sub-?\s?agents?`;
const OWN = String.raw`(?:an?|one|its own|their own|an own|a separate|separate|parallel|different)\s+`;
const EACH = String.raw`(?:\s+(?:each|apiece|(?:per|for (?:each|every))\s+[\p{L}-]{1,40}))`;
const BY = String.raw`(?:with|by|using|through|via)\s+`;
const ASKED = new RegExp(
  [
    String.raw`in parallel`,
    `${BY}(?:${OWN})?${AGENTS}${EACH}?`,
    `${BY}${OWN}agents?${EACH}?`,
    `(?:${BY}(?:${OWN})?|${OWN})(?:agents?|${AGENTS})${EACH}`,
    String.raw`(?:with|using)\s+agents`,
  ]
    .map((form) => String.raw`[\s,;]{0,3}\b(?:${form})(?![\p{L}\p{N}])`)
    .join("|"),
  "giu",
);
const MAX_CHARS = 2_000; // of the goal that are looked at

export interface Delegation {
  /** The goal without the words that ask for agents. */
  question: Question;
  isAsked: boolean;
}

/** Whether the texts of a source may go to agents; null when they stay in the cell. */
export function delegationOf(question: Question, source: Source): Delegation | null {
  if (question.text.length > MAX_CHARS) return null;
  const text = question.text.replace(ASKED, " ").trim();
  const isAsked = text !== question.text;
  if (!isAsked) return (source.size ?? 0) < DELEGATION.inputChars ? null : { question, isAsked };
  const tokens = tokensOf(text);
  return tokens === null ? null : { question: { ...question, text, tokens }, isAsked };
}

/** An expression over `texts`: whether they are worth agents of their own. */
export const WORTH_AGENTS = `texts.length > 1 && texts.length <= ${DELEGATION.texts} && texts.reduce((sum, text) => sum + text.length, 0) >= ${DELEGATION.textChars} * texts.length`;
