import type { DateTime, DurationLike } from "luxon";
import { calendarDate } from "./calendar-date.ts";

const WEEKDAYS = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"];
const UNIT = String.raw`(?<unit>second|minute|hour|day|week|month|quarter|year)s?`;
const AMOUNT = String.raw`(?<amount>\d{1,6}|an?)`;
const AFTER = new RegExp(`^(?:in )?${AMOUNT} ${UNIT}(?: from now)?$`);
const BEFORE = new RegExp(`^${AMOUNT} ${UNIT} ago$`);
const STEP = new RegExp(`^(?<which>next|last) ${UNIT}$`);
const WEEKDAY = /^(?:(?<which>next|last|this|on) )?(?<name>[a-z]{3,9})$/;
const CLOCK =
  /(?:^|,? at |,? |t)(?<hour>\d{1,2})(?::(?<minute>\d{2})(?::(?<second>\d{2}))?)? ?(?<half>am|pm|a\.m\.|p\.m\.)?$/;
const NAMED_DAYS = new Map([
  ["today", 0],
  ["tomorrow", 1],
  ["yesterday", -1],
]);
const NAMED_HOURS = new Map([
  ["noon", 12],
  ["midday", 12],
  ["midnight", 0],
]);

interface Clock {
  hour: number;
  minute: number;
  second: number;
}

/**
 * What people write: "tomorrow at 3pm", "in 2 weeks", "last friday", "5 March 2026 14:30". English, at most a few dozen
 * characters. Days without a time of day begin at midnight; relative hours keep the reference's time of day.
 */
export function humanTime(written: string, reference: DateTime, options: { dayFirst: boolean }): DateTime | undefined {
  const text = written.toLowerCase().replace(/\s+/g, " ").trim();
  if (text === "") return undefined;
  if (text === "now") return reference;
  const shifted = shiftedTime(text, reference);
  if (shifted !== undefined) return shifted;
  const { day: dayText, clock } = splitClock(text);
  const day = dayText === "" ? reference : dayOf(dayText, reference, options.dayFirst);
  return day?.startOf("day").set(clock ?? {});
}

/** "in 2 hours", "3 days ago", "next month". */
function shiftedTime(text: string, reference: DateTime): DateTime | undefined {
  const after = AFTER.exec(text)?.groups;
  if (after !== undefined) return reference.plus(duration(after, 1));
  const before = BEFORE.exec(text)?.groups;
  if (before !== undefined) return reference.plus(duration(before, -1));
  const step = STEP.exec(text)?.groups;
  if (step !== undefined) return reference.plus(duration({ ...step, amount: "a" }, step["which"] === "last" ? -1 : 1));
  return undefined;
}

function duration(groups: Record<string, string>, sign: number): DurationLike {
  const amount = /^an?$/.test(groups["amount"]!) ? 1 : Number(groups["amount"]);
  return { [`${groups["unit"]!}s`]: sign * amount };
}

/** The time of day at the end, when there is one, and what stands before it. */
function splitClock(text: string): { day: string; clock?: Clock } {
  const word = text.split(" ").at(-1)!;
  const named = NAMED_HOURS.get(word);
  if (named !== undefined) {
    const day = text.slice(0, -word.length).replace(/,? ?(?:at )?$/, "");
    return { day, clock: { hour: named, minute: 0, second: 0 } };
  }
  const match = CLOCK.exec(text);
  const { hour, minute, second, half } = match?.groups ?? {};
  if (match === null || (minute === undefined && half === undefined)) return { day: text }; // "5" alone is a day or a year
  const clock = { hour: hour24(Number(hour), half), minute: Number(minute ?? 0), second: Number(second ?? 0) };
  const isReal = clock.hour <= 23 && clock.minute <= 59 && clock.second <= 59;
  return isReal ? { day: text.slice(0, match.index), clock } : { day: text };
}

function hour24(hour: number, half: string | undefined): number {
  if (half === undefined) return hour;
  if (hour < 1 || hour > 12) return 99; // 13pm is no time
  return (hour % 12) + (half.startsWith("p") ? 12 : 0);
}

function dayOf(text: string, reference: DateTime, dayFirst: boolean): DateTime | undefined {
  const days = NAMED_DAYS.get(text);
  if (days !== undefined) return reference.plus({ days });
  const weekday = WEEKDAY.exec(text)?.groups;
  const number = weekday === undefined ? 0 : weekdayNumber(weekday["name"]!);
  if (number > 0) {
    const ahead = (number - reference.weekday + 7) % 7;
    if (weekday!["which"] === "last") return reference.plus({ days: ahead === 0 ? -7 : ahead - 7 });
    return reference.plus({ days: ahead === 0 && weekday!["which"] === "next" ? 7 : ahead });
  }
  const bare = text.replace(/^[a-z]{3,9},? (?=[a-z\d])/, (name) =>
    weekdayNumber(name.replace(/,? $/, "")) > 0 ? "" : name,
  );
  const date = calendarDate(bare.replace(/ of /, " "), { year: reference.year, dayFirst });
  return date === undefined ? undefined : reference.set(date);
}

/** 1 for Monday; 0 when it is none. Three letters are enough. */
function weekdayNumber(name: string): number {
  return WEEKDAYS.findIndex((day) => day === name || (name.length <= 4 && day.startsWith(name))) + 1;
}
