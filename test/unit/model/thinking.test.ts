import { afterEach, describe, expect, it } from "vitest";
import type { Exchange, ModelReply } from "../../../src/contract/model.ts";
import { anthropicModel } from "../../../src/model/anthropic.ts";
import { startScriptedModel } from "../../support/scripted-model.ts";
import type { ScriptedModel, Step } from "../../support/scripted-model.ts";

let server: ScriptedModel;
afterEach(() => server.close());

/** Takes two turns as a coordinator does: what the first said goes into the request of the second. */
async function twoTurns(first: Step, told: (reply: ModelReply) => Pick<Exchange, "answer" | "nudge">) {
  server = await startScriptedModel([first, { text: "fine" }]);
  const model = anthropicModel({ baseUrl: server.url, models: { small: "m", medium: "m", large: "m" } });
  const turn = async (exchanges: Exchange[]) => {
    const brief = { goal: "g", variables: [] };
    const result = await model.call(
      { tier: "medium", system: "s", brief, exchanges },
      { signal: new AbortController().signal },
    );
    if (!result.ok) throw new Error(JSON.stringify(result.failure));
    return result.value;
  };
  const reply = await turn([]);
  const { text, call, opaque } = reply;
  // Stored between turns, so through JSON.
  const past: Exchange = JSON.parse(JSON.stringify({ text, call, opaque, ...told(reply) }));
  await turn([past]);
  return { reply, messages: server.requests[1]?.body.messages };
}

const answered = () => ({ answer: '{"value":"1"}' });
const began = (index: number, content_block: object) => ({ type: "content_block_start", index, content_block });
const grew = (index: number, delta: object) => ({ type: "content_block_delta", index, delta });
const start = { type: "message_start", message: { model: "m" } };
const end = [{ type: "message_delta", delta: { stop_reason: "tool_use" } }, { type: "message_stop" }];
const cell = began(9, { type: "tool_use", id: "toolu_9", name: "run_code", input: { code: "1" } });

describe("thinking", () => {
  it("comes back in the next request unchanged and in front, with the tool's result after it", async () => {
    const thinking = "First the sum – 合計 – then\n\tthe check. ".repeat(20);
    const { messages } = await twoTurns({ thinking, text: "Now:", code: "1" }, answered);
    expect(messages?.slice(1)).toEqual([
      {
        role: "assistant",
        content: [
          { type: "thinking", thinking, signature: "signature_1" },
          { type: "text", text: "Now:" },
          { type: "tool_use", id: "toolu_1", name: "run_code", input: { code: "1" } },
        ],
      },
      { role: "user", content: [expect.objectContaining({ type: "tool_result", tool_use_id: "toolu_1" })] },
    ]);
  });

  it("keeps the order of its blocks, those it cannot read and fields nobody here knows", async () => {
    const redacted = { type: "redacted_thinking", data: "b3BhcXVl", extra: { a: 1 } };
    const events = [
      start,
      began(0, { type: "thinking", thinking: "", signature: "", extra: [1] }),
      grew(0, { type: "thinking_delta", thinking: "a" }),
      grew(0, { type: "signature_delta", signature: "s-a" }),
      began(1, redacted),
      began(2, { type: "thinking", thinking: "", signature: "" }),
      grew(2, { type: "signature_delta", signature: "s-c" }),
      cell,
      ...end,
    ];
    const { reply, messages } = await twoTurns({ events }, answered);
    const blocks = [
      { type: "thinking", thinking: "a", signature: "s-a", extra: [1] },
      redacted,
      { type: "thinking", thinking: "", signature: "s-c" },
    ];
    expect(reply.opaque).toEqual(blocks);
    expect(messages?.[1]?.content.slice(0, -1)).toEqual(blocks);
  });

  it("of an endpoint that signs nothing stays unsigned", async () => {
    const events = [
      start,
      began(0, { type: "thinking", thinking: "" }),
      grew(0, { type: "thinking_delta", thinking: "hm" }),
      cell,
      ...end,
    ];
    const { messages } = await twoTurns({ events }, answered);
    expect(messages?.[1]?.content[0]).toStrictEqual({ type: "thinking", thinking: "hm" });
  });

  it("is no part of the text", async () => {
    const { reply } = await twoTurns({ thinking: "secretly", text: "aloud", code: "1" }, answered);
    expect(reply.text).toBe("aloud");
  });

  it("that led to nothing is not sent: no message may end with it", async () => {
    const { reply, messages } = await twoTurns({ thinking: "Hm." }, () => ({ nudge: "Go on." }));
    expect(reply.opaque).toHaveLength(1);
    expect(messages?.map(({ role }) => role)).toEqual(["user"]);
  });

  it.each<Step>([{ text: "fine" }, { code: "1" }])("is absent from the reply %j: no opaque key", async (step) => {
    const { reply } = await twoTurns(step, ({ call }) => (call === undefined ? { nudge: "Go on." } : answered()));
    expect(reply).not.toHaveProperty("opaque");
  });
});
