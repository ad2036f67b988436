import { DateTime, IANAZone } from "luxon";
import { z } from "zod";
import { ToolFailure } from "../define.ts";

export const Timezone = z
  .string()
  .min(1)
  .max(64)
  .optional()
  .describe('IANA name ("Europe/Berlin") or offset ("+02:00"); UTC when left out');

export const Time = z
  .union([z.string().max(200), z.number()])
  .describe("ISO 8601, RFC 2822 or HTTP date, or milliseconds since 1970");

/** An instant as every tool of the family answers it. */
export const Instant = z.object({
  iso: z.string().describe("ISO 8601 in the time zone"),
  epochMs: z.number().describe("milliseconds since 1970"),
  timezone: z.string().describe("the time zone it is shown in"),
  weekday: z.string().describe("English, in that zone"),
});
export type Instant = z.infer<typeof Instant>;

export const UNREADABLE_NOTE =
  "Fails as `unreadable-time`, `unknown-timezone`, or `out-of-range` (years beyond ±9999).";

/** The zone's name as Luxon takes it. Never the host's own. */
export function knownZone(timezone = "UTC"): string {
  if (/^(?:utc|gmt|z)$/i.test(timezone)) return "UTC";
  if (!IANAZone.isValidZone(timezone))
    // asked first, for Luxon keeps every name it was ever given
    throw new ToolFailure(
      "unknown-timezone",
      `There is no time zone "${timezone.slice(0, 64)}". Take an IANA name such as "Europe/Berlin", or "UTC".`,
    );
  return timezone;
}

/** A machine's time, in any of the standard forms; a time without an offset is one of the zone. */
export function standardTime(text: string, zone: string): DateTime | undefined {
  const candidates = [
    () => DateTime.fromISO(text, { zone }),
    () => DateTime.fromRFC2822(text, { zone }),
    () => DateTime.fromHTTP(text, { zone }),
    () => DateTime.fromSQL(text, { zone }),
  ];
  for (const candidate of candidates) {
    const time = candidate();
    if (time.isValid) return time;
  }
  return undefined;
}

export function readTime(time: string | number, zone: string): DateTime {
  const read =
    typeof time === "number" ? DateTime.fromMillis(checkedMs(time), { zone }) : standardTime(time.trim(), zone);
  if (read === undefined)
    throw new ToolFailure(
      "unreadable-time",
      `Can't read ${JSON.stringify(String(time).slice(0, 60))} as a time. Send ISO 8601 such as 2026-03-05T14:30:00Z, or use time.parse.`,
    );
  return checked(read);
}

const MAX_MS = 253_402_300_799_999; // the end of the year 9999

export function checkedMs(ms: number): number {
  if (Number.isFinite(ms) && Math.abs(ms) <= MAX_MS) return Math.trunc(ms);
  throw new ToolFailure("out-of-range", "The time is not between the years -9999 and 9999.");
}

export function checked(time: DateTime): DateTime {
  checkedMs(time.toMillis());
  return time;
}

export const instantOf = (time: DateTime): Instant => ({
  iso: checked(time).toISO() ?? "", // null only when invalid, and then the check has thrown
  epochMs: time.toMillis(),
  timezone: time.zoneName ?? "UTC",
  weekday: time.setLocale("en").weekdayLong ?? "",
});
