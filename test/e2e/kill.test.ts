import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import { scripted, stepOf } from "../support/goal-script.ts";
import { held, type ScriptedModel, startScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer, untilHealthy } from "../support/server.ts";

/** Held back by the model until the test lets it go: the place where the runtime is killed. */
const gate = Promise.withResolvers<void>();
const arrived = Promise.withResolvers<void>();
let model: ScriptedModel;
let server: RunningServer;

beforeAll(async () => {
  let restarted = false;
  model = await startScriptedModel((body) => {
    const step = stepOf(body);
    const isThird = body.messages.filter((message) => message.role === "assistant").length === 2;
    if (!isThird || restarted) return step;
    restarted = true;
    arrived.resolve();
    return held(gate.promise, step);
  });
  server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url, PRAXIS_RETRY_BASE_MS: "1" } });
});
afterAll(async () => {
  gate.resolve();
  await server?.stop();
  await model?.close();
});

const submit = async (goal: string): Promise<string> => {
  const response = await fetch(`${server.url}/v1/goals`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ goal }),
  });
  return ((await response.json()) as { id: string }).id;
};
/** Until the model has been asked so often: no request is made to the server meanwhile. */
const modelAsked = async (times: number): Promise<void> => {
  await vi.waitUntil(() => model.requests.length >= times, { timeout: 60_000, interval: 20 });
};

/** Reads the events until the first cell runs: then the reply that asked for it is recorded. */
const cellStarted = async (id: string): Promise<void> => {
  const stream = (await fetch(`${server.url}/v1/goals/${id}/events`)).body!.pipeThrough(new TextDecoderStream());
  for await (const text of stream) if (text.includes("event: cell-started")) return;
};

describe("J2: the runtime is killed in the middle of a run", () => {
  it("goes on by itself after a kill between two model calls, and pays for none twice", async () => {
    // The first cell sleeps in a tool call: killed there, the first reply is recorded and the second is not asked for.
    const id = await submit(
      scripted("kill in a cell", [
        { code: "let a = 20; await new Promise((r) => setTimeout(r, 1500)); a" },
        { code: "done(a + 1)" },
      ]),
    );
    await cellStarted(id);
    await server.killRuntime();
    await modelAsked(2);
    await untilHealthy(server.url);
    const run = (await (await fetch(`${server.url}/v1/goals/${id}/events`)).text()).includes('"status":"succeeded"');
    expect(run).toBe(true);
    expect(await (await fetch(`${server.url}/v1/goals/${id}`)).json()).toMatchObject({
      status: "succeeded",
      result: 21,
      usage: { modelCalls: 2 },
    });
    expect(model.requests.length).toBe(2);
  });

  it("repeats only the request that was on its way", async () => {
    const before = model.requests.length;
    const id = await submit(
      scripted("kill in a call", [{ code: "let a = 1" }, { code: "a = a + 1" }, { code: "done(a)" }]),
    );
    await arrived.promise;
    await server.killRuntime();
    await modelAsked(before + 4); // the third was asked for, lost, and asked for again
    await untilHealthy(server.url);
    await (await fetch(`${server.url}/v1/goals/${id}/events`)).text();
    expect(await (await fetch(`${server.url}/v1/goals/${id}`)).json()).toMatchObject({
      status: "succeeded",
      result: 2,
      usage: { modelCalls: 3 },
    });
    expect(model.requests.length).toBe(before + 4);
  });
});
