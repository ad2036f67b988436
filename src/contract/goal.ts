import { z } from "zod";
import { CELL_API } from "./cell.ts";
import { Duration } from "./duration.ts";
import type { Failure } from "./failure.ts";
import type { TokenUsage } from "./model.ts";
import type { Spent } from "./usage.ts";

export const LIMITS = {
  bodyBytes: 8 * 1024 * 1024, // one request; larger data belongs in a file the run fetches
  goalChars: 32_000,
  inputs: 100,
  jsonDepth: 64,
  waitSeconds: 300,
  listPage: 200,
} as const;

const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*$/;
// prettier-ignore
const RESERVED_WORDS = new Set(["await","break","case","catch","class","const","continue","debugger","default","delete","do","else","enum","export","extends","false","finally","for","function","if","implements","import","in","instanceof","interface","let","new","null","package","private","protected","public","return","static","super","switch","this","throw","true","try","typeof","var","void","while","with","yield","eval","arguments","undefined","NaN","Infinity","globalThis","console"]);

export const VariableName = z
  .string()
  .max(64)
  .regex(IDENTIFIER, "must be a JavaScript identifier")
  .refine((name) => !RESERVED_WORDS.has(name), "is a reserved word")
  .refine((name) => !(CELL_API as readonly string[]).includes(name), "is a name of the cell API")
  .refine((name) => !name.startsWith("$px") && name !== "__proto__", "is reserved");

export const SessionName = z.string().regex(/^[A-Za-z0-9_-]{1,64}$/, "must be 1 to 64 letters, digits, '-' or '_'");

export const Budget = z
  .strictObject({
    turns: z.int().min(1).max(200),
    tokens: z.int().min(1),
    /** US dollars. */
    cost: z.number().positive(),
    cells: z.int().min(1).max(1000),
    calls: z.int().min(1).max(100_000),
    agents: z.int().min(0).max(10_000),
    seconds: z.int().min(1).max(86_400),
  })
  .partial();
export type Budget = z.infer<typeof Budget>;

export const GoalRequest = z.strictObject({
  goal: z
    .string()
    .max(LIMITS.goalChars)
    .refine((text) => /[\p{L}\p{N}\p{P}\p{S}]/u.test(text), "must not be empty"),
  mode: z.enum(["auto"]).optional(),
  inputs: z
    .record(VariableName, z.json())
    .refine((inputs) => Object.keys(inputs).length <= LIMITS.inputs, `must hold at most ${LIMITS.inputs} names`)
    .optional(),
  session: SessionName.optional(),
  budget: Budget.optional(),
  /** `auto` approves beforehand what tools mark as `ask`; never what they mark as `always`. */
  approvals: z.enum(["auto", "ask"]).optional(),
  /** How long the storage of its sub-agents is kept after their end: `7d`, `0s`. */
  retention: Duration.optional(),
});
export type GoalRequest = z.infer<typeof GoalRequest>;

export const RUN_STATUSES = ["queued", "running", "waiting", "succeeded", "failed", "cancelled", "exhausted"] as const;
export type RunStatus = (typeof RUN_STATUSES)[number];

export const isEnded = (status: RunStatus): boolean =>
  status === "succeeded" || status === "failed" || status === "cancelled" || status === "exhausted";

/** Something only a person can decide; the run is `waiting` until then. */
export interface PendingDecision {
  id: string;
  /** The sub-agent that asks; its parent when left out. */
  agent?: string;
  on: "interrupted-call" | "approval" | "question";
  tool: string;
  args: unknown;
  /** Of the arguments. An answer that names another one is about something else, and refused as stale. */
  digest: string;
  why: string;
  /** What each answer does. */
  choices: Record<string, string>;
  /** For a question with limited answers: these. */
  options?: string[];
  askedAt: string;
  /** Without an answer by then it counts as refused. */
  expiresAt: string;
}

const Digest = z.string().max(64).optional();
export const DecisionAnswer = z.union([
  z.strictObject({
    decision: z.enum(["approve", "reject"], {
      error: 'must be "approve" or "reject"; a question is answered with answer instead',
    }),
    note: z.string().max(2_000).optional(),
    /** In place of the arguments that were shown. */
    args: z.json().optional(),
    /** `run`: calls of this tool are approved for the rest of the run. */
    remember: z.enum(["run"], { error: 'must be "run", or left out' }).optional(),
    digest: Digest,
  }),
  z.strictObject({
    answer: z
      .string()
      .max(20_000)
      .refine((text) => text.trim() !== "", "must not be empty"),
    digest: Digest,
  }),
]);
export type DecisionAnswer = z.infer<typeof DecisionAnswer>;

export interface Usage extends TokenUsage {
  modelCalls: number;
  costUsd: number | null;
  turns: number;
  cells: number;
  calls: number;
  /** Sub-agents started. */
  agents: number;
}

/** The steps a coordinator set out to take, as they stand. */
export interface PlanView {
  /** How often it was written: the first time is 1. */
  revision: number;
  steps: { id: string; agent: string; task: string; needs: string[]; status: RunStatus; subtask?: string }[];
}

export interface RunView {
  id: string;
  session: string;
  goal: string;
  status: RunStatus;
  waitingOn?: PendingDecision[];
  result?: unknown;
  failure?: { kind: Failure["kind"]; message: string };
  /** What it may spend in all. */
  budget: Budget;
  /** Of the run and all its sub-agents; turns and cells are of its own loop, as those of an agent are in its view. */
  usage: Usage;
  /** Of the coordinator alone. */
  own: Spent;
  /** Sub-agents by status. */
  agents?: Partial<Record<RunStatus, number>>;
  plan?: PlanView;
  model?: string;
  createdAt: string;
  startedAt?: string;
  endedAt?: string;
  links: Record<string, string>;
}

export interface RunSummary {
  id: string;
  session: string;
  goal: string;
  status: RunStatus;
  createdAt: string;
  endedAt?: string;
}

/** `<session>.<suffix>`: the id alone names the object that owns the run. */
export const sessionOf = (runId: string): string | undefined => {
  const dot = runId.lastIndexOf(".");
  const session = runId.slice(0, dot);
  return dot > 0 && SessionName.safeParse(session).success && /^[a-z0-9]{1,32}$/.test(runId.slice(dot + 1))
    ? session
    : undefined;
};
