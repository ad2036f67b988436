/** Resets of a run's object at chosen points, and the decisions that follow from them. */
import { abortAllDurableObjects, env, runInDurableObject, SELF } from "cloudflare:test";
import { expect, vi } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import { executions, goOn, type Point, stopAt } from "./effect-tools.ts";
import { begin, eventsOf, get } from "./runs.ts";

export const coordinatorOf = (id: string) => env.COORDINATOR.getByName(`main/${id.slice(0, id.lastIndexOf("."))}`);

/** The keys of the calls of a run that have a durable result, as `executions` names them. */
export const recordedKeys = (id: string): Promise<string[]> =>
  runInDurableObject(coordinatorOf(id), async (_, { id: object, storage }) => {
    await storage.sync();
    return storage.sql
      .exec<{ cell: number; key: string }>("SELECT cell, key FROM calls WHERE run = ? AND ordinal IS NOT NULL", id)
      .toArray()
      .map(({ cell, key }) => `${object.toString()}:${id}:${cell}:${key}`);
  });

export const timesExecuted = (key: string): number => executions.filter((execution) => execution.key === key).length;

export interface Goal {
  goal: string;
  inputs?: object;
  session?: string;
  budget?: object;
}

/** Begins a goal and resets its object when its calls have come to the point. Answers what was recorded by then. */
export async function interrupt(request: string | Goal, at: Point): Promise<{ id: string; recorded: string[] }> {
  const isReached = stopAt(at);
  const { goal, ...more } = typeof request === "string" ? { goal: request } : request;
  const id = await begin(goal, more);
  await vi.waitUntil(isReached, { interval: 2, timeout: 20_000 });
  const recorded = await recordedKeys(id);
  await reset();
  return { id, recorded };
}

/** The object is gone, with all that was in memory; the calls of its next life are not stopped. */
export async function reset(): Promise<void> {
  // From an event of its own: an object that is aborted from within its own answer takes the runtime with it.
  await new Promise((resolve) => setTimeout(resolve, 0));
  await abortAllDurableObjects();
  goOn();
}

export const decide = (id: string, decision: string, answer: object): Promise<Response> =>
  SELF.fetch(`http://localhost/v1/goals/${id}/approvals/${decision}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(answer),
  });

/** The run as soon as it waits or has ended. */
export async function waitForHalt(id: string): Promise<RunView> {
  for await (const { type } of eventsOf(id)) {
    if (type !== "run-waiting" && type !== "run-ended") continue;
    const run = await get<RunView>(`/v1/goals/${id}`);
    if (run.status !== "running") return run;
  }
  throw new Error(`run ${id} has no end`);
}

/** Answers whatever the run waits for, until it ends. Says how many calls were approved. */
export async function finish(
  id: string,
  answer: () => "approve" | "reject",
): Promise<{ run: RunView; approved: number }> {
  let approved = 0;
  for (;;) {
    const run = await waitForHalt(id);
    if (run.status !== "waiting") return { run, approved };
    for (const pending of run.waitingOn ?? []) {
      const decision = answer();
      if (decision === "approve") approved++;
      expect((await decide(id, pending.id, { decision })).status).toBe(200);
    }
  }
}
