import { createHash } from "node:crypto";
import {
  type AgentDefinition,
  type AgentTask,
  type PlanStep,
  type SubtaskView,
  type TaskFailure,
  uriOf,
  type Who,
} from "../src/contract/agent.ts";
import type { RegistryApi } from "../src/contract/coordinator.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { RunEvent } from "../src/contract/event.ts";
import { fail, type Failure, ok, type Result } from "../src/contract/failure.ts";
import { canonical } from "../src/orchestration/journal.ts";
import { checkPlan } from "../src/orchestration/plan.ts";
import { SPECIALISTS } from "../src/orchestration/specialists.ts";
import type { AgentsHost } from "../tool-bindings/host.ts";
import { schemaProblem } from "./result.ts";
import type { Stores } from "./stores.ts";
import type { SubtaskRow } from "./subtask-store.ts";
import type { Subtasks } from "./subtasks.ts";
import { prepareRows } from "./text-store.ts";
import { RESULTS_FOLDER } from "./workspace.ts";

/** Longer results stay in the run's workspace, and the cell gets the way to them: one message holds 32 MiB. */
export const INLINE_RESULT_CHARS = 4 * 1024 * 1024;

export interface AgentsHostOptions {
  run: string;
  stores: Stores;
  subtasks: Subtasks;
  registry: () => Pick<RegistryApi, "agents" | "defineAgent">;
  /** A definition that the library keeps as a capability. */
  capability: (name: string) => Promise<AgentDefinition | undefined>;
  bucket: R2Bucket;
  /** Where results lie that are too long for a message. */
  results: string;
  record: (event: RunEvent) => void;
  view: (subtask: string) => Promise<Result<SubtaskView>>;
}

/** A subtask as code asks for it. `depth`: how many agents asked for help on the way to it. */
export interface TaskOrder {
  who: Who;
  task: AgentTask;
  detached: boolean;
  depth?: number;
  /** The agent that asked for it. */
  asker?: string;
}

/** The `agents` family as one run of a coordinator has it. */
export interface RunAgents extends AgentsHost {
  open(order: TaskOrder, key: string): Promise<Result<{ id: string } | TaskFailure>>;
}

