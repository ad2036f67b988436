import { z } from "zod";

const UNIT_MS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 };
const MAX_MS = 3650 * UNIT_MS.d; // ten years: alarms have an end of time of their own
export const durationMs = (text: string): number =>
  Number(text.slice(0, -1)) * UNIT_MS[text.at(-1) as keyof typeof UNIT_MS]; // the schema knows no other unit

/** `30d`, `12h`, `15m`, `0s`. */
export const Duration = z
  .string()
  .regex(/^\d{1,6}[smhd]$/, "must be a number with s, m, h or d, such as 30d")
  .refine((text) => durationMs(text) <= MAX_MS, "must be at most 3650d");
