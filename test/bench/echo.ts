import { z } from "zod";
import { defineTool } from "../../tool-bindings/define.ts";

/** As trivial as codemode's: what is measured is the call, not the tool. */
export const echo = defineTool({
  name: "bench.echo",
  summary: "Answers what it was given.",
  input: z.strictObject({ n: z.number() }),
  effect: "read",
  execute: async ({ n }) => n,
});
