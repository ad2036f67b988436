import { setTimeout as sleep } from "node:timers/promises";
import type { StoredEvent } from "../contract/event.ts";
import type { PraxisClient, Trouble } from "./client.ts";

export interface FollowOptions {
  /** The last event already seen; 0 for none. */
  after: number;
  onEvent(event: StoredEvent): void;
  signal: AbortSignal;
  /** How long the server may stay away, as while a frozen runtime is restarted. */
  patienceMs: number;
  retryMs: number;
  /** Called at each failed attempt to reach the server. */
  onDrop?(trouble: Trouble): void;
}

export type FollowEnd =
  | { kind: "ended"; after: number }
  | { kind: "aborted" }
  | { kind: "lost"; trouble: Trouble; after: number };

/**
 * Shows every event of a run once and in order, through dropped connections and restarts of the server.
 * Must not reject unless `onEvent` throws.
 */
export async function follow(client: PraxisClient, id: string, options: FollowOptions): Promise<FollowEnd> {
  let last = options.after;
  let hasEnded = false;
  let reachedAt = performance.now();
  for (;;) {
    const before = last;
    const answer = await client.events(id, {
      after: last,
      signal: options.signal,
      onEvent: (event) => {
        if (event.id <= last) return; // a server may repeat what it is not sure we have
        last = event.id;
        hasEnded ||= event.type === "run-ended";
        options.onEvent(event);
      },
    });
    if (hasEnded) return { kind: "ended", after: last };
    if (options.signal.aborted) return { kind: "aborted" };
    if (answer.ok || last > before) reachedAt = performance.now();
    if (!answer.ok) {
      const { trouble } = answer;
      const isFinal = trouble.kind === "refused" && trouble.problem.status < 500;
      if (isFinal || performance.now() - reachedAt > options.patienceMs) return { kind: "lost", trouble, after: last };
      options.onDrop?.(trouble);
    }
    await sleep(options.retryMs);
  }
}
