import { z } from "zod";
import { defineTool } from "../define.ts";
import { readCalendarDate } from "../time/calendar-date.ts";
import { boundedText, LIMIT_NOTE } from "./size.ts";

const MAX_MATCHES = 10_000;

const MONTH = "(?:jan|feb|mar|apr|may|jun|jul|aug|sep|oct|nov|dec)[a-z]{0,6}";
const DATE = [
  String.raw`\d{4}-\d{2}-\d{2}(?:[T ]\d{2}:\d{2}(?::\d{2}(?:\.\d{1,9})?)?(?:Z|[+-]\d{2}:?\d{2})?)?`,
  String.raw`\d{4}/\d{1,2}/\d{1,2}`,
  String.raw`\d{1,2}[./]\d{1,2}[./]\d{4}`,
  String.raw`${MONTH}\.? \d{1,2}(?:st|nd|rd|th)?,? \d{4}`,
  String.raw`\d{1,2}(?:st|nd|rd|th)?\.? ${MONTH}\.?,? \d{4}`,
].join("|");

interface Kind {
  /** Every quantifier is bounded and a match begins only at a border: the work is linear in the text. */
  pattern: RegExp;
  /** The match as it is meant, or nothing when it isn't one. */
  read(match: string): { text: string; value: string | number } | undefined;
}

const KINDS = {
  emails: {
    pattern:
      /(?<![\p{L}\p{N}._%+-])[\p{L}\p{N}._%+-]{1,64}@[\p{L}\p{N}-]{1,63}(?:\.[\p{L}\p{N}-]{1,63}){1,8}(?![\p{L}\p{N}@])/gu,
    read: (text) => (/^\.|\.\.|\.@/.test(text) ? undefined : { text, value: text.toLowerCase() }),
  },
  urls: {
    pattern: /(?<![\p{L}\p{N}])(?:https?:\/\/|www\.)[^\s<>"'`{}|\\^]{1,2000}/giu,
    read: readUrl,
  },
  dates: {
    pattern: new RegExp(String.raw`(?<![\p{L}\p{N}])(?:${DATE})(?![\p{L}\p{N}])`, "giu"),
    read: (text) => {
      const value = readCalendarDate(text);
      return value === undefined ? undefined : { text, value };
    },
  },
  numbers: {
    pattern:
      /(?<![\p{L}\p{N}_.,])[+-]?(?:\d{1,3}(?:,\d{3}){1,10}|\d{1,30})(?:\.\d{1,30})?(?:e[+-]?\d{1,3})?(?![\p{L}\p{N}_]|\.\d)/giu,
    read: (text) => {
      const value = Number(text.replaceAll(",", ""));
      return Number.isFinite(value) ? { text, value } : undefined;
    },
  },
  phones: {
    pattern: /(?<![\p{L}\p{N}+.,/-])(?:\+|\(|\b)\d[\d ().\-/]{4,22}\d(?![\p{L}\p{N}]|[.,/-]\d)/gu,
    read: (text) => {
      const digits = text.replace(/\D/g, "");
      const isDate = readCalendarDate(text) !== undefined;
      const isPlain = digits.length === text.length; // a bare number is a number
      if (digits.length < 7 || digits.length > 15 || isDate || isPlain) return undefined;
      return { text, value: text.startsWith("+") ? `+${digits}` : digits };
    },
  },
  hashtags: {
    pattern: /(?<![\p{L}\p{N}_&#/])#[\p{L}\p{M}\p{N}_]{1,100}/gu,
    read: (text) => (/\p{L}/u.test(text) ? { text, value: text.slice(1).toLowerCase() } : undefined),
  },
} satisfies Record<string, Kind>;

/** Without the punctuation of the sentence around it; a closing bracket stays when it was opened inside. */
function readUrl(match: string): { text: string; value: string } | undefined {
  let end = match.length;
  let open = match.split("(").length - match.split(")").length;
  for (; end > 0; end--) {
    const last = match[end - 1]!;
    if (last === ")" && open < 0) open++;
    else if (!".,;:!?]…".includes(last)) break;
  }
  const text = match.slice(0, end);
  const url = URL.parse(text.startsWith("http") || text.startsWith("HTTP") ? text : `https://${text}`);
  return url === null || !url.hostname.includes(".") ? undefined : { text, value: url.href };
}

export const extract = defineTool({
  name: "text.extract",
  summary: "Finds e-mail addresses, URLs, dates, numbers, phone numbers or hashtags in a text.",
  description: `\`value\` is the match in one form: addresses and tags in lower case, absolute URLs, dates as YYYY-MM-DD or with their time (month first in 3/4/2025, day first in 3.4.2025), numbers as numbers (1,234.5 is 1234.5), phone numbers as digits. At most 10,000 matches; \`truncated\` says that there are more. ${LIMIT_NOTE}`,
  input: z.strictObject({
    text: z.string().describe("any text"),
    kind: z.enum(["emails", "urls", "dates", "numbers", "phones", "hashtags"]).describe("what to find"),
  }),
  output: z.object({
    matches: z
      .array(
        z.object({
          text: z.string().describe("as written"),
          value: z.union([z.string(), z.number()]).describe("in one form"),
          index: z.number().describe("offset in the text"),
        }),
      )
      .describe("in order"),
    values: z.array(z.union([z.string(), z.number()])).describe("each value once"),
    truncated: z.boolean().describe("whether there are more than 10,000"),
  }),
  effect: "read",
  examples: [
    {
      args: { text: "Write to Ada@Example.org, or see www.example.org.", kind: "emails" as const },
      result: {
        matches: [{ text: "Ada@Example.org", value: "ada@example.org", index: 9 }],
        values: ["ada@example.org"],
        truncated: false,
      },
    },
    {
      args: { text: "Due March 5, 2026.", kind: "dates" as const },
      result: {
        matches: [{ text: "March 5, 2026", value: "2026-03-05", index: 4 }],
        values: ["2026-03-05"],
        truncated: false,
      },
    },
  ],
  execute: async ({ text, kind }) => {
    boundedText(text, "text");
    const { pattern, read } = KINDS[kind] as Kind; // one of the records above, whichever it is
    const matches: { text: string; value: string | number; index: number }[] = [];
    let truncated = false;
    for (const match of text.matchAll(pattern)) {
      const found = read(match[0]);
      if (found === undefined) continue;
      if (matches.length === MAX_MATCHES) {
        truncated = true;
        break;
      }
      matches.push({ ...found, index: match.index });
    }
    return { matches, values: [...new Set(matches.map(({ value }) => value))], truncated };
  },
});
