import { z } from "zod";
import type { ModelReply, TokenUsage } from "../contract/model.ts";
import { costOf } from "./pricing.ts";
import { RUN_CODE } from "./prompt.ts";
import type { Attempt } from "./retry.ts";
import { parseEvent, parseJson } from "./stream.ts";
import type { BlockDelta, BlockStart, StreamUsage, ThinkingBlock } from "./stream.ts";
import { malformed, troubleOfType } from "./trouble.ts";
import type { Trouble } from "./trouble.ts";

/** A reply while it comes in. Tools and thoughts are by index of their block, in the order they began. */
export interface Draft {
  maxTokens: number;
  model?: string;
  text: string;
  tools: Map<number, { id: string; name: string; input: unknown; json: string }>;
  thoughts: Map<number, ThinkingBlock>;
  stopReason?: string;
  explanation?: string;
  usage: TokenUsage;
  isComplete: boolean;
}

export const newDraft = (maxTokens: number): Draft => ({
  maxTokens,
  text: "",
  tools: new Map(),
  thoughts: new Map(),
  usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
  isComplete: false,
});

/** Takes one event into the draft. Answers what is wrong with it, if something is. */
export function absorb(draft: Draft, data: string): Trouble | undefined {
  const event = parseEvent(data);
  switch (event.type) {
    case "unused":
      return undefined;
    case "unreadable":
      return malformed(event.reason);
    case "error":
      return troubleOfType(event.error.type, event.error.message);
    case "message_start":
      draft.model = event.message.model;
      count(draft.usage, event.message.usage);
      return undefined;
    case "content_block_start":
      begin(draft, event);
      return undefined;
    case "content_block_delta":
      extend(draft, event);
      return undefined;
    case "message_delta":
      if (event.delta.stop_reason) draft.stopReason = event.delta.stop_reason;
      if (event.delta.stop_details?.explanation) draft.explanation = event.delta.stop_details.explanation;
      count(draft.usage, event.usage);
      return undefined;
    case "message_stop":
      draft.isComplete = true;
      return undefined;
  }
}

function begin(draft: Draft, { index, content_block: block }: BlockStart): void {
  if (block.type === "text") draft.text += block.text;
  if (block.type === "tool_use") draft.tools.set(index, { ...block, json: "" });
  if (block.type === "thinking" || block.type === "redacted_thinking") draft.thoughts.set(index, block);
}

function extend(draft: Draft, { index, delta }: BlockDelta): void {
  if (delta.type === "text_delta") draft.text += delta.text;
  const tool = draft.tools.get(index);
  if (delta.type === "input_json_delta" && tool !== undefined) tool.json += delta.partial_json;
  const thought = draft.thoughts.get(index);
  if (thought?.type !== "thinking") return;
  if (delta.type === "thinking_delta") thought.thinking += delta.thinking;
  if (delta.type === "signature_delta") thought.signature = delta.signature; // comes whole, unlike the rest
}

/** Counts are cumulative: the last one told is the one. */
function count(usage: TokenUsage, told: StreamUsage): void {
  usage.input = told?.input_tokens ?? usage.input;
  usage.output = told?.output_tokens ?? usage.output;
  usage.cacheRead = told?.cache_read_input_tokens ?? usage.cacheRead;
  usage.cacheWrite = told?.cache_creation_input_tokens ?? usage.cacheWrite;
}

const RunCodeInput = z.object({ code: z.string() });

/** What a complete stream comes to. Of several calls the first `run_code` counts. */
export function settle(draft: Draft): Attempt<ModelReply> {
  const { model, text, tools, thoughts, stopReason, explanation, usage, maxTokens } = draft;
  if (model === undefined) return malformed("a message without message_start");
  if (stopReason === "refusal")
    return {
      outcome: "final",
      failure: {
        kind: "model-refused",
        message: explanation ?? text,
        spent: { model, usage, costUsd: costOf(model, usage) },
      },
    };

  const opaque = thoughts.size === 0 ? {} : { opaque: [...thoughts.values()] };
  const reply = { model, text, ...opaque, usage, costUsd: costOf(model, usage) };
  const calls = [...tools.values()];
  const call = calls.find(({ name }) => name === RUN_CODE.name);
  // Some endpoints send the input whole, with the start of its block.
  const input = RunCodeInput.safeParse(call?.json === "" ? call.input : parseJson(call?.json ?? ""));
  if (call !== undefined && input.success)
    return { outcome: "done", value: { ...reply, call: { id: call.id, code: input.data.code } } };

  // Cut off: half a cell must not run, and half a text is no final answer.
  if (stopReason === "max_tokens" || stopReason === "model_context_window_exceeded")
    return { outcome: "final", failure: { kind: "model-truncated", maxTokens } };
  if (call !== undefined) return malformed(`${RUN_CODE.name} without a string "code"`);
  if (calls[0] !== undefined) return malformed(`called ${calls[0].name}, which is not a tool it has`);
  return { outcome: "done", value: reply };
}
