import type { AnyTool, ToolContext } from "../../../tool-bindings/define.ts";
import { ToolFailure } from "../../../tool-bindings/define.ts";

export interface Failed {
  kind: string;
  message: string;
  data?: unknown;
}

/** Calls tools of a family as the desk does: arguments and results cross as JSON, and both are checked. */
export function caller(tools: readonly AnyTool[]) {
  async function call(name: string, args: unknown): Promise<unknown> {
    const tool = tools.find((candidate) => candidate.name === name);
    if (tool === undefined) throw new Error(`no tool ${name}`);
    const parsed = tool.input.safeParse(JSON.parse(JSON.stringify(args)));
    if (!parsed.success) throw new ToolFailure("bad-arguments", parsed.error.message);
    const context = { signal: new AbortController().signal, idempotencyKey: "k" } as ToolContext; // these families use no host
    const result: unknown = JSON.parse(JSON.stringify(await tool.execute(parsed.data, context)));
    tool.output?.parse(result);
    return result;
  }
  /** The failure of a call that must fail with one of the kinds the tools announce. */
  async function failure(name: string, args: unknown): Promise<Failed> {
    try {
      await call(name, args);
    } catch (error) {
      if (error instanceof ToolFailure) return { kind: error.kind, message: error.message, data: error.data };
      throw error;
    }
    throw new Error(`${name} did not fail`);
  }
  return { call, failure };
}

export const MEGABYTES_2 = 2_000_000;
/** A text of 2 MB made of one part. */
export const filled = (part: string): string => part.repeat(Math.floor(MEGABYTES_2 / part.length));
