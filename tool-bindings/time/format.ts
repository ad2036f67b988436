import { DateTime } from "luxon";
import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { knownZone, readTime, Time, Timezone, UNREADABLE_NOTE } from "./instant.ts";

const STYLES = {
  iso: (time) => time.toISO() ?? "",
  date: (time) => time.toISODate() ?? "",
  time: (time) => time.toFormat("HH:mm:ss"),
  short: (time) => time.toLocaleString(DateTime.DATETIME_SHORT),
  medium: (time) => time.toLocaleString(DateTime.DATETIME_MED),
  long: (time) => time.toLocaleString(DateTime.DATETIME_FULL),
  full: (time) => time.toLocaleString(DateTime.DATETIME_HUGE),
  rfc2822: (time) => time.toRFC2822() ?? "",
  http: (time) => time.toHTTP() ?? "",
  unix: (time) => String(Math.floor(time.toSeconds())),
} satisfies Record<string, (time: DateTime) => string>;
const STYLE_NAMES = ["iso", "date", "time", "short", "medium", "long", "full", "rfc2822", "http", "unix"] as const;

/** Extensions are left off: they make endless names of the same locale, each of which would be kept. */
function knownLocale(locale: string): string {
  const [known] = /^[a-z]{2,3}(?:-[a-z0-9]{2,8}){0,2}$/i.test(locale)
    ? Intl.DateTimeFormat.supportedLocalesOf([locale])
    : [];
  if (known === undefined)
    throw new ToolFailure("unknown-locale", `There is no locale "${locale}". Take one such as "en-GB" or "de".`);
  return known;
}

export const format = defineTool({
  name: "time.format",
  summary: "Writes a time in a style or format, time zone and language.",
  description: `Give \`format\` (tokens: yyyy yy MM M LLL LLLL dd d EEE EEEE HH H hh h mm ss SSS a ZZ ZZZZ z o W; text in 'single quotes') or \`style\`; ISO when neither is given. short, medium, long, full follow the locale. ${UNREADABLE_NOTE} And as \`unknown-locale\`.`,
  input: z
    .strictObject({
      time: Time,
      format: z.string().min(1).max(100).optional().describe('tokens, such as "dd.MM.yyyy HH:mm"'),
      style: z.enum(STYLE_NAMES).optional().describe("a ready-made format"),
      timezone: Timezone,
      locale: z.string().min(2).max(20).optional().describe("language of names and styles; en-US when left out"),
    })
    .refine(({ format, style }) => format === undefined || style === undefined, {
      message: "give format or style, not both",
      path: ["format"],
    }),
  output: z.object({ text: z.string().describe("the time as asked for") }),
  effect: "read",
  examples: [
    {
      args: {
        time: "2026-03-05T14:30:00Z",
        format: "cccc, d LLLL yyyy, HH:mm",
        timezone: "Europe/Berlin",
        locale: "de",
      },
      result: { text: "Donnerstag, 5 März 2026, 15:30" },
    },
    {
      args: { time: 1772721000000, style: "rfc2822" },
      result: { text: "Thu, 05 Mar 2026 14:30:00 +0000" },
    },
  ],
  execute: async ({ time, format, style, timezone, locale = "en-US" }) => {
    const read = readTime(time, knownZone(timezone)).setLocale(knownLocale(locale));
    return { text: format === undefined ? STYLES[style ?? "iso"](read) : read.toFormat(format) };
  },
});
