import { createHash } from "node:crypto";
import type { Decision, Question } from "./decision.ts";

/** What a tool does to the world, which decides what happens to a call that was interrupted (J4). */
export type Effect = "read" | "idempotent" | "once";

export interface CallRecord {
  key: string;
  tool: string;
  args: string;
  effect: Effect;
  /** Never made: refused as it stood, or (`overdrawn`) because the budget had no room for it. Counts as no call. */
  refused?: "unusable" | "overdrawn";
  /** The `CallReply` as JSON text; absent while the call has no result. */
  reply?: string;
  /** Its place among the replies of the cell, from 1. Replies are delivered in this order, also on replay. */
  ordinal?: number;
}

/**
 * The record of a cell's calls. Written by the desk alone (J5).
 *
 * `start` and `use` must be durable before the tool has an effect, and `finish` before its reply is delivered (J1).
 */
export interface Journal {
  find(key: string): Promise<CallRecord | undefined>;
  start(call: CallRecord): void;
  /** Puts a call to a person. The same call is asked about once. */
  ask(question: Question): void;
  /** What was decided about this very call and has not been used since. Counts before what was said of its tool. */
  decided(key: string): Decision | undefined;
  /** The arguments that a person put in place of the call's own, if one did. */
  edited(key: string): string | undefined;
  /** The call is about to be made. Uses up its approval: one more interruption is one more question (J4). */
  use(key: string): void;
  /** J2: the first result stays. Answers what is recorded, be it this one or an earlier. */
  finish(key: string, reply: string): Promise<{ reply: string; ordinal: number }>;
}

const MAX_KEY_ARGS = 200;

/** J3: a call is known by what it is, not by when it came. */
export function callKey(tool: string, args: string, occurrence: number): string {
  const id = args.length <= MAX_KEY_ARGS ? args : `sha256:${createHash("sha256").update(args).digest("hex")}`;
  return `${tool} ${id} ${occurrence}`;
}

/** JSON with sorted keys: equal arguments have equal text. */
export function canonical(value: unknown): string {
  return JSON.stringify(value, (_key, item: unknown) => {
    if (typeof item !== "object" || item === null || Array.isArray(item)) return item;
    const sorted: [string, unknown][] = Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1));
    return Object.fromEntries(sorted);
  });
}

/** J4: what to do with a call that was started and has no result. */
export const afterInterruption = (effect: Effect): "run-again" | "ask" => (effect === "once" ? "ask" : "run-again");
