import { afterEach, describe, expect, it } from "vitest";
import { anthropicModel } from "../../../src/model/anthropic.ts";
import { startScriptedModel } from "../../support/scripted-model.ts";
import type { ScriptedModel, Step } from "../../support/scripted-model.ts";

let server: ScriptedModel;
afterEach(() => server.close());

async function replyTo(steps: Step[], model = "claude-sonnet-5-5") {
  server = await startScriptedModel(steps);
  const port = anthropicModel({
    baseUrl: server.url,
    models: { small: model, medium: model, large: model },
    maxTokens: 777,
    retry: { baseDelayMs: 1, capMs: 1, maxAttempts: 2 },
  });
  return port.call(
    { tier: "medium", system: "s", brief: { goal: "g", variables: [] }, exchanges: [] },
    { signal: new AbortController().signal },
  );
}

const start = { type: "message_start", message: { model: "m", usage: { input_tokens: 3, output_tokens: 1 } } };
const toolStart = (index: number, name: string, input: unknown = {}) => ({
  type: "content_block_start",
  index,
  content_block: { type: "tool_use", id: `toolu_${index}`, name, input },
});
const json = (index: number, partial_json: string) => ({
  type: "content_block_delta",
  index,
  delta: { type: "input_json_delta", partial_json },
});
const end = (stop_reason: string) => [
  { type: "message_delta", delta: { stop_reason }, usage: { output_tokens: 9 } },
  { type: "message_stop" },
];

