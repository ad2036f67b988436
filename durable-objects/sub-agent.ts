/**
 * One agent at one task: the coordinator's loop with a narrower grant, in an object and a database of its own.
 *
 * Owns: its order (kv `order`) and, through its stores, one run with its kernel, variables and journal. Knows its coordinator by
 * name and nobody else. Before each spend it checks in there (G4); when it has ended it reports, and once that is heard its
 * context is destroyed: what it was told, said and computed. The object itself is deleted after its retention.
 */
import type { AgentOrder, CheckIn, ParentApi, SubAgentApi } from "../src/contract/sub-agent.ts";
import type { Failure, Result } from "../src/contract/failure.ts";
import { type DecisionAnswer, isEnded } from "../src/contract/goal.ts";
import { toPlain } from "../src/kernel/plain.ts";
import { subAgentPrompt } from "../src/model/prompt.ts";
import { AgentObject } from "./agent-object.ts";
import { coordinatorName } from "./env.ts";
import { logKey } from "./log.ts";
import type { AgentProfile } from "./profile.ts";
import type { RunRow } from "./run-store.ts";
import { type BaseToolHost, toolHost } from "./tool-host.ts";
import { usageOf } from "./usage.ts";

const PROGRESS_CHARS = 200;
const RETRY_MS = 300; // a coordinator that restarts is back in moments
const CHECK_IN_TRIES = 60;

export class SubAgent extends AgentObject implements SubAgentApi {
  #trusted = new Set<string>();

  async begin(order: AgentOrder): Promise<void> {
    const { data, ...kept } = order; // the data is a variable from now on
    const inputs = data === undefined ? {} : { data: JSON.parse(data) as unknown };
    const { id, task: goal, budget, autoApprove } = order;
    await this.enqueue({ id, goal, inputs, budget, autoApprove }, () => this.ctx.storage.kv.put("order", kept));
  }

  async cancel(): Promise<void> {
    const order = this.#order();
    if (order !== undefined) await this.stop(order.id);
  }

  async decide(decision: string, answer: DecisionAnswer): Promise<Result<undefined>> {
    return this.answer(this.#order()?.id ?? "", decision, answer);
  }

  /** The end of its retention: nothing of it is left. */
  async expire(): Promise<void> {
    await this.destroy();
  }

  protected override profile(): AgentProfile {
    const order = this.#order()!; // there is no run without one
    const { tier, model, grants, output } = order;
    return {
      system: subAgentPrompt(order),
      tier,
      grants,
      ...(model === undefined ? {} : { model }),
      ...(output === undefined ? {} : { output }),
    };
  }

  protected override tenant(): string {
    return this.#order()!.tenant;
  }

  protected override toolHost(): BaseToolHost {
    const order = this.#order()!;
    return {
      ...toolHost(this.env, { tenant: this.tenant(), goal: order.task }),
      escalate: async (request, key, signal) =>
        JSON.parse(await insist(() => this.#parent().help(order.id, request, key), { signal })) as unknown,
    };
  }

  protected override workspace(): string {
    return this.#order()!.workspace;
  }

  protected override isTrusted(run: string, tool: string): boolean {
    return this.#trusted.has(tool) || super.isTrusted(run, tool);
  }

  protected override async permit(run: string): Promise<Failure | undefined> {
    const { refused, trusted } = await insist(() => this.#parent().checkIn(run, this.#checkIn(run)), {});
    this.#trusted = new Set(trusted);
    return refused;
  }

  protected override async report({ id, status }: Pick<RunRow, "id" | "status" | "endedAt">): Promise<void> {
    const { runs, texts } = this.stores;
    const plain = async (key: string): Promise<string | undefined> => {
      const text = await texts.load(`${key}:${id}`);
      return text === undefined ? undefined : JSON.stringify(toPlain(text) ?? null);
    };
    const isOver = isEnded(status);
    if (isOver) await this.#keepLog(id);
    const result = status === "succeeded" ? await plain("result") : undefined;
    // Of a run that ran out its result is what it had.
    const partial =
      isOver && result === undefined
        ? ((await plain("partial")) ?? (await plain("result")) ?? (await plain("last")))
        : undefined;
    const failure = runs.find(id)?.failure;
    await this.#parent().note(id, {
      ...this.#checkIn(id),
      status,
      pending: this.pending(id),
      ...(failure === undefined ? {} : { failure }),
      ...(result === undefined ? {} : { result }),
      ...(partial === undefined ? {} : { partial }),
    });
    if (isOver) await this.#forget(id);
  }

  /** The record that stays with the run: what it did, in order. */
  async #keepLog(id: string): Promise<void> {
    const events = [];
    for (let after = 0; ;) {
      const page = this.stores.runs.eventsAfter(id, after);
      if (page.length === 0) break;
      events.push(...page);
      after = page.at(-1)!.id;
    }
    await this.env.BUCKET.put(logKey(this.#order()!.workspace, id), JSON.stringify(events));
  }

  /** Its context is destroyed, and the object itself when its time has come. */
  async #forget(id: string): Promise<void> {
    const { runs, texts, variables, journal } = this.stores;
    await texts.clear();
    runs.forgetTurns(id);
    variables.clear();
    journal.clear();
    const { retentionMs } = this.#order()!;
    await this.schedule(new Date(Date.now() + Math.max(1_000, retentionMs)), "expire", undefined, { idempotent: true });
  }

  #checkIn(id: string): CheckIn {
    const turns = this.stores.runs.turns(id);
    const said = turns.findLast(({ reply }) => (reply?.text.trim() ?? "") !== "")?.reply?.text.trim() ?? "";
    const text = said === "" ? "" : `: ${said.slice(0, PROGRESS_CHARS)}`;
    return {
      usage: usageOf(this.stores, id),
      byModel: this.stores.ledger.byModel(id),
      ...(turns.length === 0 ? {} : { progress: `turn ${turns.length}${text}` }),
    };
  }

  #order(): AgentOrder | undefined {
    return this.ctx.storage.kv.get<AgentOrder>("order");
  }

  #parent(): ParentApi {
    const { tenant, session } = this.#order()!;
    return this.env.COORDINATOR.getByName(coordinatorName(tenant, session));
  }
}

/** Calls again while the other side is away: what is called can take it. */
async function insist<T>(call: () => Promise<T>, { signal }: { signal?: AbortSignal }): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await call();
    } catch (error) {
      if (signal?.aborted === true || (signal === undefined && tries >= CHECK_IN_TRIES)) throw error;
      await new Promise((resolve) => setTimeout(resolve, RETRY_MS));
    }
  }
}
