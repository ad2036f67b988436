/** Why a call can't go on without a person. `always`: an approval that is needed for each call of the tool anew. */
export type About = "interrupted-call" | "approval" | "always" | "question";

export interface Question {
  /** The call's key in its cell's journal. */
  key: string;
  about: About;
  tool: string;
  /** Canonical JSON. */
  args: string;
  /** For a question: the answers to choose from, when they are limited. */
  options?: string[];
}

/** What came of it. `args`: canonical JSON of the arguments that a person put in place of those they were shown. */
export type Decision =
  | { decision: "approve"; args?: string }
  | { decision: "reject"; note?: string }
  | { decision: "expired" }
  | { decision: "answer"; answer: unknown };

export const sameDecision = (a: Decision, b: Decision): boolean => JSON.stringify(a) === JSON.stringify(b);

/** Whether a tool's call must be put to a person first. Nothing that was said beforehand switches off `always`. */
export function needsApproval(
  approval: "never" | "ask" | "always" | undefined,
  given: { auto: boolean; trusted: boolean },
): boolean {
  if (approval === undefined || approval === "never") return false;
  return approval === "always" || !(given.auto || given.trusted);
}

const DECISION_SECONDS = 7 * 86_400;
const MAX_DECISION_SECONDS = 3_650 * 86_400; // ten years: for ever, and still a date

/** How long a question stays open, in ms: what PRAXIS_DECISION_SECONDS says, or a week when that is no positive number. */
export function decisionTtl(text: string | undefined): number {
  const seconds = text === undefined || text.trim() === "" ? NaN : Number(text);
  return 1000 * (seconds > 0 ? Math.min(seconds, MAX_DECISION_SECONDS) : DECISION_SECONDS);
}