describe("a reply", () => {
  it("holds a text that came in pieces", async () => {
    const text = "Das Ergebnis ist 42 – 答えは四十二 🎉\n".repeat(50);
    expect(await replyTo([{ text }])).toMatchObject({ ok: true, value: { text, model: "claude-sonnet-5-5" } });
  });

  it("holds text and code, and the call's id", async () => {
    const code = 'const s = "a\\n\\"b\\"";\ndone({ s, π: 3 })';
    expect(await replyTo([{ text: "Now:", code }])).toMatchObject({
      ok: true,
      value: { text: "Now:", call: { id: "toolu_1", code } },
    });
  });

  it("without code has no call", async () => {
    const result = await replyTo([{ text: "fine" }]);
    expect(result.ok && "call" in result.value).toBe(false);
  });

  it("may be empty: what to do then is the coordinator's decision", async () => {
    expect(await replyTo([{ text: "" }])).toMatchObject({ ok: true, value: { text: "" } });
  });

  it("counts tokens as the endpoint did and prices them, cache reads and writes included", async () => {
    const usage = {
      input_tokens: 1_000,
      output_tokens: 200,
      cache_read_input_tokens: 30_000,
      cache_creation_input_tokens: 4_000,
    };
    const result = await replyTo([{ text: "fine", usage }]);
    expect(result).toMatchObject({
      ok: true,
      value: { usage: { input: 1_000, output: 200, cacheRead: 30_000, cacheWrite: 4_000 } },
    });
    // 1,000 × $2 + 200 × $10 + 30,000 × $0.10 + 4,000 × $2.50, per million
    expect(result.ok && result.value.costUsd).toBeCloseTo(0.017, 10);
  });

  it("of a model without a known price has no cost", async () => {
    expect(await replyTo([{ text: "fine" }], "qwen3:8b")).toMatchObject({ ok: true, value: { costUsd: null } });
  });

  it("counts only the attempt that succeeded", async () => {
    const usage = { input_tokens: 10, output_tokens: 5 };
    expect(await replyTo([{ cut: "mid-stream" }, { text: "fine", usage }])).toMatchObject({
      ok: true,
      value: { usage: { input: 10, output: 5, cacheRead: 0, cacheWrite: 0 } },
    });
  });

  it("with several calls is its first run_code", async () => {
    const events = [
      start,
      toolStart(0, "search"),
      json(0, "{}"),
      toolStart(1, "run_code"),
      toolStart(2, "run_code"),
      json(2, '{"code":"two"}'),
      json(1, '{"code":'),
      json(1, '"one"}'),
      ...end("tool_use"),
    ];
    expect(await replyTo([{ events }])).toMatchObject({ ok: true, value: { call: { id: "toolu_1", code: "one" } } });
  });

  it("may give the tool's input whole, at the start of its block", async () => {
    const events = [start, toolStart(0, "run_code", { code: "done(1)" }), ...end("tool_use")];
    expect(await replyTo([{ events }])).toMatchObject({ ok: true, value: { call: { code: "done(1)" } } });
  });

  it("may hold events and blocks that nobody here knows", async () => {
    const events = [
      start,
      { type: "brand_new_event", anything: [1] },
      { type: "content_block_start", index: 0, content_block: { type: "brand_new_block", anything: [1] } },
      { type: "content_block_delta", index: 0, delta: { type: "brand_new_delta", anything: [1] } },
      { type: "content_block_start", index: 1, content_block: { type: "text", text: "fine" } },
      ...end("end_turn"),
    ];
    expect(await replyTo([{ events }])).toMatchObject({ ok: true, value: { text: "fine", usage: { output: 9 } } });
  });

  it("that is a refusal is not retried and says why", async () => {
    expect(await replyTo([{ refuse: true, why: "Not this." }])).toMatchObject({
      ok: false,
      failure: { kind: "model-refused", message: "Not this.", spent: { usage: { input: expect.any(Number) } } },
    });
    expect(server.requests).toHaveLength(1);
  });

  it("that was cut at max_tokens inside a call is truncated and not retried", async () => {
    const events = [start, toolStart(0, "run_code"), json(0, '{"code":"const a ='), ...end("max_tokens")];
    expect(await replyTo([{ events }])).toEqual({ ok: false, failure: { kind: "model-truncated", maxTokens: 777 } });
    expect(server.requests).toHaveLength(1);
  });

  it("that was cut at max_tokens inside its text is truncated too: half a text is no answer", async () => {
    expect(await replyTo([{ text: "The answer is", stop: "max_tokens" }])).toMatchObject({
      failure: { kind: "model-truncated" },
    });
  });

  it("whose call is complete counts, though it ends at max_tokens", async () => {
    expect(await replyTo([{ code: "done(1)", stop: "max_tokens" }])).toMatchObject({
      ok: true,
      value: { call: { code: "done(1)" } },
    });
  });

  it.each([
    ["without code", [start, toolStart(0, "run_code"), json(0, '{"source":"1"}'), ...end("tool_use")]],
    ["with code that is no string", [start, toolStart(0, "run_code"), json(0, '{"code":1}'), ...end("tool_use")]],
    ["with input that is not JSON", [start, toolStart(0, "run_code"), json(0, '{"code"'), ...end("tool_use")]],
    ["to a tool that does not exist", [start, toolStart(0, "shell"), json(0, "{}"), ...end("tool_use")]],
  ])("with a call %s is malformed", async (_what, events) => {
    expect(await replyTo([{ events }, { events }])).toMatchObject({
      ok: false,
      failure: { kind: "model-malformed", attempts: 2 },
    });
  });

  it.each([
    ["has no message_start", end("end_turn")],
    [
      "has a call without an id",
      [start, { type: "content_block_start", index: 0, content_block: { type: "tool_use" } }],
    ],
    [
      "has a thought that is no text",
      [start, { type: "content_block_start", index: 0, content_block: { type: "thinking", thinking: 1 } }],
    ],
    ["has a delta without its text", [start, { type: "content_block_delta", index: 0, delta: { type: "text_delta" } }]],
  ])("is malformed when its stream %s", async (_what, events) => {
    expect(await replyTo([{ events }, { text: "fine" }])).toMatchObject({ ok: true, value: { text: "fine" } });
    expect(server.requests).toHaveLength(2);
  });
});
