import { describe, expect, it } from "vitest";
import { TIME_TOOLS } from "../../../tool-bindings/time.ts";
import { caller } from "./tool-call.ts";

const { call, failure } = caller(TIME_TOOLS);
const REFERENCE = "2026-03-05T14:30:00Z"; // a Thursday

const parsed = async (text: string, more: object = {}): Promise<string> =>
  ((await call("time.parse", { text, reference: REFERENCE, ...more })) as { iso: string }).iso;

describe("time.now", () => {
  it("tells one instant in any zone", async () => {
    const before = Date.now();
    const { iso, epochMs, timezone } = (await call("time.now", { timezone: "Asia/Tokyo" })) as {
      iso: string;
      epochMs: number;
      timezone: string;
    };
    expect(epochMs).toBeGreaterThanOrEqual(before);
    expect(epochMs).toBeLessThanOrEqual(Date.now());
    expect(Date.parse(iso)).toBe(epochMs);
    expect(iso).toMatch(/\+09:00$/);
    expect(timezone).toBe("Asia/Tokyo");
  });
});

describe("time.parse", () => {
  it.each([
    ["2026-03-05", "2026-03-05T00:00:00.000Z"],
    ["2026-03-05T10:20:30.5+02:00", "2026-03-05T08:20:30.500Z"],
    ["2026-W10-4", "2026-03-05T00:00:00.000Z"],
    ["2026-03-05 10:20:30", "2026-03-05T10:20:30.000Z"],
    ["Thu, 05 Mar 2026 14:30:00 +0100", "2026-03-05T13:30:00.000Z"],
    ["Thu, 05 Mar 2026 14:30:00 GMT", "2026-03-05T14:30:00.000Z"],
    ["1772721000", "2026-03-05T14:30:00.000Z"],
    ["1772721000000", "2026-03-05T14:30:00.000Z"],
    ["now", "2026-03-05T14:30:00.000Z"],
    ["today", "2026-03-05T00:00:00.000Z"],
    ["Tomorrow at 3pm", "2026-03-06T15:00:00.000Z"],
    ["yesterday 08:15", "2026-03-04T08:15:00.000Z"],
    ["noon", "2026-03-05T12:00:00.000Z"],
    ["tomorrow at midnight", "2026-03-06T00:00:00.000Z"],
    ["12 am", "2026-03-05T00:00:00.000Z"],
    ["in 2 weeks", "2026-03-19T14:30:00.000Z"],
    ["an hour ago", "2026-03-05T13:30:00.000Z"],
    ["3 months from now", "2026-06-05T14:30:00.000Z"],
    ["next month", "2026-04-05T14:30:00.000Z"],
    ["friday", "2026-03-06T00:00:00.000Z"],
    ["next thursday", "2026-03-12T00:00:00.000Z"],
    ["last thursday", "2026-02-26T00:00:00.000Z"],
    ["next Mon at 9:30", "2026-03-09T09:30:00.000Z"],
    ["March 5, 2026 14:30", "2026-03-05T14:30:00.000Z"],
    ["Thursday, March 5th, 2026", "2026-03-05T00:00:00.000Z"],
    ["5 Mar 2026", "2026-03-05T00:00:00.000Z"],
    ["1st of May", "2026-05-01T00:00:00.000Z"],
    ["may 2027", "2027-05-01T00:00:00.000Z"],
    ["5.3.2026", "2026-03-05T00:00:00.000Z"],
    ["3/5/2026 2:05 pm", "2026-03-05T14:05:00.000Z"],
    ["25/3/2026", "2026-03-25T00:00:00.000Z"],
  ])("reads %j", async (text, iso) => {
    expect(await parsed(text)).toBe(iso);
  });

  it("reads the day first when told", async () => {
    expect(await parsed("3/5/2026", { dayFirst: true })).toBe("2026-05-03T00:00:00.000Z");
  });

  it("takes what has no offset as of the zone, across a change of clocks", async () => {
    expect(await parsed("2026-03-29 12:00", { timezone: "Europe/Berlin" })).toBe("2026-03-29T12:00:00.000+02:00");
    expect(await parsed("tomorrow", { timezone: "America/New_York", reference: "2026-03-08T02:00:00Z" })).toBe(
      "2026-03-08T00:00:00.000-05:00",
    );
  });

  it.each([
    "",
    "soon",
    "32 March 2026",
    "February 30, 2026",
    "25:00",
    "13pm",
    "2026-02-30",
    "0/0/2026",
    "in 5",
    "next blursday",
    "\0",
    "\ud800",
    "constructor",
    "in 3 __proto__",
    "9".repeat(200),
    " ".repeat(199),
    `${"1:".repeat(99)}`,
  ])("does not read %j", async (text) => {
    expect((await failure("time.parse", { text, reference: REFERENCE })).kind).toBe("unreadable-time");
  });

  it("does not go beyond the calendar", async () => {
    expect((await failure("time.parse", { text: "in 999999 years", reference: REFERENCE })).kind).toBe("out-of-range");
  });

  it("takes no more than a line", async () => {
    expect((await failure("time.parse", { text: "1".repeat(201) })).kind).toBe("bad-arguments");
  });
});

