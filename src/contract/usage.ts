import { z } from "zod";
import type { TokenUsage } from "./model.ts";

/** Tokens and dollars of some model calls. */
export interface Spent extends TokenUsage {
  modelCalls: number;
  /** Null when the price of one call is unknown: half a bill is worse than none. */
  costUsd: number | null;
}

export interface UsageReport {
  total: Spent;
  /** Model tokens that runs did without because a capability served, each against the run that made it. */
  saved: { tokens: number; runs: number };
  days: (Spent & { day: string })[];
  models: (Spent & { model: string })[];
  /** The dearest first. */
  runs: (Spent & { run: string })[];
}

const Day = z.iso.date();
export const UsageQuery = z.strictObject({ from: Day.optional(), to: Day.optional() });
export type UsageQuery = z.infer<typeof UsageQuery>;
