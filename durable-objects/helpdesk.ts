/**
 * What a coordinator does when one of its agents asks for help (G1): it answers, starts a specialist, or declines. The answer
 * flows back to the one that asked.
 *
 * Decides by rule where the need names an agent, else by one small model call, and by rule again where no model can say. Holds
 * nothing: a decision is a cached model call and a subtask by the escalation's own key, so asking again gives the same.
 */
import { z } from "zod";
import { describeFailure } from "../src/contract/describe.ts";
import type { RunEvent } from "../src/contract/event.ts";
import type { Failure, Result } from "../src/contract/failure.ts";
import { SPECIALISTS, specialistFor } from "../src/orchestration/specialists.ts";
import type { HelpRequest } from "../tool-bindings/host.ts";
import type { LlmRequest } from "../tool-bindings/llm.ts";
import type { RunAgents } from "./agents-host.ts";
import type { Stores } from "./stores.ts";

const MAX_DEPTH = 3; // agents that asked for help on behalf of one another; more of them go in circles

export interface HelpdeskHost {
  stores: Stores;
  agents: (run: string) => RunAgents;
  ask: (run: string, request: LlmRequest, signal: AbortSignal) => Promise<Result<unknown>>;
  record: (run: string, event: RunEvent) => void;
}

const Choice = z.discriminatedUnion("decision", [
  z.object({ decision: z.literal("spawn"), agent: z.string(), task: z.string().min(1).max(32_000) }),
  z.object({ decision: z.literal("answer"), answer: z.string().min(1) }),
  z.object({ decision: z.literal("decline"), reason: z.string().min(1) }),
]);
type Choice = z.infer<typeof Choice>;

export class Helpdesk {
  readonly #host: HelpdeskHost;

  constructor(host: HelpdeskHost) {
    this.#host = host;
  }

  async help(agent: string, request: HelpRequest, key: string): Promise<unknown> {
    const { subtasks } = this.#host.stores;
    const asker = subtasks.agent(agent);
    const subtask = asker && subtasks.find(asker.subtask);
    if (asker === undefined || subtask?.order.kind !== "agent" || asker.endedAt !== undefined)
      return declined({ kind: "cancelled" });
    const { run } = asker;
    const { depth } = subtask.order;
    const agents = this.#host.agents(run);
    const known = (await agents.list()).map(({ name }) => name);
    const choice: Choice =
      depth >= MAX_DEPTH
        ? { decision: "decline", reason: `${MAX_DEPTH} agents in a row have asked for help already` }
        : await this.#choose(run, request, known);
    this.#host.record(run, {
      type: "agent-escalated",
      agent,
      need: request.need.slice(0, 500),
      why: request.why.slice(0, 500),
      decision: choice.decision === "spawn" ? `spawn ${choice.agent}` : choice.decision,
    });
    if (choice.decision === "answer") return choice.answer;
    if (choice.decision === "decline") return declined({ kind: "no-help", reason: choice.reason });
    const opened = await agents.open(
      {
        who: choice.agent,
        task: { task: choice.task, retry: 0, ...(request.data === undefined ? {} : { data: request.data as never }) }, // JSON, by the tool's schema
        detached: false,
        depth: depth + 1,
        asker: agent,
      },
      `help:${key}`,
    );
    if (!opened.ok) return declined(opened.failure);
    return "id" in opened.value ? agents.outcome(opened.value.id, new AbortController().signal) : opened.value;
  }

  async #choose(run: string, { need, why }: HelpRequest, known: string[]): Promise<Choice> {
    const task = `${need}\n\nWhy it is asked for: ${why}`;
    const named = known.filter((name) => name.length > 2 && new RegExp(`\\b${escaped(name)}\\b`, "i").test(need));
    if (named.length === 1) return { decision: "spawn", agent: named[0]!, task };
    const asked = await this.#host.ask(
      run,
      {
        tier: "small",
        prompt: [
          "One of your agents asks for help. Decide: give the task to a specialist, answer it yourself, or decline.",
          `Specialists: ${SPECIALISTS.map(({ name, role }) => `${name} (${role})`).join("; ")}.`,
          `Others: ${known.filter((name) => !SPECIALISTS.some((one) => one.name === name)).join(", ") || "none"}.`,
        ].join("\n"),
        data: { need, why },
        schema: CHOICE_SCHEMA,
      },
      new AbortController().signal,
    );
    const choice = asked.ok ? Choice.safeParse(asked.value) : undefined;
    if (choice?.success === true && (choice.data.decision !== "spawn" || known.includes(choice.data.agent)))
      return choice.data;
    const fitting = specialistFor(need);
    if (fitting !== undefined) return { decision: "spawn", agent: fitting, task };
    return { decision: "decline", reason: "no specialist's trade fits what is needed" };
  }
}

const CHOICE_SCHEMA = z.toJSONSchema(Choice) as NonNullable<LlmRequest["schema"]>; // JSON by construction
const escaped = (text: string): string => text.replace(/[^\w ]/g, "\\$&");
const declined = (failure: Failure): object => ({ failure: { kind: failure.kind, message: describeFailure(failure) } });
