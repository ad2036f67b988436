import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { PendingDecision, RunView } from "../../src/contract/goal.ts";
import { scripted, stepOf } from "../support/goal-script.ts";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer, untilHealthy } from "../support/server.ts";

/** What reached the world: the bodies of the posts that were made. */
const posted: string[] = [];
let world: Server;
let model: ScriptedModel;
let server: RunningServer;
let address: string;

beforeAll(async () => {
  world = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk: Buffer) => (body += chunk.toString()));
    request.on("end", () => {
      posted.push(body);
      response.setHeader("content-type", "application/json").end('{"got":true}');
    });
  });
  await new Promise<void>((resolve) => world.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(world.address() as AddressInfo).port}`;
  model = await startScriptedModel(stepOf);
  server = await startServer({
    vars: { ANTHROPIC_BASE_URL: model.url, PRAXIS_RETRY_BASE_MS: "1", PRAXIS_EGRESS: address },
  });
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
  world?.closeAllConnections();
  world?.close();
});

const view = async (id: string): Promise<RunView> =>
  (await (await fetch(`${server.url}/v1/goals/${id}`)).json()) as RunView;
const until = async (id: string, status: RunView["status"]): Promise<RunView> => {
  let run = await view(id);
  await vi.waitUntil(async () => (run = await view(id)).status === status, { timeout: 30_000, interval: 50 });
  return run;
};

/** A goal that posts a body and waits for a person's word, over a kill of the runtime. */
async function killedWhileWaiting(body: string): Promise<{ id: string; pending: PendingDecision }> {
  const code = `done((await tools.http.post({ url: "http://${address}/", body: ${JSON.stringify(body)} })).body)`;
  const response = await fetch(`${server.url}/v1/goals`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ goal: scripted(`post ${body}`, [{ code }]) }),
  });
  const { id } = (await response.json()) as { id: string };
  const before = await until(id, "waiting");
  await server.killRuntime();
  await untilHealthy(server.url);
  const after = await view(id);
  expect(after).toMatchObject({ status: "waiting", waitingOn: before.waitingOn });
  return { id, pending: after.waitingOn![0]! };
}

const answer = (id: string, decision: string, body: object): Promise<Response> =>
  fetch(`${server.url}/v1/goals/${id}/approvals/${decision}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });

describe("a run that is killed while it waits for a person", () => {
  it("asks the same after the restart; approved, the call is made once", async () => {
    const { id, pending } = await killedWhileWaiting("approved");
    expect(pending).toMatchObject({ id: "d1", tool: "http.post", args: { body: "approved" } });
    expect(posted).not.toContain("approved");
    expect((await answer(id, "d1", { decision: "approve", digest: pending.digest })).status).toBe(200);
    expect(await until(id, "succeeded")).toMatchObject({ result: { got: true } });
    expect((await answer(id, "d1", { decision: "approve" })).status).toBe(200); // twice the same is once
    expect(posted.filter((body) => body === "approved")).toHaveLength(1);
  });

  it("rejected after the restart, the call is never made", async () => {
    const { id } = await killedWhileWaiting("rejected");
    expect((await answer(id, "d1", { decision: "reject", note: "no" })).status).toBe(200);
    await vi.waitUntil(async () => (await view(id)).endedAt !== undefined, { timeout: 30_000, interval: 50 });
    expect(posted).not.toContain("rejected");
  });
});
