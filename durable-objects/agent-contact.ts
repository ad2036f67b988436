/**
 * How a coordinator reaches its agents' objects: begins them, a few at a time, and stops them. In memory is only whom this life of
 * the coordinator has reached: the others are to be begun once more, which only wakes them.
 */
import type { SubAgentApi } from "../src/contract/sub-agent.ts";
import { breathe } from "../src/kernel/breath.ts";
import { Lane } from "../src/kernel/lane.ts";
import { type OrderHost, orderOf } from "./agent-order.ts";
import type { AgentRow } from "./subtask-store.ts";

const STARTS_AT_ONCE = 4; // a new object is the dearest part of an agent: not all of them at the same moment

export interface ContactHost extends OrderHost {
  agent: (id: string) => SubAgentApi & Partial<Disposable>;
}

export class AgentContact {
  readonly #host: ContactHost;
  readonly #reached = new Set<string>();
  readonly #starts = new Lane(STARTS_AT_ONCE);

  constructor(host: ContactHost) {
    this.#host = host;
  }

  isReached(id: string): boolean {
    return this.#reached.has(id);
  }

  forget(id: string): void {
    this.#reached.delete(id);
  }

  /** Not to be awaited: who can't be reached now is tried again at the next pulse. */
  begin(agent: AgentRow): void {
    this.#reached.add(agent.id);
    void this.#starts.pass(async () => {
      await breathe();
      const isWanted = this.#host.stores.subtasks.agent(agent.id)?.endedAt === undefined;
      if (!isWanted) return; // it was cancelled while it waited for its turn
      await this.#with(agent.id, async (stub) => stub.begin(await orderOf(this.#host, agent)));
    });
  }

  /** Must not reject: who is not reached hears of its end at its next check-in. */
  stop(id: string): Promise<void> {
    return this.#with(id, (stub) => stub.cancel());
  }

  async #with(id: string, action: (stub: SubAgentApi) => Promise<void>): Promise<void> {
    const stub = this.#host.agent(id);
    try {
      await action(stub);
    } catch (error) {
      this.#reached.delete(id);
      console.error("agent could not be reached", id, error instanceof Error ? error.message : error);
    } finally {
      stub[Symbol.dispose]?.();
    }
  }
}
