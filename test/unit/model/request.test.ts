import { afterEach, describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/contract/model.ts";
import { anthropicModel } from "../../../src/model/anthropic.ts";
import { startScriptedModel } from "../../support/scripted-model.ts";
import type { ScriptedModel, Script } from "../../support/scripted-model.ts";

const MODELS = { small: "s-1", medium: "m-1", large: "l-1" };
const EPHEMERAL = { type: "ephemeral" };

let server: ScriptedModel;
afterEach(() => server.close());

const request = (over: Partial<ModelRequest> = {}): ModelRequest => ({
  tier: "medium",
  system: "Be exact.",
  brief: { goal: "Add the numbers.", variables: [] },
  exchanges: [],
  ...over,
});

async function ask(
  over: Partial<ModelRequest> = {},
  options: { apiKey?: string; prefix?: string; script?: Script } = {},
) {
  server = await startScriptedModel(options.script ?? [{ text: "fine" }]);
  const model = anthropicModel({
    baseUrl: server.url + (options.prefix ?? ""),
    models: MODELS,
    ...(options.apiKey === undefined ? {} : { apiKey: options.apiKey }),
  });
  const result = await model.call(request(over), { signal: new AbortController().signal });
  return { result, sent: server.requests[0] };
}

describe("what goes over the wire", () => {
  it("shows the model exactly one tool, run_code, and asks for one call at a time", async () => {
    const { sent } = await ask();
    expect(sent?.body.tools).toEqual([
      expect.objectContaining({ name: "run_code", input_schema: expect.objectContaining({ required: ["code"] }) }),
    ]);
    expect(sent?.body.tool_choice).toEqual({ type: "auto", disable_parallel_tool_use: true });
    expect(sent?.body.stream).toBe(true);
  });

  it("marks the system prompt and the last user block for the cache, and nothing else", async () => {
    const { sent } = await ask({
      exchanges: [
        { text: "One.", call: { id: "toolu_a", code: "1" }, answer: '{"value":"1"}' },
        { text: "", call: { id: "toolu_b", code: "2" }, answer: '{"value":"2"}' },
      ],
    });
    expect(sent?.body.system).toEqual([{ type: "text", text: "Be exact.", cache_control: EPHEMERAL }]);
    expect(sent?.body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Add the numbers." }] },
      {
        role: "assistant",
        content: [
          { type: "text", text: "One." },
          { type: "tool_use", id: "toolu_a", name: "run_code", input: { code: "1" } },
        ],
      },
      { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_a", content: '{"value":"1"}' }] },
      { role: "assistant", content: [{ type: "tool_use", id: "toolu_b", name: "run_code", input: { code: "2" } }] },
      {
        role: "user",
        content: [{ type: "tool_result", tool_use_id: "toolu_b", content: '{"value":"2"}', cache_control: EPHEMERAL }],
      },
    ]);
  });

  it("marks the brief for the cache when it is the last user block", async () => {
    const { sent } = await ask();
    expect(sent?.body.messages).toEqual([
      { role: "user", content: [{ type: "text", text: "Add the numbers.", cache_control: EPHEMERAL }] },
    ]);
  });

  it("sends a nudge as the user's text", async () => {
    const { sent } = await ask({ exchanges: [{ text: "Hm.", nudge: "Call run_code or answer." }] });
    expect(sent?.body.messages.slice(1)).toEqual([
      { role: "assistant", content: [{ type: "text", text: "Hm." }] },
      { role: "user", content: [{ type: "text", text: "Call run_code or answer.", cache_control: EPHEMERAL }] },
    ]);
  });

  it("never sends an empty message: after an empty reply the nudge joins the brief", async () => {
    const { sent } = await ask({ exchanges: [{ text: " \n", nudge: "Go on." }] });
    expect(sent?.body.messages).toEqual([
      {
        role: "user",
        content: [
          { type: "text", text: "Add the numbers." },
          { type: "text", text: "Go on.", cache_control: EPHEMERAL },
        ],
      },
    ]);
  });

  it("leaves an empty system prompt out", async () => {
    const { sent } = await ask({ system: "" });
    expect(sent?.body).not.toHaveProperty("system");
  });

  it("sends a key both as x-api-key and as a bearer token", async () => {
    const { sent } = await ask({}, { apiKey: "sk-secret" });
    expect(sent?.headers["x-api-key"]).toBe("sk-secret");
    expect(sent?.headers.authorization).toBe("Bearer sk-secret");
    expect(sent?.headers["anthropic-version"]).toMatch(/^\d{4}-\d\d-\d\d$/);
  });

  it("sends a placeholder to a base URL without a key", async () => {
    const { sent } = await ask();
    expect(sent?.headers["x-api-key"]).toBe("none");
    expect(sent?.headers.authorization).toBe("Bearer none");
  });

  it.each(["/gateway/anthropic", "/gateway/anthropic/"])("keeps the path of the base URL %s", async (prefix) => {
    const { sent, result } = await ask({}, { prefix });
    expect(sent?.path).toBe("/gateway/anthropic/v1/messages");
    expect(result.ok).toBe(true);
  });

  it.each(["small", "medium", "large"] as const)("asks the model of tier %s", async (tier) => {
    const { sent, result } = await ask({ tier });
    expect(sent?.body.model).toBe(MODELS[tier]);
    expect(result).toMatchObject({ ok: true, value: { model: MODELS[tier] } });
  });
});
