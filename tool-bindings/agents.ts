import { z } from "zod";
import {
  AGENT_LIMITS,
  AgentDefinition,
  AgentTask,
  parseSubtask,
  PlanStep,
  type SubtaskView,
  uriOf,
  Who,
} from "../src/contract/agent.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { Result } from "../src/contract/failure.ts";
import { RUN_STATUSES } from "../src/contract/goal.ts";
import { type AnyTool, defineTool, ToolFailure } from "./define.ts";
import type { AgentsHost, ToolHost } from "./host.ts";

const Reference = z
  .union([z.string().max(200), z.object({ uri: z.string().max(200) }).transform(({ uri }) => uri)])
  .describe("What agents.spawn gave");
const Failed = z.object({
  failure: z.object({ kind: z.string(), message: z.string() }),
  partial: z.unknown().exactOptional(),
  uri: z.string().exactOptional(),
});
/** A result is of any form. */
const Outcome = z.unknown();
const Standing = z.object({
  uri: z.string(),
  agent: z.string(),
  status: z.enum(RUN_STATUSES),
  progress: z.string().exactOptional(),
  turns: z.number(),
  tokens: z.number(),
  costUsd: z.number().nullable(),
  failure: z.object({ kind: z.string(), message: z.string() }).exactOptional(),
});
const FAILURE =
  "What goes wrong with it is its value: { failure: { kind, message }, partial?, uri }. Check r?.failure.";
const TASK_EXAMPLE = { who: "analyst", task: "Say what the text is about, in one word.", data: "…", retry: 1 };

/** G1: only a coordinator has them. */
function agentsOf(host: ToolHost): AgentsHost {
  if (host.agents !== undefined) return host.agents;
  throw new ToolFailure(
    "not-granted",
    "Only the coordinator starts agents. Call escalate({ need, why }): it decides, and its answer comes back to you.",
  );
}

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  throw new ToolFailure(result.failure.kind, describeFailure(result.failure));
}

const idOf = (reference: string): string => {
  const parsed = parseSubtask(reference);
  if (parsed === undefined)
    throw new ToolFailure("unknown-subtask", `"${reference.slice(0, 100)}" is no subtask:// address.`);
  return parsed.id;
};

const standingOf = ({
  uri,
  agent,
  status,
  progress,
  turns,
  usage,
  failure,
}: SubtaskView): z.infer<typeof Standing> => ({
  uri,
  agent,
  status,
  ...(progress === undefined ? {} : { progress }),
  turns,
  tokens: usage.input + usage.output + usage.cacheRead + usage.cacheWrite,
  costUsd: usage.costUsd,
  ...(failure === undefined ? {} : { failure }),
});

const call = defineTool({
  name: "agents.call",
  summary: "Gives a task to an agent of its own and waits for its result.",
  description: [
    "Write it agents.call(who, { task, data, … }). who: a name (agents.list shows them) or { name, role, persona, tier, tools, maxTurns, output }.",
    `Settings in the call take the place of the definition's. ${FAILURE}`,
    "retry, timeout, fallback and quorum say what happens then. Promise.all over many runs them side by side, as many as may be at once.",
  ].join("\n"),
  input: z.strictObject({ who: Who, ...AgentTask.shape }),
  output: Outcome,
  effect: "idempotent",
  waits: true,
  examples: [{ args: TASK_EXAMPLE, result: "weather" }],
  execute: async ({ who, ...task }, { host, idempotencyKey, signal }) => {
    const agents = agentsOf(host);
    const opened = valueOf(await agents.open({ who, task, detached: false }, idempotencyKey));
    return "id" in opened ? agents.outcome(opened.id, signal) : opened;
  },
});

const spawn = defineTool({
  name: "agents.spawn",
  summary: "Starts a task in the background and gives its subtask:// address at once.",
  description:
    "Write it agents.spawn(who, { task, data, … }), as agents.call. It ends with the run unless detached: true. agents.result(uri) waits for it.",
  input: z.strictObject({ who: Who, ...AgentTask.shape, detached: z.boolean().default(false) }),
  output: z.union([z.object({ uri: z.string() }), Failed]),
  effect: "idempotent",
  examples: [{ args: { ...TASK_EXAMPLE, detached: false }, result: { uri: "subtask://s-1.r1.t1" } }],
  execute: async ({ who, detached, ...task }, { host, idempotencyKey }) => {
    const opened = valueOf(await agentsOf(host).open({ who, task, detached }, idempotencyKey));
    return "id" in opened ? { uri: uriOf(opened.id) } : opened;
  },
});

