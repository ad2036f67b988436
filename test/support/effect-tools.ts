import { z } from "zod";
import { type AnyTool, defineTool, type ToolContext, ToolFailure } from "../../tool-bindings/define.ts";

/** What the tools did, for all tests in this runtime: `<effect>:<label>` or `<effect>:<label>:<key>`. */
export const effects: string[] = [];
/** Each time a tool was executed: the key of the call, which names its run and cell too, and the value it was given. */
export const executions: { key: string; value?: unknown }[] = [];
/** Labels of calls that have no reply as long as they are in here. */
export const held = new Set<string>();

/** A point in a run: its n-th effect, which has no reply yet; or its n-th reply, which is the last one let through. */
export type Point = { effect: number } | { reply: number };

let stop: { at: Point; effects: number; replies: number; isReached: boolean } | undefined;
const forever = (): Promise<never> => new Promise(() => {});

/** From that point on no call has a reply until `goOn`. Answers a look at whether it is reached. */
export function stopAt(at: Point): () => boolean {
  const mine = { at, effects: 0, replies: 0, isReached: false };
  stop = mine;
  return () => mine.isReached;
}

/** For calls that come later: those that were stopped stay so, and end with their object. */
export const goOn = (): void => void (stop = undefined);

async function effectHappened(): Promise<void> {
  if (stop === undefined || !("effect" in stop.at) || ++stop.effects < stop.at.effect) return;
  stop.isReached = true;
  await forever();
}

async function replyIsReady(): Promise<void> {
  if (stop === undefined) return;
  if ("effect" in stop.at ? stop.effects >= stop.at.effect : ++stop.replies > stop.at.reply) await forever();
  else if ("reply" in stop.at && stop.replies === stop.at.reply) stop.isReached = true;
}

/** Labels of calls that had a reply, for those that come after them. */
export const replied = new Set<string>();
/** Looks again and again: a promise that another object settles would go on in that object. */
const until = async (isSo: () => boolean): Promise<void> => {
  while (!isSo()) await new Promise((resolve) => setTimeout(resolve, 1));
};

/** For tools elsewhere whose calls can be held by their label. */
export const released = (label: string): Promise<void> => until(() => !held.has(label));

const Input = z.strictObject({
  /** Unique to the test. */
  label: z.string(),
  /** What it answers; else its label. */
  value: z.json().optional(),
  ms: z.number().optional(),
  /** It has no reply before the call with that label has one. */
  after: z.string().optional(),
});

const tool = (effect: "read" | "idempotent" | "once"): AnyTool =>
  defineTool({
    name: `test.${effect}`,
    summary: `Counts one ${effect} effect.`,
    input: Input,
    effect,
    execute: async ({ label, value, ms, after }, { idempotencyKey }: ToolContext) => {
      effects.push(effect === "idempotent" ? `${effect}:${label}:${idempotencyKey}` : `${effect}:${label}`);
      executions.push({ key: idempotencyKey, value });
      await effectHappened();
      await until(() => !held.has(label) && (after === undefined || replied.has(after)));
      if (ms !== undefined) await new Promise((resolve) => setTimeout(resolve, ms));
      await replyIsReady();
      replied.add(label);
      return value === undefined ? label : value;
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
  input: z.strictObject({ chars: z.int(), fill: z.string().optional() }),
  effect: "read",
  execute: async ({ chars, fill }, { idempotencyKey }) => {
    executions.push({ key: idempotencyKey });
    return "x".padEnd(chars, fill ?? "x");
  },
});

export const EFFECT_TOOLS: AnyTool[] = [tool("read"), tool("idempotent"), tool("once"), failing, big];
