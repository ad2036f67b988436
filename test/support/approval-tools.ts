import { z } from "zod";
import { type AnyTool, defineTool } from "../../tool-bindings/define.ts";
import { released } from "./effect-tools.ts";

/** Every call that was really made, as `<tool>:<label>`. */
export const done: string[] = [];

const tool = (name: string, approval: "ask" | "always"): AnyTool =>
  defineTool({
    name,
    summary: `Does something a person must agree to (${approval}).`,
    input: z.strictObject({ label: z.string().min(1) }),
    effect: "once",
    approval,
    execute: async ({ label }) => {
      done.push(`${name}:${label}`);
      await released(label);
      return `did ${label}`;
    },
  });

export const APPROVAL_TOOLS: AnyTool[] = [tool("test.careful", "ask"), tool("test.grave", "always")];
