import type { z } from "zod";
import type { Effect } from "../src/orchestration/journal.ts";
import type { ToolHost } from "./host.ts";

export interface ToolContext {
  signal: AbortSignal;
  /** The same at every attempt of the same call: an `idempotent` tool hands it on. */
  idempotencyKey: string;
  /** What the agent's object lends to its tools. */
  host: ToolHost;
}

/** A tool that could not do what it was asked. The cell sees it as a thrown ToolError. */
export class ToolFailure extends Error {
  readonly kind: string;
  readonly data: unknown;
  constructor(kind: string, message: string, data?: unknown) {
    super(message);
    this.kind = kind;
    this.data = data;
  }
}

/**
 * The call can't go on for now: something inside it waits for a person. It has no result, and is made again when its cell is
 * replayed: what it did until now is recorded, and it goes on from there.
 */
export class Suspended extends Error {}

/**
 * Whether a person must agree before it runs. `ask`: unless the goal was submitted with `approvals: "auto"`. `always`:
 * whatever was said at submission.
 */
export type Approval = "never" | "ask" | "always";

/** One record says all there is to say about a tool: validation, declaration, docs and catalogue entry follow from it. */
export interface Tool<Input = never, Output = unknown> {
  /** `family.tool` */
  name: string;
  /** One line: what search shows. */
  summary: string;
  /** What a caller must know beyond the types: limits, failures by kind, what comes back. */
  description?: string;
  input: z.ZodType<Input>;
  output?: z.ZodType<Output>;
  /** What it does to the world, which decides what happens when it is interrupted (J4). */
  effect: Effect;
  approval?: Approval;
  /** Its result is what a person says; `execute` is not called. */
  answeredBy?: "person";
  /** It lasts as long as others take: a cell that waits for it is not late. */
  waits?: true;
  /** What an agent must be granted to call it; its family when left out. */
  grant?: string;
  /** Throws a ToolFailure for a call that can't be made as things are: nobody is asked about it then. Without any effect. */
  check?(args: Input, context: ToolContext): void;
  examples?: { args: Input; result?: Output; note?: string }[];
  execute(args: Input, context: ToolContext): Promise<Output>;
  /** Takes back what a call did. */
  undo?(args: Input, result: Output, context: ToolContext): Promise<void>;
}

/** Input of every shape: the desk validates before it executes, so a catalogue may hold them all. */
export type AnyTool = Tool<never, unknown>;

export const defineTool = <Input, Output>(tool: Tool<Input, Output>): AnyTool => tool as unknown as AnyTool; // the desk restores the type by parsing

export const grantOf = (tool: AnyTool): string => tool.grant ?? tool.name.slice(0, tool.name.indexOf("."));
