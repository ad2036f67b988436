import type { Tier } from "../contract/model.ts";

export interface TierQuestion {
  asked: Tier | "auto" | undefined;
  /** Of the parent: what an agent has that asks for none. */
  inherited: Tier;
  taskChars: number;
  dataChars: number;
  maxTurns: number;
  hasSchema: boolean;
}

/** The rules of tier `auto`, with their limits in one place. */
export const TIER_RULES = {
  smallTaskChars: 600, // a task that is said in a paragraph
  smallDataChars: 60_000, // about 15K tokens: one document
  smallTurns: 3,
  largeTaskChars: 6_000, // a task that takes pages to say
  largeDataChars: 2_000_000,
} as const;

/** Which tier serves a task, and why. Only `auto` is decided by size; all else is what was said. */
export function chooseTier(question: TierQuestion): { tier: Tier; reason: string } {
  const { asked, inherited, taskChars, dataChars, maxTurns, hasSchema } = question;
  if (asked === undefined) return { tier: inherited, reason: "inherited from its parent" };
  if (asked !== "auto") return { tier: asked, reason: "as its definition says" };
  const rules = TIER_RULES;
  if (taskChars > rules.largeTaskChars)
    return { tier: "large", reason: `auto: the task is longer than ${rules.largeTaskChars} characters` };
  if (dataChars > rules.largeDataChars)
    return { tier: "large", reason: `auto: the data is longer than ${rules.largeDataChars} characters` };
  if (taskChars > rules.smallTaskChars)
    return { tier: "medium", reason: `auto: the task is longer than ${rules.smallTaskChars} characters` };
  if (dataChars > rules.smallDataChars)
    return { tier: "medium", reason: `auto: the data is longer than ${rules.smallDataChars} characters` };
  if (!hasSchema && maxTurns > rules.smallTurns)
    return {
      tier: "medium",
      reason: `auto: an open result and more than ${rules.smallTurns} turns ask for judgement`,
    };
  return {
    tier: "small",
    reason: hasSchema ? "auto: a short task with a fixed form of result" : "auto: a short task of few turns",
  };
}
