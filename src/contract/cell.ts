/** Names the cell API owns: an input or a top-level declaration may not take one. */
export const CELL_API = [
  "tools",
  "agents",
  "llm",
  "library",
  "memory",
  "files",
  "board",
  "escalate",
  "self",
  "human",
  "flows",
  "done",
] as const;

/** Tools whose calls last as long as others take. They must not keep a cell's other calls waiting. */
export const WAITING_TOOLS = ["agents.call", "agents.result", "agents.plan", "agents.escalate", "human.ask"] as const;

/**
 * What went wrong in a cell, as a model is told of it.
 *
 * `line` and `column` are those of the cell as the model wrote it, 1-based.
 */
export interface CellError {
  kind: CellErrorKind;
  message: string;
  line?: number;
  column?: number;
  /** What to do next, in one sentence. */
  hint: string;
}

export const CELL_ERROR_KINDS = [
  "syntax", // does not parse
  "forbidden", // parses, but uses what a cell may not (import, a reserved name)
  "thrown", // an exception left the cell
  "fuel", // computed too long
  "timeout", // waited too long
  "memory", // asked for too much memory at once
  "output", // its result is too large
  "logs", // it logged too much
  "result", // its done(value) does not fit what was asked for
  "calls", // made too many tool calls
  "hung", // froze the runtime; it is not run again
  "lost", // its isolate went away
] as const;
export type CellErrorKind = (typeof CELL_ERROR_KINDS)[number];

/** A variable as prompts and lists show it: never its value. */
export interface VariableInfo {
  name: string;
  /** TypeScript-like, bounded: `{ name: string, age: number }[]`, `string`, `Map<string, number>`. */
  type: string;
  /** Bytes as stored. */
  size: number;
  /** Column or property names of a table-like value: a CSV text, an array of objects, an object. */
  fields?: string[];
  /** For text, what it reads as. */
  format?: "csv" | "json" | "markdown" | "text";
}

/** The answer to `run_code`, as JSON text, and what `GET …/cells` shows. */
export interface CellAnswer {
  /** Bounded preview of the last expression's value. */
  value?: string;
  logs?: string[];
  /** What this cell declared or changed. */
  variables?: VariableInfo[];
  /** Variables that could not be kept, by name, with the reason (K4). */
  unsaved?: { name: string; reason: string }[];
  error?: CellError;
  /** Set when the cell called `done(value)`. */
  done?: true;
}

export interface CellView {
  cell: number;
  turn: number;
  code: string;
  status: "running" | "succeeded" | "failed";
  answer?: CellAnswer;
  startedAt: string;
  endedAt?: string;
}
