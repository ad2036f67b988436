import { DateTime } from "luxon";
import { z } from "zod";
import { type AnyTool, defineTool } from "./define.ts";
import { add, diff } from "./time/arithmetic.ts";
import { format } from "./time/format.ts";
import { Instant, instantOf, knownZone, Timezone } from "./time/instant.ts";
import { parse } from "./time/parse.ts";

const MAX_SLEEP_MS = 60_000; // longer waits are for schedules, not for a cell that holds an isolate

export const sleep = defineTool({
  name: "time.sleep",
  summary: "Waits for some milliseconds.",
  description: "At most 60,000. For longer waits schedule a flow.",
  input: z.strictObject({ ms: z.number().min(0).max(MAX_SLEEP_MS).describe("milliseconds") }),
  output: z.null(),
  effect: "read",
  examples: [{ args: { ms: 1 }, result: null }],
  execute: async ({ ms }, { signal }) => {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
    });
    return null;
  },
});

export const now = defineTool({
  name: "time.now",
  summary: "Tells the present time in a time zone.",
  description: "Recorded with the run: a resumed run sees the time it saw before. Fails as `unknown-timezone`.",
  input: z.strictObject({ timezone: Timezone }),
  output: Instant,
  effect: "read",
  examples: [{ args: { timezone: "Asia/Tokyo" } }],
  execute: async ({ timezone }) => instantOf(DateTime.now().setZone(knownZone(timezone))),
});

export const TIME_TOOLS: readonly AnyTool[] = [now, parse, format, add, diff, sleep];
