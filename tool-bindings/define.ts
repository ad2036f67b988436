import type { z } from "zod";
import type { Effect } from "../src/orchestration/journal.ts";

export interface ToolContext {
  signal: AbortSignal;
  /** The same at every attempt of the same call: an `idempotent` tool hands it on. */
  idempotencyKey: string;
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

/** One record says all there is to say about a tool. */
export interface Tool<Input = never, Output = unknown> {
  /** `family.tool` */
  name: string;
  summary: string;
  input: z.ZodType<Input>;
  effect: Effect;
  execute(args: Input, context: ToolContext): Promise<Output>;
}

/** Input of every shape: the desk validates before it executes, so a catalogue may hold them all. */
export type AnyTool = Tool<never, unknown>;

export const defineTool = <Input, Output>(tool: Tool<Input, Output>): AnyTool => tool as unknown as AnyTool; // the desk restores the type by parsing
