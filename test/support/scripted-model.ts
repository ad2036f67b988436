/**
 * The stand-in for a model: a real HTTP server that speaks `POST /v1/messages` and answers from a script.
 *
 * In tests: `await startScriptedModel([{ code: "done(1)" }])`. From a shell: `node test/support/scripted-model.ts
 * --script FILE.json [--port N]` prints its address on the first line; the file holds a list of steps, or an object
 * from a part of the goal to a list of steps.
 *
 * Each request takes one step, retries too. A script that has run out answers 400, which no client retries.
 */
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { IncomingHttpHeaders, IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { parseArgs } from "node:util";

export interface ScriptedUsage {
  input_tokens: number;
  output_tokens: number;
  cache_read_input_tokens: number;
  cache_creation_input_tokens: number;
}

export interface ReplyStep {
  /** Becomes a signed thinking block in front of the rest. */
  thinking?: string;
  text?: string;
  /** Becomes a `run_code` call. */
  code?: string;
  stop?: string;
  /** The model that answers, when it is not the one that was asked for. */
  model?: string;
  usage?: Partial<ScriptedUsage>;
}

export type Step =
  | ReplyStep
  | { status: number; headers?: Record<string, string>; error?: { type?: string; message: unknown } | string }
  /** Part of a reply, then the socket is destroyed. */
  | { cut: "mid-stream" }
  /** Events that are not JSON. */
  | { malformed: true }
  | { refuse: true; why?: string }
  /** The start of a reply, then nothing: the connection stays open until the server closes. */
  | { stall: true }
  /** These events as they are, then a clean end. */
  | { events: { type: string; [field: string]: unknown }[] }
  | { delayMs: number; then: Step }
  | { hold: Promise<unknown>; then: Step };

// `then` is no function here, so nothing takes these objects for promises.
// oxlint-disable-next-line unicorn/no-thenable
export const delayed = (delayMs: number, step: Step): Step => ({ delayMs, then: step });
// oxlint-disable-next-line unicorn/no-thenable
export const held = (hold: Promise<unknown>, step: Step): Step => ({ hold, then: step });

/** What a script may rely on; a request may hold more. */
export interface MessagesBody {
  model: string;
  stream?: boolean;
  max_tokens?: number;
  system?: unknown;
  tools?: unknown;
  tool_choice?: unknown;
  messages: { role: string; content: string | { type: string; [field: string]: unknown }[] }[];
}

export type StepFunction = (body: MessagesBody, index: number, headers: IncomingHttpHeaders) => Step | Promise<Step>;
export type Script = Step[] | StepFunction;

export interface RecordedRequest {
  path: string;
  headers: IncomingHttpHeaders;
  body: MessagesBody;
}

export interface ScriptedModel {
  url: string;
  /** Every request, in order of arrival. */
  requests: RecordedRequest[];
  close(): Promise<void>;
}

export async function startScriptedModel(script: Script, options: { port?: number } = {}): Promise<ScriptedModel> {
  const step: StepFunction = typeof script === "function" ? script : (_body, index) => stepAt(script, index);
  const requests: RecordedRequest[] = [];
  const server = createServer((request, response) => {
    const answer = async () => {
      const path = request.url ?? "/";
      if (request.method !== "POST" || !path.split("?")[0]?.endsWith("/v1/messages"))
        return sendError(response, { status: 404, error: `No ${request.method} ${path} here.` });
      // Only our own client talks to this server: the shape is the Messages API's.
      const body = JSON.parse(await readBody(request)) as MessagesBody;
      const index = requests.push({ path, headers: request.headers, body }) - 1;
      await play(await step(body, index, request.headers), { body, response, index });
    };
    answer().catch((error: unknown) => {
      if (!response.headersSent) sendError(response, { status: 400, error: String(error) });
      else response.destroy();
    });
  });
  server.listen(options.port ?? 0, "127.0.0.1");
  await once(server, "listening");
  // A TCP server's address is an object.
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    requests,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}

/**
 * Routes by goal: the longest key that the first user message contains picks the list, and each list has its own
 * position. For runs that go on at the same time.
 */
export function byGoal(lists: Record<string, Step[]>): StepFunction {
  const positions = new Map<string, number>();
  const keys = Object.keys(lists).sort((a, b) => b.length - a.length);
  return (body) => {
    const goal = firstUserText(body);
    const key = keys.find((part) => goal.includes(part));
    if (key === undefined) return { status: 400, error: `No script for the goal: ${goal.slice(0, 200)}` };
    const position = positions.get(key) ?? 0;
    positions.set(key, position + 1);
    return stepAt(lists[key] ?? [], position);
  };
}

export function firstUserText(body: MessagesBody): string {
  const content = body.messages.find(({ role }) => role === "user")?.content ?? "";
  if (typeof content === "string") return content;
  return content.map(({ text }) => (typeof text === "string" ? text : "")).join("\n");
}

const stepAt = (steps: Step[], index: number): Step =>
  steps[index] ?? { status: 400, error: `The script has ${steps.length} steps; this is request ${index + 1}.` };

interface Stage {
  body: MessagesBody;
  response: ServerResponse;
  index: number;
}

async function play(step: Step, stage: Stage): Promise<void> {
  const { body, response } = stage;
  if ("delayMs" in step) {
    await new Promise((resolve) => setTimeout(resolve, step.delayMs));
    return play(step.then, stage);
  }
  if ("hold" in step) {
    await step.hold;
    return play(step.then, stage);
  }
  if ("status" in step) return sendError(response, step);
  if ("events" in step) {
    openStream(response);
    for (const event of step.events) send(response, event);
    response.end();
    return;
  }
  if ("malformed" in step) return sendGarbage(stage);
  if ("cut" in step || "stall" in step) {
    openStream(response);
    const all = events(message({ text: "Let me see", code: "const x = 1;" }, stage));
    const half = all.slice(0, Math.ceil(all.length / 2));
    await new Promise((flushed) => response.write(half.map(frame).join(""), flushed));
    if ("cut" in step) response.destroy();
    return;
  }
  const reply = "refuse" in step ? { text: "", stop: "refusal" } : step;
  const details = "refuse" in step ? { type: "refusal", category: null, explanation: step.why ?? null } : null;
  const whole = { ...message(reply, stage), stop_details: details };
  if (body.stream !== true) {
    response.writeHead(200, { "content-type": "application/json" }).end(JSON.stringify(whole));
    return;
  }
  openStream(response);
  for (const event of events(whole)) send(response, event);
  response.end();
}

type Block =
  | { type: "thinking"; thinking: string; signature: string }
  | { type: "text"; text: string }
  | { type: "tool_use"; id: string; name: string; input: Record<string, unknown> };

interface Message {
  id: string;
  type: "message";
  role: "assistant";
  model: string;
  content: Block[];
  stop_reason: string;
  stop_sequence: null;
  stop_details?: unknown;
  usage: ScriptedUsage;
}

function message(reply: ReplyStep, { body, index }: Stage): Message {
  const { thinking, text = "", code, usage } = reply;
  const content: Block[] = [];
  if (thinking !== undefined) content.push({ type: "thinking", thinking, signature: `signature_${index + 1}` });
  if (text !== "") content.push({ type: "text", text });
  if (code !== undefined)
    content.push({ type: "tool_use", id: `toolu_${index + 1}`, name: "run_code", input: { code } });
  const prompt = [body.system ?? [], body.tools ?? [], body.messages];
  return {
    id: `msg_${index + 1}`,
    type: "message",
    role: "assistant",
    model: reply.model ?? body.model,
    content,
    stop_reason: reply.stop ?? (code === undefined ? "end_turn" : "tool_use"),
    stop_sequence: null,
    usage: {
      input_tokens: tokens(prompt),
      output_tokens: tokens(content),
      cache_read_input_tokens: 0,
      cache_creation_input_tokens: 0,
      ...usage,
    },
  };
}

// About four characters a token, as a rule of thumb for English and code.
const tokens = (value: unknown): number => Math.ceil(JSON.stringify(value).length / 4);

type Event = { type: string; [field: string]: unknown };

/** A message as the events that stream it, its thinking, text and tool input in pieces. */
function events(whole: Message): Event[] {
  const { content, stop_reason, stop_sequence, stop_details = null, usage } = whole;
  const start = { ...whole, content: [], stop_reason: null, stop_details: null, usage: { ...usage, output_tokens: 1 } };
  return [
    { type: "message_start", message: start },
    { type: "ping" },
    ...content.flatMap(blockEvents),
    { type: "message_delta", delta: { stop_reason, stop_sequence, stop_details }, usage },
    { type: "message_stop" },
  ];
}

function blockEvents(block: Block, index: number): Event[] {
  const { empty, deltas } = inPieces(block);
  return [
    { type: "content_block_start", index, content_block: empty },
    ...deltas.map((delta) => ({ type: "content_block_delta", index, delta })),
    { type: "content_block_stop", index },
  ];
}

function inPieces(block: Block): { empty: Block; deltas: Event[] } {
  switch (block.type) {
    case "thinking": {
      const deltas: Event[] = pieces(block.thinking).map((thinking) => ({ type: "thinking_delta", thinking }));
      deltas.push({ type: "signature_delta", signature: block.signature });
      return { empty: { ...block, thinking: "", signature: "" }, deltas };
    }
    case "text":
      return {
        empty: { ...block, text: "" },
        deltas: pieces(block.text).map((text) => ({ type: "text_delta", text })),
      };
    case "tool_use": {
      const json = pieces(JSON.stringify(block.input));
      const deltas = json.map((partial_json) => ({ type: "input_json_delta", partial_json }));
      return { empty: { ...block, input: {} }, deltas };
    }
  }
}

const pieces = (text: string): string[] => {
  const size = Math.max(1, Math.ceil(text.length / 3));
  return Array.from({ length: Math.ceil(text.length / size) }, (_, i) => text.slice(i * size, (i + 1) * size));
};

const openStream = (response: ServerResponse) =>
  response.writeHead(200, { "content-type": "text/event-stream; charset=utf-8", "cache-control": "no-cache" });

const frame = (event: Event): string => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`;
const send = (response: ServerResponse, event: Event) => response.write(frame(event));

function sendGarbage({ body, response }: Stage): void {
  if (body.stream === true) openStream(response).end("event: message_start\ndata: {not json\n\n");
  else response.writeHead(200, { "content-type": "application/json" }).end("{not json");
}

const ERROR_TYPES: Record<number, string> = {
  400: "invalid_request_error",
  401: "authentication_error",
  403: "permission_error",
  404: "not_found_error",
  429: "rate_limit_error",
  529: "overloaded_error",
};

function sendError(response: ServerResponse, step: Extract<Step, { status: number }>): void {
  const { status, headers = {}, error = `Scripted ${status}.` } = step;
  const told = typeof error === "string" ? { message: error } : error;
  response
    .writeHead(status, { "content-type": "application/json", ...headers })
    .end(JSON.stringify({ type: "error", error: { type: ERROR_TYPES[status] ?? "api_error", ...told } }));
}

async function readBody(request: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  return Buffer.concat(chunks).toString("utf8");
}

if (import.meta.main) {
  const { values } = parseArgs({ options: { script: { type: "string" }, port: { type: "string" } } });
  if (values.script === undefined) {
    console.error("Usage: node test/support/scripted-model.ts --script FILE.json [--port N]");
    process.exit(2);
  }
  // Written by whoever runs this; a step of no known form answers an empty reply.
  const script = JSON.parse(readFileSync(values.script, "utf8")) as Step[] | Record<string, Step[]>;
  const server = await startScriptedModel(Array.isArray(script) ? script : byGoal(script), {
    port: Number(values.port ?? 0),
  });
  console.log(server.url);
}
