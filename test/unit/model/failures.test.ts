import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { once } from "node:events";
import { afterEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/contract/model.ts";
import { anthropicModel } from "../../../src/model/anthropic.ts";
import type { AnthropicOptions } from "../../../src/model/anthropic.ts";
import type { ModelRetry } from "../../../src/model/port.ts";
import { held, startScriptedModel } from "../../support/scripted-model.ts";
import type { Script, ScriptedModel, Step } from "../../support/scripted-model.ts";

const FAST = { baseDelayMs: 1, capMs: 1 };
const REQUEST: ModelRequest = { tier: "medium", system: "s", brief: { goal: "g", variables: [] }, exchanges: [] };
const always =
  (step: Step): Script =>
  () =>
    step;

let server: ScriptedModel;
let retries: ModelRetry[];
afterEach(() => server.close());

async function callScript(
  script: Script,
  options: Partial<AnthropicOptions> = {},
  signal = new AbortController().signal,
) {
  server = await startScriptedModel(script);
  return call({ baseUrl: server.url, ...options }, signal);
}

function call(options: Partial<AnthropicOptions>, signal = new AbortController().signal) {
  retries = [];
  const models = { small: "m", medium: "m", large: "m" };
  const model = anthropicModel({ models, retry: FAST, ...options });
  return model.call(REQUEST, { signal, onRetry: (retry) => retries.push(retry) });
}

describe("troubles that pass", () => {
  it.each<[string, Step]>([
    ["408", { status: 408 }],
    ["409", { status: 409 }],
    ["429", { status: 429 }],
    ["500", { status: 500 }],
    ["529", { status: 529 }],
    ["a stream cut in the middle", { cut: "mid-stream" }],
    ["a malformed stream", { malformed: true }],
    [
      "an overloaded_error inside the stream",
      { events: [{ type: "error", error: { type: "overloaded_error", message: "Overloaded" } }] },
    ],
    ["a stream that ends cleanly but too early", { events: [{ type: "ping" }] }],
  ])("retries %s and returns the reply that follows", async (_what, step) => {
    expect(await callScript([step, { code: "done(1)" }])).toMatchObject({
      ok: true,
      value: { call: { code: "done(1)" } },
    });
    expect(server.requests).toHaveLength(2);
    expect(retries).toEqual([{ attempt: 1, reason: expect.stringMatching(/./), delayMs: expect.any(Number) }]);
  });

  it("sends the same request again", async () => {
    await callScript([{ status: 529 }, { text: "fine" }]);
    expect(server.requests[1]?.body).toEqual(server.requests[0]?.body);
  });
});

describe("troubles that stay", () => {
  it("is busy after five attempts at a 529", async () => {
    expect(await callScript(always({ status: 529 }))).toEqual({
      ok: false,
      failure: { kind: "model-busy", status: 529, attempts: 5 },
    });
    expect(server.requests).toHaveLength(5);
    expect(retries.map(({ attempt }) => attempt)).toEqual([1, 2, 3, 4]);
  });

  it("is busy with the status that an error event stands for", async () => {
    const events = [{ type: "error", error: { type: "rate_limit_error", message: "Slow down" } }];
    expect(await callScript(always({ events }))).toEqual({
      ok: false,
      failure: { kind: "model-busy", status: 429, attempts: 5 },
    });
  });

  it("is unreachable when every stream is cut", async () => {
    expect(await callScript(always({ cut: "mid-stream" }))).toEqual({
      ok: false,
      failure: { kind: "model-unreachable", attempts: 5, reason: expect.stringMatching(/./) },
    });
    expect(server.requests).toHaveLength(5);
  });

  it("is unreachable when nobody listens, and says what happened", async () => {
    server = await startScriptedModel([]);
    const free = await startScriptedModel([]);
    await free.close();
    expect(await call({ baseUrl: free.url, retry: { ...FAST, maxAttempts: 2 } })).toEqual({
      ok: false,
      failure: { kind: "model-unreachable", attempts: 2, reason: expect.stringContaining("ECONNREFUSED") },
    });
  });

  it("is unreachable when a stream falls silent", async () => {
    expect(await callScript(always({ stall: true }), { idleMs: 500, retry: { ...FAST, maxAttempts: 1 } })).toEqual({
      ok: false,
      failure: { kind: "model-unreachable", attempts: 1, reason: "no event for 500 ms" },
    });
  });

  it("is unreachable when an endpoint accepts the request and never answers", async () => {
    const step = held(new Promise(() => {}), { text: "never" });
    expect(await callScript(always(step), { idleMs: 30, retry: { ...FAST, maxAttempts: 2 } })).toEqual({
      ok: false,
      failure: { kind: "model-unreachable", attempts: 2, reason: "no answer for 30 ms" },
    });
  });

  it("is malformed when every stream is garbage", async () => {
    expect(await callScript(always({ malformed: true }))).toEqual({
      ok: false,
      failure: { kind: "model-malformed", attempts: 5, reason: expect.stringContaining("{not json") },
    });
  });

  it("is malformed when the address is a web page", async () => {
    server = await startScriptedModel([]);
    const page = createServer((_request, response) => {
      response.writeHead(200, { "content-type": "text/html" }).end("<html>");
    }).listen(0, "127.0.0.1");
    await once(page, "listening");
    // A TCP server's address is an object.
    const { port } = page.address() as AddressInfo;
    const result = await call({ baseUrl: `http://127.0.0.1:${port}`, retry: { ...FAST, maxAttempts: 1 } });
    page.close();
    page.closeAllConnections();
    expect(result).toEqual({
      ok: false,
      failure: { kind: "model-malformed", attempts: 1, reason: "answered text/html, not an event stream" },
    });
  });

  it("ends with the last trouble when they differ", async () => {
    const result = await callScript([{ status: 500 }, { cut: "mid-stream" }, { malformed: true }], {
      retry: { ...FAST, maxAttempts: 3 },
    });
    expect(result).toMatchObject({ failure: { kind: "model-malformed", attempts: 3 } });
  });
});

describe("troubles that are final", () => {
  it.each([401, 403])("makes exactly one request when the answer is %i", async (status) => {
    expect(await callScript(always({ status, error: "invalid x-api-key" }))).toEqual({
      ok: false,
      failure: { kind: "model-unauthorized", status, message: "invalid x-api-key" },
    });
    expect(server.requests).toHaveLength(1);
    expect(retries).toEqual([]);
  });

  it.each([400, 402, 404, 413, 422])("passes on what the endpoint said with a %i", async (status) => {
    expect(await callScript(always({ status, error: "model: qwen3 not found" }))).toEqual({
      ok: false,
      failure: { kind: "model-rejected", status, message: "model: qwen3 not found" },
    });
    expect(server.requests).toHaveLength(1);
  });

  it("is unauthorized when an error event says so", async () => {
    const events = [{ type: "error", error: { type: "authentication_error", message: "expired" } }];
    expect(await callScript(always({ events }))).toEqual({
      ok: false,
      failure: { kind: "model-unauthorized", status: 401, message: "expired" },
    });
  });

  it("is rejected also when the endpoint's message is no text", async () => {
    expect(await callScript(always({ status: 400, error: { message: { code: 7 } } }))).toMatchObject({
      ok: false,
      failure: { kind: "model-rejected", status: 400, message: expect.stringContaining('{"code":7}') },
    });
  });

  it("bounds what an endpoint says", async () => {
    const result = await callScript(always({ status: 400, error: "x".repeat(100_000) }));
    expect(!result.ok && result.failure.kind === "model-rejected" && result.failure.message.length).toBe(1_000);
  });
});

describe("how long it waits", () => {
  it("honours retry-after, in seconds", async () => {
    const stop = new AbortController();
    server = await startScriptedModel([{ status: 429, headers: { "retry-after": "7" } }]);
    const model = anthropicModel({ baseUrl: server.url, models: { small: "m", medium: "m", large: "m" } });
    const delays: number[] = [];
    const onRetry = ({ delayMs }: ModelRetry) => {
      delays.push(delayMs);
      stop.abort(new Error("seen enough"));
    };
    await expect(model.call(REQUEST, { signal: stop.signal, onRetry })).rejects.toThrow("seen enough");
    expect(delays).toEqual([7_000]);
  });

  it("caps retry-after", async () => {
    const step: Step = { status: 429, headers: { "retry-after": "3600" } };
    expect(await callScript([step, { text: "fine" }], { retry: { baseDelayMs: 1, capMs: 20 } })).toMatchObject({
      ok: true,
    });
    expect(retries[0]?.delayMs).toBe(20);
  });
});

describe("an abort", () => {
  const reason = { why: "the run was cancelled" };

  it("during a delay rejects with the signal's reason at once", async () => {
    const stop = new AbortController();
    server = await startScriptedModel(always({ status: 503, headers: { "retry-after": "60" } }));
    const model = anthropicModel({ baseUrl: server.url, models: { small: "m", medium: "m", large: "m" } });
    // A microtask later the delay of a minute has begun.
    const onRetry = () => queueMicrotask(() => stop.abort(reason));
    await expect(model.call(REQUEST, { signal: stop.signal, onRetry })).rejects.toBe(reason);
    expect(server.requests).toHaveLength(1);
  });

  it("before the call makes no request", async () => {
    await expect(callScript([{ text: "fine" }], {}, AbortSignal.abort(reason))).rejects.toBe(reason);
    expect(server.requests).toEqual([]);
  });

  it("while the endpoint is thinking rejects with the signal's reason", async () => {
    const stop = new AbortController();
    const script: Script = () => {
      stop.abort(reason);
      return held(new Promise(() => {}), { text: "never" });
    };
    await expect(callScript(script, {}, stop.signal)).rejects.toBe(reason);
  });

  it("in the middle of a stream rejects with the signal's reason and closes the connection", async () => {
    const stop = new AbortController();
    const closed = Promise.withResolvers<void>();
    const raw = createServer((request, response) => {
      request.resume();
      response.on("close", () => closed.resolve());
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write('event: ping\ndata: {"type":"ping"}\n\n', () => stop.abort(reason));
    }).listen(0, "127.0.0.1");
    await once(raw, "listening");
    server = await startScriptedModel([]);
    // A TCP server's address is an object.
    const { port } = raw.address() as AddressInfo;
    await expect(call({ baseUrl: `http://127.0.0.1:${port}` }, stop.signal)).rejects.toBe(reason);
    await closed.promise;
    raw.close();
  });
});
