import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import type { CapabilityView } from "../../src/contract/library.ts";
import { scripted, stepOf } from "../support/goal-script.ts";
import { type ScriptedModel, startScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/server.ts";

/** An API that others own: one day its answer has another form. */
let answer: object = { price: 7 };
let api: Server;
let address: string;
let model: ScriptedModel;
let server: RunningServer;

beforeAll(async () => {
  api = createServer((_request, response) =>
    response.setHeader("content-type", "application/json").end(JSON.stringify(answer)),
  );
  await new Promise<void>((resolve) => api.listen(0, "127.0.0.1", resolve));
  address = `127.0.0.1:${(api.address() as AddressInfo).port}`;
  model = await startScriptedModel(stepOf);
  server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url, PRAXIS_EGRESS: address } });
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
  api?.closeAllConnections();
  api?.close();
});

const request = async <T>(path: string, body?: object): Promise<{ status: number; body: T }> => {
  const post = {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=30" },
    body: JSON.stringify(body),
  };
  const response = await fetch(server.url + path, body === undefined ? {} : post);
  return { status: response.status, body: (await response.json()) as T };
};
const state = async (): Promise<string> => (await request<CapabilityView>("/v1/capabilities/widget-price")).body.state;

/** Reads the price under one name; a test says which. */
const version = (field: string): object => ({
  name: "widget-price",
  description: "Looks up the current price of a widget, times how many are wanted.",
  input: { type: "object", properties: { count: { type: "number" } }, required: ["count"] },
  output: { type: "number" },
  needs: ["http.get"],
  source: `export default async (input: { count: number }) => {
  const { body } = await tools.http.get({ url: "http://${address}/widget" });
  if (typeof body.${field} !== "number") throw new Error("the answer has no ${field}");
  return body.${field} * input.count;
};
`,
  tests: [
    { input: { count: 2 }, expect: 10, tools: { "http.get": { status: 200, headers: {}, body: { [field]: 5 } } } },
    { input: { count: 2 }, throws: `no ${field}`, tools: { "http.get": { status: 200, headers: {}, body: {} } } },
  ],
});
const use = async (n: number): Promise<unknown> => {
  const code = `done(await library.run("widget-price", { count: ${n} }).catch((e) => e.kind))`;
  return (await request<RunView>("/v1/goals", { goal: scripted(`widgets ${n}`, [{ code }]) })).body.result;
};

describe("a capability whose API changed", () => {
  it("is quarantined, not offered, and repaired by a version that passes its tests", async () => {
    expect((await request("/v1/capabilities", version("price"))).status).toBe(201);
    for (let n = 1; n <= 6; n++) expect(await use(n)).toBe(7 * n);
    await vi.waitUntil(async () => (await state()) === "active", { timeout: 10_000, interval: 100 });

    answer = { cost: 9 };
    for (let n = 1; n <= 12 && (await state()) !== "quarantined"; n++) expect(await use(n)).toMatch(/^capability-/);
    expect(await state()).toBe("quarantined");
    expect(await use(3)).toBe("capability-unavailable");
    const found = await request<{ items: { name: string }[] }>("/v1/capabilities?q=widget%20price");
    expect(found.body.items.map(({ name }) => name)).not.toContain("widget-price");

    // A version that still reads the old form of answer, and says so in its tests, is no repair that passes them.
    const wrong = { ...version("cost"), source: (version("price") as { source: string }).source };
    expect(await request("/v1/capabilities", wrong)).toMatchObject({ status: 422 });
    expect(await request("/v1/capabilities", version("cost"))).toMatchObject({ status: 201, body: { version: 2 } });
    expect(await use(3)).toBe(27);
  }, 120_000);
});