describe("time zones", () => {
  it.each(["Mars/Olympus", "local", "system", "", "__proto__", "\0", "Europe/Berlin\n"])(
    "refuses %j",
    async (timezone) => {
      const { kind } = await failure("time.now", { timezone });
      expect(kind).toBe(timezone === "" ? "bad-arguments" : "unknown-timezone");
    },
  );

  it("takes offsets", async () => {
    expect(await call("time.format", { time: REFERENCE, timezone: "+05:30" })).toEqual({
      text: "2026-03-05T20:00:00.000+05:30",
    });
  });
});

describe("time.format", () => {
  const text = async (args: object): Promise<string> =>
    ((await call("time.format", { time: REFERENCE, ...args })) as { text: string }).text.replace(/\s/g, " ");

  it.each([
    [{ style: "date" }, "2026-03-05"],
    [{ style: "time", timezone: "Europe/Berlin" }, "15:30:00"],
    [{ style: "http" }, "Thu, 05 Mar 2026 14:30:00 GMT"],
    [{ style: "unix" }, "1772721000"],
    [{ style: "short" }, "3/5/2026, 2:30 PM"],
    [{ style: "medium", locale: "de" }, "5. März 2026, 14:30"],
    [{ format: "yyyy-'W'WW 'literal'" }, "2026-W10 literal"],
    [{}, "2026-03-05T14:30:00.000Z"],
  ])("writes %j", async (args, expected) => {
    expect(await text(args)).toBe(expected);
  });

  it("refuses both a style and a format, and what it does not know", async () => {
    const both = await failure("time.format", { time: REFERENCE, style: "date", format: "yyyy" });
    expect(both.kind).toBe("bad-arguments");
    for (const locale of ["xx-Invented-locale", "e\0", "en-u-nu-thai-ca-buddhist"])
      expect((await failure("time.format", { time: REFERENCE, locale })).kind).toMatch(/unknown-locale|bad-arguments/);
    expect((await failure("time.format", { time: "whenever" })).kind).toBe("unreadable-time");
  });
});

describe("time.add and time.diff", () => {
  it("add by the calendar of the zone, hours exactly", async () => {
    const add = async (args: object): Promise<string> =>
      (
        (await call("time.add", { time: "2026-03-28T12:00:00+01:00", timezone: "Europe/Berlin", ...args })) as {
          iso: string;
        }
      ).iso;
    expect(await add({ days: 1 })).toBe("2026-03-29T12:00:00.000+02:00");
    expect(await add({ hours: 24 })).toBe("2026-03-29T13:00:00.000+02:00");
    expect(await add({ years: -1, months: -1 })).toBe("2025-02-28T12:00:00.000+01:00");
    expect(await add({})).toBe("2026-03-28T12:00:00.000+01:00");
  });

  it("are each other's inverse", async () => {
    for (const unit of ["years", "months", "weeks", "days", "hours", "minutes", "seconds"]) {
      const { iso } = (await call("time.add", { time: REFERENCE, [unit]: 7 })) as { iso: string };
      expect(await call("time.diff", { from: REFERENCE, to: iso, unit })).toMatchObject({ value: 7, whole: 7 });
      expect(await call("time.diff", { from: iso, to: REFERENCE, unit })).toMatchObject({ whole: -7 });
    }
  });

  it("counts parts of a unit", async () => {
    expect(await call("time.diff", { from: 0, to: 90_000, unit: "minutes" })).toEqual({
      value: 1.5,
      whole: 1,
      ms: 90_000,
    });
  });

  it("refuse what is no time or leaves the calendar", async () => {
    expect((await failure("time.add", { time: REFERENCE, years: 9_000 })).kind).toBe("out-of-range");
    expect((await failure("time.add", { time: REFERENCE, years: 10_000_000_000 })).kind).toBe("out-of-range");
    expect((await failure("time.add", { time: 1e300, days: 1 })).kind).toBe("out-of-range");
    expect((await failure("time.add", { time: REFERENCE, days: 1.5 })).kind).toBe("bad-arguments");
    expect((await failure("time.diff", { from: "x", to: REFERENCE, unit: "days" })).kind).toBe("unreadable-time");
  });
});

describe("time.sleep", () => {
  it("ends when the run does", async () => {
    const sleep = TIME_TOOLS.find(({ name }) => name === "time.sleep")!;
    const stop = new AbortController();
    const context = { signal: stop.signal, idempotencyKey: "k" } as Parameters<typeof sleep.execute>[1]; // it uses no host
    const sleeping = sleep.execute({ ms: 60_000 } as never, context); // the desk parses before it executes
    stop.abort(new Error("the run is over"));
    await expect(sleeping).rejects.toThrow("the run is over");
  });

  it("is not for long waits", async () => {
    expect((await failure("time.sleep", { ms: 60_001 })).kind).toBe("bad-arguments");
  });
});
