import { z } from "zod";
import { defineTool } from "./define.ts";

const MAX_SLEEP_MS = 60_000; // longer waits are for schedules, not for a cell that holds an isolate

export const sleep = defineTool({
  name: "time.sleep",
  summary: "Waits for some milliseconds.",
  input: z.strictObject({ ms: z.number().min(0).max(MAX_SLEEP_MS) }),
  effect: "read",
  execute: async ({ ms }, { signal }) => {
    await new Promise<void>((resolve, reject) => {
      const timer = setTimeout(resolve, ms);
      signal.addEventListener("abort", () => (clearTimeout(timer), reject(signal.reason as Error)), { once: true });
    });
    return null;
  },
});
