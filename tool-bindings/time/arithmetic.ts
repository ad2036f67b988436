import { z } from "zod";
import { defineTool } from "../define.ts";
import { Instant, instantOf, knownZone, readTime, Time, Timezone, UNREADABLE_NOTE } from "./instant.ts";

const MAX_AMOUNT = 10_000_000_000; // three hundred years in seconds

const amount = (unit: string) =>
  z.int().min(-MAX_AMOUNT).max(MAX_AMOUNT).optional().describe(`${unit} to add, negative to go back`);

export const add = defineTool({
  name: "time.add",
  summary: "Adds years, months, weeks, days, hours, minutes or seconds to a time.",
  description: `By the calendar of the time zone: a day is a day also when clocks change, and January 31 plus a month is the last of February. Hours and smaller are exact. ${UNREADABLE_NOTE}`,
  input: z.strictObject({
    time: Time,
    years: amount("years"),
    months: amount("months"),
    weeks: amount("weeks"),
    days: amount("days"),
    hours: amount("hours"),
    minutes: amount("minutes"),
    seconds: amount("seconds"),
    timezone: Timezone,
  }),
  output: Instant,
  effect: "read",
  examples: [
    {
      args: { time: "2026-01-31T09:00:00Z", months: 1 },
      result: {
        iso: "2026-02-28T09:00:00.000Z",
        epochMs: 1772269200000,
        timezone: "UTC",
        weekday: "Saturday",
      },
    },
  ],
  execute: async ({ time, timezone, ...amounts }) => {
    const given = Object.fromEntries(Object.entries(amounts).filter(([, value]) => value !== undefined));
    return instantOf(readTime(time, knownZone(timezone)).plus(given));
  },
});

const UNITS = ["years", "months", "weeks", "days", "hours", "minutes", "seconds", "milliseconds"] as const;

export const diff = defineTool({
  name: "time.diff",
  summary: "Says how long it is from one time to another.",
  description: `Negative when \`to\` comes first. Years to days are counted by the calendar of the time zone, smaller units exactly. ${UNREADABLE_NOTE}`,
  input: z.strictObject({
    from: Time,
    to: Time,
    unit: z.enum(UNITS).describe("what to count"),
    timezone: Timezone,
  }),
  output: z.object({
    value: z.number().describe("with fractions"),
    whole: z.number().describe("full units, towards zero"),
    ms: z.number().describe("exact milliseconds"),
  }),
  effect: "read",
  examples: [
    {
      args: { from: "2026-01-01", to: "2026-03-01", unit: "days" },
      result: { value: 59, whole: 59, ms: 5097600000 },
    },
  ],
  execute: async ({ from, to, unit, timezone }) => {
    const zone = knownZone(timezone);
    const start = readTime(from, zone);
    const end = readTime(to, zone);
    const value = end.diff(start, unit).as(unit);
    return { value, whole: Math.trunc(value) || 0, ms: end.toMillis() - start.toMillis() };
  },
});
