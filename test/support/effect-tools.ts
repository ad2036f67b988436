import { z } from "zod";
import { type AnyTool, defineTool, ToolFailure } from "../../tool-bindings/define.ts";

/** What the tools did, for all tests in this runtime: `<effect>:<label>` or `<effect>:<label>:<key>`. */
export const effects: string[] = [];
/** Calls that wait until a test lets them go, by label. */
export const gates = new Map<string, Promise<void>>();

const Input = z.strictObject({ label: z.string(), value: z.json().optional(), ms: z.number().optional() });

const tool = (effect: "read" | "idempotent" | "once"): AnyTool =>
  defineTool({
    name: `test.${effect}`,
    summary: `Counts one ${effect} effect.`,
    input: Input,
    effect,
    execute: async ({ label, value, ms }, { idempotencyKey }) => {
      effects.push(effect === "idempotent" ? `${effect}:${label}:${idempotencyKey}` : `${effect}:${label}`);
      await gates.get(label);
      if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms));
      return value ?? label;
    },
  });

const failing = defineTool({
  name: "test.fail",
  summary: "Fails as a tool does.",
  input: z.strictObject({ kind: z.string() }),
  effect: "read",
  execute: async ({ kind }) => {
    throw new ToolFailure(kind, `It failed with ${kind}.`, { kind });
  },
});

const big = defineTool({
  name: "test.big",
  summary: "Answers a text of some length.",
  input: z.strictObject({ chars: z.int() }),
  effect: "read",
  execute: async ({ chars }) => "x".repeat(chars),
});

export const EFFECT_TOOLS: AnyTool[] = [tool("read"), tool("idempotent"), tool("once"), failing, big];
