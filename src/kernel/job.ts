import type { CellErrorKind, VariableInfo } from "../contract/cell.ts";

/**
 * What crosses between the host and a cell's isolate.
 *
 * Everything is plain data and text: values are encoded in the isolate that made them and the host never revives one, so
 * no object of a cell ever lives in the host.
 */
export interface CellJob {
  fuel: number;
  /** J6: the clock and the dice of the cell. Recorded with it, so a replay gets the same. */
  startedAt: number;
  seed: string;
  /** Encoded values of the variables it loads; a larger one comes through `DeskApi.load`, part by part. */
  variables: Record<string, { data: string } | { parts: number }>;
  limits: CellLimits;
  /** Set by the runner for code with an id: other runs share the isolate, and nothing of this one may stay behind in it. */
  isShared?: true;
}

export interface CellLimits {
  fuel: number;
  wallMs: number;
  logChars: number;
  calls: number;
  /** Bytes one cell may ask of the allocating built-ins in all. */
  allocBytes: number;
  resultChars: number;
  variableChars: number;
}

export const CELL_LIMITS: CellLimits = {
  fuel: 150_000_000, // about half a second of a tight loop here: well under the 2 s a cell may hold the thread
  wallMs: 120_000, // long enough for slow tools, short enough that a promise nobody settles is noticed
  logChars: 64_000,
  calls: 10_000,
  allocBytes: 256 * 1024 * 1024, // an isolate in production has 128 MB in all
  resultChars: 8 * 1024 * 1024,
  variableChars: 32 * 1024 * 1024, // one message between isolates holds 32 MiB
};

/** The most that one call may be given. */
export const MAX_ARGS_CHARS = 8 * 1024 * 1024;

/** Variables longer than this travel in parts, by a message each. */
export const PART_CHARS = 4 * 1024 * 1024;

/** The most that comes back from an isolate in one outcome. */
export const OUTCOME_LIMITS = {
  saved: 2_000,
  unsaved: 100, // the model is told of these, one by one
  reasonChars: 500,
  nameChars: 200,
  functions: 1_000, // in one variable
  valueChars: 256 * 1024, // of a cell's value: enough for what a run that runs out would show
  functionChars: 1024 * 1024, // of all functions in one variable: each is parsed again by the host
} as const;

export interface SavedVariable {
  name: string;
  /** Absent when it was sent in parts through `DeskApi.keep`. */
  data?: string;
  parts?: number;
  functions: string[];
  classes: string[];
  info: Pick<VariableInfo, "type" | "fields" | "format">;
}

export interface CellOutcome {
  /** The value's preview; absent when the cell has no last expression or it is undefined. */
  value?: string;
  /** The value itself, encoded; absent when it is longer than `OUTCOME_LIMITS.valueChars` or holds what can't be sent. */
  encoded?: string;
  /** Encoded `done` value. */
  done?: string;
  /** `kind` is set when the harness stopped the cell, else the cell threw. */
  error?: { kind?: CellErrorKind; name: string; message: string; stack: string };
  saved: SavedVariable[];
  unsaved: { name: string; reason: string }[];
}

/** The answer to a tool call. `at` moves the cell's clock. */
export type CallReply = { at: number } & (
  | { ok: true; value: unknown }
  | { ok: false; error: { kind: string; message: string; data?: unknown } }
);

/**
 * The only thing a cell's isolate is given (K3). All arguments are text, so nothing live can be smuggled in, and nothing
 * here writes to the journal other than by making a call (J5).
 */
export interface DeskApi {
  /** `args` is JSON text; answers a `CallReply` as JSON text. Never rejects for what a tool did. */
  call(tool: string, args: string): Promise<string>;
  log(text: string): Promise<void>;
  /** Part `part` of a variable that was too long for the job. */
  load(name: string, part: number): Promise<string>;
  keep(name: string, part: number, text: string): Promise<void>;
}
