import { DateTime } from "luxon";

const MONTHS = ["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"];
const LONG_MONTHS = [
  "january", "february", "march", "april", "may", "june",
  "july", "august", "september", "october", "november", "december",
]; // prettier-ignore

const DAY = String.raw`(?<day>\d{1,2})(?:st|nd|rd|th)?`;
const FORMS = [
  /^(?<year>\d{4})[-/.](?<month>\d{1,2})[-/.](?<day>\d{1,2})$/,
  /^(?<day>\d{1,2})\.\s?(?<month>\d{1,2})\.\s?(?<year>\d{4})$/, // day first, as where dots are used
  /^(?<month>\d{1,2})[/-](?<day>\d{1,2})[/-](?<year>\d{4})$/, // month first, unless that can't be
  new RegExp(String.raw`^(?<name>[a-z]{3,9})\.? ${DAY}(?:,? (?<year>\d{4}))?$`, "i"),
  new RegExp(String.raw`^${DAY}\.? (?<name>[a-z]{3,9})\.?(?:,? (?<year>\d{4}))?$`, "i"),
  /^(?<name>[a-z]{3,9})\.?,? (?<year>\d{4})$/i,
];

export interface CalendarDate {
  year: number;
  month: number;
  day: number;
}

/** A date in one of the forms people write. The year may be left out where a month is named, when one is given here. */
export function calendarDate(
  text: string,
  options: { year?: number; dayFirst?: boolean } = {},
): CalendarDate | undefined {
  for (const [index, form] of FORMS.entries()) {
    const groups = form.exec(text)?.groups;
    if (groups === undefined) continue;
    const year = groups["year"] === undefined ? options.year : Number(groups["year"]);
    const named = groups["name"] === undefined ? undefined : monthNumber(groups["name"]);
    let month = named ?? Number(groups["month"]);
    let day = Number(groups["day"] ?? 1);
    if (index === 2 && (month > 12 || options.dayFirst === true)) [month, day] = [day, month];
    if (year === undefined || !DateTime.utc(year, month, day).isValid) continue;
    return { year, month, day };
  }
  return undefined;
}

function monthNumber(name: string): number {
  const lower = name.toLowerCase();
  const short = lower === "sept" ? 8 : MONTHS.indexOf(lower);
  return (short === -1 ? LONG_MONTHS.indexOf(lower) : short) + 1;
}

/** Calendar date or date with a time, in ISO form as far as it was given. Nothing when no such day exists. */
export function readCalendarDate(text: string): string | undefined {
  const iso = /^\d{4}-\d{2}-\d{2}(?<time>[T ].{5,30})?$/.exec(text);
  if (iso?.groups?.["time"] !== undefined) {
    const written = text.replace(" ", "T");
    return DateTime.fromISO(written, { setZone: true }).isValid ? written : undefined;
  }
  const date = calendarDate(text);
  return date === undefined ? undefined : (DateTime.utc(date.year, date.month, date.day).toISODate() ?? undefined);
}