export function agentsHost(options: AgentsHostOptions): RunAgents {
  const { run, stores, subtasks } = options;

  const find = async (name: string): Promise<Result<AgentDefinition>> => {
    const stored = await options.registry().agents();
    const known = [...stored, ...SPECIALISTS];
    const found = known.find((definition) => definition.name === name);
    if (found !== undefined) return ok(found);
    const kept = await options.capability(name);
    if (kept !== undefined) return ok(kept);
    return fail({ kind: "unknown-agent", name, known: [...new Set(known.map((definition) => definition.name))] });
  };
  const resolve = (who: Who): Promise<Result<AgentDefinition>> =>
    typeof who === "string" ? find(who) : Promise.resolve(ok(who));

  /** `whole`: for another agent, which is handed all of it; a cell gets the way to what is too long for a message. */
  const outcomeOf = async (row: SubtaskRow, whole = false): Promise<unknown> => {
    const { result, partial } = await subtasks.outcome(row);
    if (result !== undefined)
      return !whole && result.length > INLINE_RESULT_CHARS ? asFile(row, result) : JSON.parse(result);
    const part = partial === undefined ? {} : { partial: JSON.parse(partial) as unknown };
    return { ...failureValue(row.failure ?? { kind: "cancelled" }, row.id), ...part };
  };

  const asFile = async (row: SubtaskRow, result: string): Promise<unknown> => {
    const name = `${row.id.slice(run.length + 1)}.json`;
    const path = RESULTS_FOLDER + name;
    await options.bucket.put(`${options.results}/${name}`, result);
    return {
      file: path,
      chars: result.length,
      note: `Too long for one message: JSON.parse(await files.read("${path}"))`,
    };
  };

  const host: RunAgents = {
    open: async ({ who, task, detached, depth = 1, asker }: TaskOrder, key) => {
      const definition = await resolve(who);
      if (!definition.ok) return definition;
      const fallback = await resolveFallback(task.fallback, { ...definition.value, ...settingsOf(task) }, resolve);
      if (!fallback.ok) return fallback;
      for (const { output } of [definition.value, task, fallback.value ?? {}]) {
        const problem = output === undefined ? undefined : schemaProblem(output);
        if (problem !== undefined) return fail({ kind: "bad-input", field: "output", problem });
      }
      const { task: text, data, retry, timeout, quorum } = task;
      const id = subtaskId(run, key);
      const refused = await subtasks.open({
        id,
        run,
        task: text,
        ...(data === undefined ? {} : { data }),
        detached,
        ...(asker === undefined ? {} : { asker }),
        order: {
          kind: "agent",
          definition: { ...definition.value, ...settingsOf(task) },
          ...(fallback.value === undefined ? {} : { fallback: { ...fallback.value, ...limitsOf(task) } }),
          attempts: { retry, timeout, quorum },
          depth,
        },
      });
      return ok(refused === undefined ? { id } : failureValue(refused));
    },
    openLlm: async (request, key) => {
      const id = subtaskId(run, key);
      await subtasks.open({
        id,
        run,
        task: request.prompt.slice(0, 500),
        order: { kind: "llm", request },
        detached: false,
      });
      return ok({ id });
    },
    outcome: async (subtask, signal) => outcomeOf(await subtasks.ended(subtask, signal)),
    view: async (subtask) => {
      // E1: a run knows its own subtasks only.
      const view = await options.view(subtask);
      return view.ok && view.value.run !== run ? fail({ kind: "unknown-subtask", id: subtask }) : view;
    },
    cancel: async (subtask) => {
      const view = await host.view(subtask);
      if (view.ok) await subtasks.cancel(subtask);
      return view.ok ? host.view(subtask) : view;
    },
    define: (definition) => options.registry().defineAgent(definition),
    list: async () => {
      const stored = await options.registry().agents();
      const names = new Set(stored.map(({ name }) => name));
      return [
        ...stored.map((definition) => shown(definition, "stored")),
        ...SPECIALISTS.filter(({ name }) => !names.has(name)).map((definition) => shown(definition, "built-in")),
      ];
    },
    plan: async (steps, key, signal) => {
      const checked = checkPlan(steps);
      if (!checked.ok) return checked;
      for (const { agent } of steps) {
        const known = await resolve(agent);
        if (!known.ok) return known;
      }
      return ok(await takeSteps(steps, key, signal));
    },
  } satisfies AgentsHost & { open(order: TaskOrder, key: string): Promise<Result<{ id: string } | TaskFailure>> };

  /** Steps that are as they were have the id they had, and so the output; one that failed in an earlier call is tried anew. */
  const takeSteps = async (steps: PlanStep[], key: string, signal: AbortSignal): Promise<Record<string, unknown>> => {
    const byId = new Map(steps.map((step) => [step.id, step]));
    const digests = new Map<string, string>();
    const digestOf = (step: PlanStep): string => {
      const known = digests.get(step.id);
      if (known !== undefined) return known;
      const needs = step.needs.map((need) => digestOf(byId.get(need)!));
      const digest = createHash("sha256")
        .update(canonical({ ...step, needs }))
        .digest("hex");
      digests.set(step.id, digest);
      return digest;
    };
    const keyOf = (step: PlanStep): string => {
      const plain = `plan:${digestOf(step)}`;
      const again = `${plain}:${key}`;
      const [first, second] = [plain, again].map((one) => stores.subtasks.find(subtaskId(run, one)));
      const hasFailed = first?.endedAt !== undefined && first.status !== "succeeded";
      const isThisCalls = stores.storage.kv.get(`planned:${subtaskId(run, plain)}`) === key;
      return second !== undefined || (hasFailed && !isThisCalls) ? again : plain;
    };
    const keys = new Map(steps.map((step) => [step.id, keyOf(step)]));
    await writePlan(steps, new Map([...keys].map(([id, one]) => [id, subtaskId(run, one)])));
    const taken = new Map<string, Promise<unknown>>();
    const take = (id: string): Promise<unknown> => {
      const known = taken.get(id) ?? takeStep(byId.get(id)!);
      taken.set(id, known);
      return known;
    };
    const takeStep = async ({ id, agent, needs, ...task }: PlanStep): Promise<unknown> => {
      const inputs = await Promise.all(needs.map(async (need) => [need, await take(need)] as const));
      const failed = inputs.find(([, output]) => isFailure(output));
      if (failed !== undefined)
        return { failure: { kind: "step-skipped", message: `The step ${failed[0]}, which ${id} needs, failed.` } };
      const own = task.data === undefined ? {} : { data: task.data };
      const data = needs.length === 0 ? task.data : ({ ...Object.fromEntries(inputs), ...own } as AgentTask["data"]);
      const opened = await host.open({ who: agent, task: { ...task, data }, detached: false }, keys.get(id)!);
      if (!opened.ok) return failureValue(opened.failure);
      if (!("id" in opened.value)) return opened.value;
      const { id: subtask } = opened.value;
      const mark = `planned:${subtask}`;
      if (stores.storage.kv.get(mark) === undefined) stores.storage.kv.put(mark, key);
      return outcomeOf(await subtasks.ended(subtask, signal), true);
    };
    const outputs = await Promise.all(steps.map(async ({ id }) => [id, await take(id)] as const));
    return Object.fromEntries(outputs.map(([id, output]) => [id, output]));
  };

  const writePlan = async (steps: PlanStep[], ids: Map<string, string>): Promise<void> => {
    const key = `plan:${run}`;
    const before = JSON.parse((await stores.texts.load(key)) ?? "null") as StoredPlan | null;
    const shownSteps = steps.map(({ id, agent, task, needs }) => ({
      id,
      agent: typeof agent === "string" ? agent : agent.name,
      task: task.slice(0, 500),
      needs,
      subtask: ids.get(id)!,
    }));
    if (before !== null && canonical(before.steps) === canonical(shownSteps)) return; // a replay writes nothing new
    const plan: StoredPlan = { revision: (before?.revision ?? 0) + 1, steps: shownSteps };
    stores.texts.write(key, prepareRows(JSON.stringify(plan)));
    const told = shownSteps.map(({ id, agent, needs }) => ({ id, agent, needs }));
    options.record({ type: "plan-written", revision: plan.revision, steps: told });
  };

  return host;
}

