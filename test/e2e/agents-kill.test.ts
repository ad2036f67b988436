import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import { delayed, type ScriptedModel, startScriptedModel, type Step } from "../support/scripted-model.ts";
import { type RunningServer, startServer, untilHealthy } from "../support/server.ts";

const KILLS = 20;
const AGENTS = 10;
const REPLY_MS = 60; // so that requests are on their way at any moment
const SPREAD_MS = 1_800; // about as long as a run takes: kills hit all of it
/** A reply that was sent so shortly before the kill may not have been recorded: it counts as on its way. */
const ON_ITS_WAY_MS = 400;

/** What was asked of the model: by whom, which turn, and when its reply was sent. */
interface Asked {
  key: string;
  at: number;
}
const asked: Asked[] = [];
const kills: number[] = [];
let model: ScriptedModel;
let server: RunningServer;

const COORDINATOR: Step[] = [
  {
    code: `const parts = await Promise.all(Array.from({ length: ${AGENTS} }, (_, i) => agents.call({ name: "adder", role: "Adds." }, { task: "add " + GOALNO + " " + i, data: i }))); parts`,
  },
  { code: "done(parts.map((p) => p.failure?.kind ?? p))" },
];
const AGENT: Step[] = [
  { code: "let sum = data + 100; await tools.time.sleep({ ms: 20 }); sum" },
  { code: "done(sum)" },
];

beforeAll(async () => {
  model = await startScriptedModel((body) => {
    const text = JSON.stringify(body.messages[0]);
    const turn = body.messages.filter(({ role }) => role === "assistant").length;
    const task = /add (\d+) (\d+)/.exec(text)?.[0];
    const goal = /goal no (\d+)/.exec(text)?.[1] ?? "";
    asked.push({ key: `${task ?? `goal ${goal}`} turn ${turn}`, at: Date.now() + REPLY_MS });
    const step = (task === undefined ? COORDINATOR : AGENT)[turn]!;
    return delayed(REPLY_MS, "code" in step ? { code: step.code!.replace("GOALNO", goal) } : step);
  });
  server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url, PRAXIS_RETRY_BASE_MS: "50" } });
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
});

const view = async (id: string): Promise<RunView | undefined> =>
  (await fetch(`${server.url}/v1/goals/${id}`).catch(() => undefined))?.json().catch(() => undefined) as Promise<
    RunView | undefined
  >;

/** Bounded and spread, and the same at every run of the test: a failure can be looked at again. */
const momentOf = (kill: number): number => (kill * 977) % SPREAD_MS;

describe("J2: the runtime is killed with ten agents in flight", () => {
  it("twenty times: every result is right, and no model call is paid for twice", async () => {
    for (let kill = 0; kill < KILLS; kill++) {
      const response = await fetch(`${server.url}/v1/goals`, {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ goal: `goal no ${kill}` }),
      });
      const { id } = (await response.json()) as { id: string };
      await new Promise((resolve) => setTimeout(resolve, momentOf(kill)));
      kills.push(Date.now());
      await server.killRuntime();
      await untilHealthy(server.url);
      await vi.waitUntil(async () => (await view(id))?.endedAt !== undefined, { timeout: 60_000, interval: 100 });
      const run = (await view(id))!;
      expect(run, `kill ${kill} after ${momentOf(kill)} ms`).toMatchObject({
        status: "succeeded",
        result: Array.from({ length: AGENTS }, (_, i) => 100 + i),
        usage: { modelCalls: 2 + 2 * AGENTS, agents: AGENTS },
        agents: { succeeded: AGENTS },
      });
    }
    // Asked again only what was on its way when the runtime died.
    for (const [key, times] of Map.groupBy(asked, (one) => one.key)) {
      const again = times.slice(0, -1);
      for (const { at } of again) {
        const wasOnItsWay = kills.some((kill) => kill < at + ON_ITS_WAY_MS && kill > at - REPLY_MS - ON_ITS_WAY_MS);
        expect(
          wasOnItsWay,
          `${key} was asked for again, answered ${Math.min(...kills.map((kill) => Math.abs(kill - at)))} ms from a kill`,
        ).toBe(true);
      }
    }
  }, 300_000);
});