const status = defineTool({
  name: "agents.status",
  summary: "Tells how a subtask stands: state, progress, turns, usage.",
  input: z.strictObject({ uri: Reference }),
  output: Standing,
  effect: "read",
  examples: [{ args: { uri: "subtask://s-1.r1.t1" } }],
  execute: async ({ uri }, { host }) => standingOf(valueOf(await agentsOf(host).view(idOf(uri)))),
});

const result = defineTool({
  name: "agents.result",
  summary: "Waits for a subtask and gives its result.",
  description: FAILURE,
  input: z.strictObject({ uri: Reference }),
  output: Outcome,
  effect: "read",
  waits: true,
  examples: [{ args: { uri: "subtask://s-1.r1.t1" } }],
  execute: async ({ uri }, { host, signal }) => {
    const agents = agentsOf(host);
    const id = idOf(uri);
    valueOf(await agents.view(id));
    return agents.outcome(id, signal);
  },
});

const cancel = defineTool({
  name: "agents.cancel",
  summary: "Stops a subtask; one that has ended stays as it is.",
  input: z.strictObject({ uri: Reference }),
  output: Standing,
  effect: "idempotent",
  examples: [{ args: { uri: "subtask://s-1.r1.t1" } }],
  execute: async ({ uri }, { host }) => standingOf(valueOf(await agentsOf(host).cancel(idOf(uri)))),
});

const define = defineTool({
  name: "agents.define",
  summary: "Stores an agent definition under its name, for this and later runs.",
  description: "Write it agents.define({ name, role, … }). A definition of the same name is replaced.",
  input: AgentDefinition,
  output: z.object({ name: z.string() }),
  effect: "idempotent",
  examples: [{ args: { name: "tagger", role: "Gives a text one tag.", tier: "small", tools: [], maxTurns: 3 } }],
  execute: async (definition, { host }) => ({ name: valueOf(await agentsOf(host).define(definition)).name }),
});

const list = defineTool({
  name: "agents.list",
  summary: "Lists the agents that can be called by name: built in and stored.",
  input: z.strictObject({}),
  output: z.array(
    z.object({
      name: z.string(),
      role: z.string(),
      kind: z.enum(["built-in", "stored"]),
      maxTurns: z.number().exactOptional(),
      tools: z.array(z.string()).exactOptional(),
    }),
  ),
  effect: "read",
  examples: [{ args: {} }],
  execute: async (_, { host }) => agentsOf(host).list(),
});

const plan = defineTool({
  name: "agents.plan",
  summary: "Writes down a plan of steps for agents, takes them, and gives the outputs by step id.",
  description: [
    "Write it agents.plan([{ id, agent, task, needs, data }]). Steps that need nothing of one another run side by side.",
    "A step's data holds the outputs of the steps it needs, by id, and its own data as `data`. They pass from agent to agent by reference.",
    `Called again with other steps it revises the plan: steps that are as they were keep their outputs. ${FAILURE} Steps that need a failed one are not taken.`,
  ].join("\n"),
  input: z.strictObject({ steps: z.array(PlanStep).min(1).max(AGENT_LIMITS.planSteps) }),
  output: Outcome,
  effect: "idempotent",
  waits: true,
  examples: [
    {
      args: {
        steps: [
          { id: "facts", agent: "researcher", task: "List the facts in data.", needs: [], retry: 0, data: "…" },
          { id: "text", agent: "writer", task: "Write a paragraph from the facts.", needs: ["facts"], retry: 0 },
        ],
      },
    },
  ],
  execute: async ({ steps }, { host, idempotencyKey, signal }) =>
    valueOf(await agentsOf(host).plan(steps, idempotencyKey, signal)),
});

const escalate = defineTool({
  name: "agents.escalate",
  summary: "Asks the coordinator for help that this agent can't give itself, and waits for the answer.",
  description:
    "Write it escalate({ need, why }). The coordinator decides: it answers, starts a specialist and hands you its result, or declines with { failure }.",
  input: z.strictObject({
    need: z.string().min(1).max(AGENT_LIMITS.taskChars).describe("What is needed"),
    why: z.string().min(1).max(4_000).describe("Why you can't do it yourself"),
    data: z.json().optional().describe("What it is about"),
  }),
  output: Outcome,
  effect: "idempotent",
  waits: true,
  examples: [{ args: { need: "The current population of Oslo", why: "I have no tool that reaches the web." } }],
  execute: async (request, { host, idempotencyKey, signal }) => {
    if (host.escalate === undefined)
      throw new ToolFailure("not-granted", "You are the coordinator: there is nobody above you. Use agents.call.");
    return host.escalate(request, idempotencyKey, signal);
  },
});

export const AGENT_TOOLS: readonly AnyTool[] = [call, spawn, status, result, cancel, define, list, plan, escalate];
