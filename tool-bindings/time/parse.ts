import { DateTime } from "luxon";
import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { humanTime } from "./human.ts";
import {
  checked,
  checkedMs,
  Instant,
  instantOf,
  knownZone,
  readTime,
  standardTime,
  Time,
  Timezone,
} from "./instant.ts";

const FORMS = ["standard", "epoch", "human"] as const;

export const parse = defineTool({
  name: "time.parse",
  summary: "Reads a date or time as people and machines write it.",
  description:
    'ISO 8601, RFC 2822, HTTP and SQL dates, epoch seconds (10 digits) or milliseconds (13 digits), and English: "tomorrow at 3pm", "in 2 weeks", "last friday", "March 5, 2026 14:30", "5.3.2026", "3/5/2026" (month first unless `dayFirst`). What has no offset is of the time zone. Fails as `unreadable-time`, `unknown-timezone` or `out-of-range`.',
  input: z.strictObject({
    text: z.string().max(200).describe("the date or time"),
    timezone: Timezone,
    reference: Time.optional().describe('what "tomorrow" is counted from; now when left out'),
    dayFirst: z.boolean().optional().describe("read 3/5/2026 as 3 May"),
  }),
  output: Instant.extend({ form: z.enum(FORMS).describe("how the text was understood") }),
  effect: "read",
  examples: [
    {
      args: {
        text: "tomorrow at 3pm",
        timezone: "Europe/Berlin",
        reference: "2026-03-28T12:00:00Z",
      },
      result: {
        iso: "2026-03-29T15:00:00.000+02:00",
        epochMs: 1774789200000,
        timezone: "Europe/Berlin",
        weekday: "Sunday",
        form: "human",
      },
      note: "clocks go forward that night",
    },
  ],
  execute: async ({ text, timezone, reference, dayFirst = false }) => {
    const zone = knownZone(timezone);
    const trimmed = text.trim();
    const answer = (time: DateTime, form: (typeof FORMS)[number]) => ({ ...instantOf(time), form });
    if (/^-?(?:\d{10}|\d{13})$/.test(trimmed)) {
      const number = Number(trimmed);
      const ms = checkedMs(trimmed.replace("-", "").length === 10 ? number * 1000 : number);
      return answer(DateTime.fromMillis(ms, { zone }), "epoch");
    }
    const standard = standardTime(trimmed, zone);
    if (standard !== undefined) return answer(standard, "standard");
    const from = reference === undefined ? DateTime.now().setZone(zone) : readTime(reference, zone);
    const human = humanTime(trimmed, from, { dayFirst });
    if (human !== undefined) return answer(checked(human), "human");
    throw new ToolFailure(
      "unreadable-time",
      `Can't read ${JSON.stringify(trimmed.slice(0, 60))} as a date or time. Send ISO 8601 such as 2026-03-05T14:30, or a form like "March 5, 2026 14:30" or "in 3 days".`,
    );
  },
});
