/**
 * Model calls in the background: subtasks that need no agent. Equal calls of a run are made once and their answers kept, so a new
 * life of the object asks again what is open and pays for nothing twice (J2). In memory is only what is under way.
 */
import type { Failure, Result } from "../src/contract/failure.ts";
import type { LlmRequest } from "../tool-bindings/llm.ts";
import type { Feed } from "./feed.ts";
import type { Stores } from "./stores.ts";
import type { SubtaskRow } from "./subtask-store.ts";

export interface QuestionsHost {
  stores: Stores;
  feed: Feed;
  ask: (run: string, request: LlmRequest, signal: AbortSignal) => Promise<Result<unknown>>;
  finish: (row: SubtaskRow, end: { status: SubtaskRow["status"]; failure?: Failure; winner?: string }) => void;
}

export class Questions {
  readonly #host: QuestionsHost;
  readonly #asking = new Map<string, AbortController>();

  constructor(host: QuestionsHost) {
    this.#host = host;
  }

  /** Does nothing for one that is being asked or has ended. */
  ask(id: string): void {
    const { stores, feed } = this.#host;
    const row = stores.subtasks.find(id);
    if (row === undefined || row.endedAt !== undefined || row.order.kind !== "llm" || this.#asking.has(id)) return;
    const stop = new AbortController();
    this.#asking.set(id, stop);
    stores.subtasks.setSubtask(id, { status: "running", at: Date.now() });
    const { request } = row.order;
    const work = async (): Promise<void> => {
      const answer = await this.#host.ask(row.run, request, stop.signal);
      const text = answer.ok ? await stores.texts.prepare(JSON.stringify(answer.value)) : undefined;
      stores.storage.transactionSync(() => {
        if (text !== undefined) stores.texts.write(`answer:${id}`, text);
        this.#host.finish(
          row,
          answer.ok ? { status: "succeeded", winner: id } : { status: "failed", failure: answer.failure },
        );
      });
    };
    void work()
      .catch((error: unknown) => {
        if (!stop.signal.aborted) console.error("llm subtask failed", id, error);
      })
      .finally(() => {
        this.#asking.delete(id);
        feed.notify(id);
      });
  }

  stop(id: string): void {
    this.#asking.get(id)?.abort(new Error("cancelled"));
  }
}
