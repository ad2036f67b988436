import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scripted, stepOf } from "../support/goal-script.ts";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer, untilHealthy } from "../support/server.ts";

let model: ScriptedModel;
let server: RunningServer;
beforeAll(async () => {
  model = await startScriptedModel(stepOf);
  server = await startServer({
    vars: { ANTHROPIC_BASE_URL: model.url, PRAXIS_RETRY_BASE_MS: "1" },
    env: { PRAXIS_WATCHDOG_MS: "2000" },
  });
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
});

describe("K2: a cell that no meter can stop", () => {
  it("is ended by the watchdog, marked as the one that hung, and not run again; the run goes on", async () => {
    const freezing = `/^(a+)+$/.test("a".repeat(40) + "b")`; // native code that backtracks for years
    const goal = scripted("freeze", [{ code: "let kept = 7" }, { code: freezing }, { code: "done(kept)" }]);
    const submitted = await fetch(`${server.url}/v1/goals`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ goal }),
    });
    const { id } = (await submitted.json()) as { id: string };
    await vi.waitUntil(() => model.requests.length >= 3, { timeout: 90_000, interval: 50 }); // asked by the run itself, after the restart
    await untilHealthy(server.url);
    await (await fetch(`${server.url}/v1/goals/${id}/events`)).text();
    expect(await (await fetch(`${server.url}/v1/goals/${id}`)).json()).toMatchObject({
      status: "succeeded",
      result: 7,
    });
    const { items } = (await (await fetch(`${server.url}/v1/goals/${id}/cells`)).json()) as {
      items: { answer: { error?: { kind: string } } }[];
    };
    expect(items.map(({ answer }) => answer.error?.kind)).toEqual([undefined, "hung", undefined]);
    expect(model.requests.length).toBe(3);
  });
});
