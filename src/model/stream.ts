import { z } from "zod";

/** The events of a streamed message: those we use and, of them, the fields we use. Whatever else comes is passed over. */

const Count = z.number().nullish();
const Usage = z
  .object({
    input_tokens: Count,
    output_tokens: Count,
    cache_read_input_tokens: Count,
    cache_creation_input_tokens: Count,
  })
  .nullish();
export type StreamUsage = z.infer<typeof Usage>;

// Loose, and the signature optional: these go back as they came, also to an endpoint that signs nothing.
const Thinking = z.looseObject({
  type: z.literal("thinking"),
  thinking: z.string(),
  signature: z.string().optional(),
});
const RedactedThinking = z.looseObject({ type: z.literal("redacted_thinking") });
export type ThinkingBlock = z.infer<typeof Thinking> | z.infer<typeof RedactedThinking>;

const otherThan = (...types: string[]) =>
  z.object({ type: z.string().refine((type) => !types.includes(type)) }).transform(() => ({ type: "other" as const }));

const StreamEvent = z.discriminatedUnion("type", [
  z.object({ type: z.literal("message_start"), message: z.object({ model: z.string(), usage: Usage }) }),
  z.object({
    type: z.literal("content_block_start"),
    index: z.number(),
    content_block: z.union([
      z.object({ type: z.literal("text"), text: z.string() }),
      z.object({ type: z.literal("tool_use"), id: z.string().min(1), name: z.string(), input: z.unknown() }),
      Thinking,
      RedactedThinking,
      otherThan("text", "tool_use", "thinking", "redacted_thinking"),
    ]),
  }),
  z.object({
    type: z.literal("content_block_delta"),
    index: z.number(),
    delta: z.union([
      z.object({ type: z.literal("text_delta"), text: z.string() }),
      z.object({ type: z.literal("input_json_delta"), partial_json: z.string() }),
      z.object({ type: z.literal("thinking_delta"), thinking: z.string() }),
      z.object({ type: z.literal("signature_delta"), signature: z.string() }),
      otherThan("text_delta", "input_json_delta", "thinking_delta", "signature_delta"),
    ]),
  }),
  z.object({
    type: z.literal("message_delta"),
    delta: z.object({
      stop_reason: z.string().nullish(),
      stop_details: z.object({ explanation: z.string().nullish() }).nullish(),
    }),
    usage: Usage,
  }),
  z.object({ type: z.literal("message_stop") }),
  z.object({ type: z.literal("error"), error: z.object({ type: z.string(), message: z.string() }) }),
]);
export type StreamEvent = z.infer<typeof StreamEvent>;
export type BlockStart = Extract<StreamEvent, { type: "content_block_start" }>;
export type BlockDelta = Extract<StreamEvent, { type: "content_block_delta" }>;

const KNOWN_EVENTS = new Set<string>(StreamEvent.options.map((option) => option.shape.type.value));

/** `unused` is an event for others or a keep-alive; `unreadable` is what no endpoint may send. */
export function parseEvent(data: string): StreamEvent | { type: "unused" } | { type: "unreadable"; reason: string } {
  if (data === "") return { type: "unused" };
  const json = parseJson(data);
  const shape = z.object({ type: z.string() }).safeParse(json);
  if (!shape.success) return { type: "unreadable", reason: `not an event: ${data.slice(0, 80)}` };
  if (!KNOWN_EVENTS.has(shape.data.type)) return { type: "unused" };
  const parsed = StreamEvent.safeParse(json);
  if (parsed.success) return parsed.data;
  return { type: "unreadable", reason: `unknown shape of ${shape.data.type}: ${data.slice(0, 80)}` };
}

/** Undefined, which JSON cannot say, for what is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