/** As it is kept under `plan:<run>`; how each step stands is in its subtask. */
export interface StoredPlan {
  revision: number;
  steps: { id: string; agent: string; task: string; needs: string[]; subtask: string }[];
}

export const subtaskId = (run: string, key: string): string =>
  `${run}.${createHash("sha256").update(key).digest("hex").slice(0, 16)}`;

const failureValue = (failure: Failure, subtask?: string): TaskFailure => ({
  failure: { kind: failure.kind, message: describeFailure(failure) },
  ...(subtask === undefined ? {} : { uri: uriOf(subtask) }),
});

const isFailure = (value: unknown): boolean =>
  typeof value === "object" &&
  value !== null &&
  "failure" in value &&
  typeof value.failure === "object" &&
  value.failure !== null &&
  "kind" in value.failure;

/** What a call says in place of its agent's definition. */
function settingsOf({ tier, model, tools, maxTurns, output, budget, retention }: AgentTask): Partial<AgentDefinition> {
  const given = { tier, model, tools, maxTurns, output, budget, retention };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

/** What a call demands of whoever does the task in the end. */
function limitsOf({ tools, maxTurns, output, budget, retention }: AgentTask): Partial<AgentDefinition> {
  const given = { tools, maxTurns, output, budget, retention };
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined));
}

async function resolveFallback(
  fallback: AgentTask["fallback"],
  definition: AgentDefinition,
  resolve: (who: Who) => Promise<Result<AgentDefinition>>,
): Promise<Result<AgentDefinition | undefined>> {
  if (fallback === undefined) return ok(undefined);
  if (typeof fallback === "string" || "name" in fallback) return resolve(fallback);
  const other = { ...definition, tier: fallback.tier };
  delete other.model; // it would take the tier's place
  return ok(other);
}

const shown = ({ name, role, maxTurns, tools }: AgentDefinition, kind: "built-in" | "stored") => ({
  name,
  role,
  kind,
  ...(maxTurns === undefined ? {} : { maxTurns }),
  ...(tools === undefined ? {} : { tools }),
});
