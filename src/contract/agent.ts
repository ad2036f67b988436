import { z } from "zod";
import { Duration } from "./duration.ts";
import { Budget, type RunStatus, type Usage } from "./goal.ts";
import { ModelId, TIERS } from "./model.ts";

/** Limits of what a definition or a call may ask for. */
export const AGENT_LIMITS = {
  roleChars: 4_000, // it stands in every prompt of the agent
  taskChars: 32_000, // as long as a goal
  grants: 100,
  maxTurns: 100,
  retry: 5,
  copies: 9, // of one task, for a quorum
  planSteps: 50,
  definitions: 1_000, // a tenant may store
} as const;

export const AgentName = z
  .string()
  .regex(/^[A-Za-z0-9][A-Za-z0-9 _-]{0,63}$/, "must be 1 to 64 letters, digits, blanks, '-' or '_'");

/** A family (`http`), one tool (`http.get`), or all the parent has (`*`). */
export const Grant = z.string().regex(/^(\*|[a-z]+(\.[A-Za-z]+)?)$/, "must be a family, a tool name or *");

const JsonSchema = z.record(z.string(), z.json());

const settings = {
  /** `auto`: chosen by the size of the task, see `chooseTier`. */
  tier: z.enum([...TIERS, "auto"]).optional(),
  /** A model by its id, whatever the tier says. */
  model: ModelId.optional(),
  /** What it may call, of what its parent may. Unset: all of that. */
  tools: z.array(Grant).max(AGENT_LIMITS.grants).optional(),
  maxTurns: z.int().min(1).max(AGENT_LIMITS.maxTurns).optional(),
  /** JSON Schema of its result. */
  output: JsonSchema.optional(),
  budget: Budget.optional(),
  /** How long its storage is kept after its end. */
  retention: Duration.optional(),
};

/** A kind of agent. What is unset is inherited from the parent. */
export const AgentDefinition = z.strictObject({
  name: AgentName,
  role: z.string().min(1).max(AGENT_LIMITS.roleChars),
  persona: z.string().max(AGENT_LIMITS.roleChars).optional(),
  ...settings,
});
export type AgentDefinition = z.infer<typeof AgentDefinition>;

/** A name of a stored or built-in definition, or a definition. */
export const Who = z.union([AgentName, AgentDefinition], {
  error: "must be an agent's name, or a definition with at least name and role and no unknown field",
});
export type Who = z.infer<typeof Who>;

export const Quorum = z
  .union([
    z.int().min(2).max(5),
    z.strictObject({ agree: z.int().min(2), of: z.int().min(2).max(AGENT_LIMITS.copies) }),
  ])
  .transform((quorum) => (typeof quorum === "number" ? { agree: quorum, of: 2 * quorum - 1 } : quorum))
  .refine(({ agree, of }) => agree <= of, "agree must not be more than of");

export const AgentTask = z.strictObject({
  task: z.string().min(1).max(AGENT_LIMITS.taskChars).describe("What it is to do, in words"),
  data: z.json().optional().describe("Becomes its variable data; never part of a prompt"),
  ...settings,
  retry: z.int().min(0).max(AGENT_LIMITS.retry).default(0).describe("How often it is tried again after a failure"),
  timeout: z.number().positive().max(86_400).optional().describe("Seconds an attempt may take"),
  fallback: z
    .union([Who, z.strictObject({ tier: z.enum(TIERS) })])
    .optional()
    .describe("Another agent, or a tier, when all tries failed"),
  quorum: Quorum.optional().describe("{ agree, of }: so many equal answers of so many copies"),
});
export type AgentTask = z.infer<typeof AgentTask>;

export const PlanStep = z.strictObject({
  id: z
    .string()
    .regex(/^[A-Za-z][A-Za-z0-9_-]{0,39}$/, "must be a short name")
    .refine((id) => id !== "data", "is the name of a step's own data"),
  agent: Who,
  ...AgentTask.shape,
  needs: z.array(z.string()).max(AGENT_LIMITS.planSteps).default([]).describe("Ids of steps whose outputs it works on"),
});
export type PlanStep = z.infer<typeof PlanStep>;

/** What a parent gets in place of a result. Never thrown: one child that fails must not cost the others. */
export interface TaskFailure {
  failure: { kind: string; message: string };
  /** What it had when it ended. */
  partial?: unknown;
  uri?: string;
}

/** One agent: an attempt at a subtask. */
export interface AgentView {
  id: string;
  subtask: string;
  name: string;
  attempt: number;
  status: RunStatus;
  tier: string;
  /** Why this tier. */
  reason: string;
  model?: string;
  progress?: string;
  usage: Usage;
  failure?: { kind: string; message: string };
  startedAt?: string;
  endedAt?: string;
}

/** The `subtask://` resource. */
export interface SubtaskView {
  id: string;
  uri: string;
  run: string;
  kind: "agent" | "llm";
  agent: string;
  task: string;
  status: RunStatus;
  progress?: string;
  turns: number;
  usage: Usage;
  result?: unknown;
  /** What it had when it failed. */
  partial?: unknown;
  failure?: { kind: string; message: string };
  detached?: true;
  attempts: AgentView[];
  createdAt: string;
  startedAt?: string;
  endedAt?: string;
  links: Record<string, string>;
}

const URI = "subtask://";
export const uriOf = (subtask: string): string => URI + subtask;

/** `<session>.<run>.<task>`: the id alone names the object that owns the subtask. */
export function parseSubtask(text: string): { id: string; run: string; session: string } | undefined {
  const id = text.startsWith(URI) ? text.slice(URI.length) : text;
  const parts = /^([A-Za-z0-9_-]{1,64})\.([a-z0-9]{1,32})\.([a-z0-9]{1,32})$/.exec(id);
  return parts === null ? undefined : { id, session: parts[1]!, run: `${parts[1]}.${parts[2]}` };
}
