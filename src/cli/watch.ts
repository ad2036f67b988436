import type { StoredEvent } from "../contract/event.ts";
import type { RunView } from "../contract/goal.ts";
import type { PraxisClient, Trouble } from "./client.ts";
import { follow, type FollowEnd } from "./follow.ts";
import type { Interruption } from "./interruption.ts";
import { describeEvent } from "./progress.ts";

const PATIENCE_MS = 45_000; // a frozen runtime is back after about fifteen seconds
const RETRY_MS = 500;
const CANCEL_MS = 10_000; // a server that does not end a cancelled run in this time is left to itself

/** How far a run was followed, through however many servers. */
export interface Seen {
  after: number;
  hasEnded: boolean;
}

export type Watched =
  | { kind: "finished"; run: RunView }
  | { kind: "left" } // the user does not want to wait for the cancelled run
  | { kind: "refused"; trouble: Trouble }
  | { kind: "gone"; seen: Seen; trouble: Trouble }; // the server is; the run goes on where one runs

export interface WatchOptions {
  say(line: string): void;
  interruption: Interruption;
  timeoutMs?: number | undefined;
  seen: Seen;
}

/** Shows a run until it has ended, and cancels it when the user or the time says so. Must not reject. */
export async function watch(client: PraxisClient, id: string, options: WatchOptions): Promise<Watched> {
  const { seen } = options;
  const end = seen.hasEnded ? ({ kind: "ended", after: seen.after } as const) : await showUntilEnd(client, id, options);
  if (end.kind === "aborted") return { kind: "left" };
  if (end.kind === "lost") return troubled(end.trouble, { after: end.after, hasEnded: false });
  const view = await client.view(id);
  return view.ok ? { kind: "finished", run: view.value } : troubled(view.trouble, { after: end.after, hasEnded: true });
}

const troubled = (trouble: Trouble, seen: Seen): Watched =>
  trouble.kind === "unreachable" ? { kind: "gone", seen, trouble } : { kind: "refused", trouble };

async function showUntilEnd(client: PraxisClient, id: string, options: WatchOptions): Promise<FollowEnd> {
  const { say, interruption, timeoutMs, seen } = options;
  const giveUp = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const cancel = (why: string): void => {
    say(`${why}: cancelling`);
    timers.push(setTimeout(() => giveUp.abort(), CANCEL_MS));
    void client.cancel(id);
  };
  interruption.onFirst(() => cancel("interrupted"));
  if (timeoutMs !== undefined) timers.push(setTimeout(() => cancel(`no end after ${timeoutMs / 1000} s`), timeoutMs));

  const logged = new Set<number>();
  let hasDropped = false;
  const end = await follow(client, id, {
    after: seen.after,
    patienceMs: PATIENCE_MS,
    retryMs: RETRY_MS,
    signal: AbortSignal.any([giveUp.signal, interruption.second]),
    onEvent: (event: StoredEvent) => {
      for (const line of describeEvent(event, logged)) say(line);
      if (event.type === "cell-logged") logged.add(event.cell);
      if (event.type === "run-waiting") void showDecisions(client, id, say);
    },
    onDrop: () => {
      if (!hasDropped) say("connection lost; waiting for the server");
      hasDropped = true;
    },
  });
  for (const timer of timers) clearTimeout(timer);
  return end;
}

/** Who waits for a person must say on what, and how to answer. */
async function showDecisions(client: PraxisClient, id: string, say: (line: string) => void): Promise<void> {
  const view = await client.view(id);
  for (const decision of view.ok ? (view.value.waitingOn ?? []) : []) {
    say(`  ${decision.tool}: ${decision.why}`);
    say(`  approve: ${decision.choices.approve}; reject: ${decision.choices.reject}`);
    say(`  answer with POST /v1/goals/${id}/approvals/${decision.id} {"decision": "approve" or "reject"}`);
  }
}
