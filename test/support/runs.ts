/** The public interface, for tests inside workerd. */
import { env, SELF } from "cloudflare:test";
import { expect, inject } from "vitest";
import type { CellAnswer, CellView } from "../../src/contract/cell.ts";
import type { StoredEvent } from "../../src/contract/event.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { scripted } from "./goal-script.ts";

const ORIGIN = "http://localhost";

export const get = async <T>(path: string): Promise<T> => (await SELF.fetch(ORIGIN + path)).json();

const post = (goal: string, more: object, headers: Record<string, string>): Promise<Response> =>
  SELF.fetch(`${ORIGIN}/v1/goals`, {
    method: "POST",
    headers: { "content-type": "application/json", ...headers },
    body: JSON.stringify({ goal, ...more }),
  });

/** Submits a goal and waits for its end. */
export async function submit(goal: string, more: object = {}): Promise<RunView> {
  const response = await post(goal, more, { prefer: "wait=25" });
  expect(response.status).toBe(200);
  return response.json();
}

/** Submits a goal and answers its id at once. */
export async function begin(goal: string, more: object = {}): Promise<string> {
  const response = await post(goal, more, {});
  expect(response.status).toBe(202);
  return (await response.json<{ id: string }>()).id;
}

let notebooks = 0;

/** Runs cells one after another in a kernel of their own, through the API, and answers what the model was told of each. */
export async function runCells(cells: string[], inputs: object = {}): Promise<{ run: RunView; answers: CellAnswer[] }> {
  const steps = [...cells.map((code) => ({ code })), { text: "end" }];
  const run = await submit(scripted(`cells ${++notebooks}`, steps), { inputs, budget: { turns: 200, cells: 1000 } });
  const { items } = await get<{ items: CellView[] }>(`/v1/goals/${run.id}/cells?limit=200`);
  return { run, answers: items.map(({ answer }) => answer ?? {}) };
}

/** The events of a run as they come, also over resets of its object. */
export async function* eventsOf(id: string): AsyncGenerator<StoredEvent> {
  let last = 0;
  for (;;) {
    const stub = env.COORDINATOR.getByName(`main/${id.slice(0, id.lastIndexOf("."))}`);
    // A reset breaks the call that waits; what it waited for is in the database.
    const page = await stub.events(id, last, 5_000).catch(() => undefined);
    if (page === undefined) continue;
    if (!page.ok) throw new Error(`no run ${id}`);
    for (const event of page.value.events) {
      last = event.id;
      yield event;
    }
    if (page.value.ended && page.value.events.length === 0) return;
  }
}

export async function waitFor(id: string, isIt: (event: StoredEvent) => boolean): Promise<void> {
  for await (const event of eventsOf(id)) if (isIt(event)) return;
  throw new Error(`run ${id} ended first`);
}

export async function waitForEnd(id: string): Promise<RunView> {
  await waitFor(id, ({ type }) => type === "run-ended");
  return get(`/v1/goals/${id}`);
}

/** How many requests the scripted model had whose first message holds this text. */
export const modelCalls = async (text: string): Promise<number> =>
  Number(await (await fetch(`${inject("countUrl")}?q=${encodeURIComponent(text)}`)).text());
