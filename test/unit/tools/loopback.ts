import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { type AnyTool, ToolFailure } from "../../../tool-bindings/define.ts";
import type { ToolHost } from "../../../tool-bindings/host.ts";

export interface Received {
  method: string;
  path: string;
  headers: Record<string, string | string[] | undefined>;
  body: string;
}

type Handler = (request: Received, response: ServerResponse) => void;

/** A real server on loopback that remembers what it was asked. */
export interface Loopback {
  origin: string;
  /** `127.0.0.1:port`, as PRAXIS_EGRESS takes it. */
  host: string;
  received: Received[];
  handle: Handler;
  close(): Promise<void>;
}

export async function loopback(handle: Handler = (_, response) => response.end()): Promise<Loopback> {
  const open: Loopback = { origin: "", host: "", received: [], handle, close: async () => {} };
  const server = createServer((request, response) => {
    void read(request).then((received) => {
      open.received.push(received);
      open.handle(received, response);
    });
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  open.host = `127.0.0.1:${(server.address() as AddressInfo).port}`; // TCP: never a pipe's name
  open.origin = `http://${open.host}`;
  open.close = async () => {
    server.closeAllConnections();
    server.close();
    await once(server, "close");
  };
  return open;
}

async function read(request: IncomingMessage): Promise<Received> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer); // no encoding is set
  return {
    method: request.method ?? "",
    path: request.url ?? "",
    headers: request.headers,
    body: Buffer.concat(parts).toString(),
  };
}

export const json =
  (value: unknown, status = 200, headers: Record<string, string> = {}): Handler =>
  (_, response) =>
    response.writeHead(status, { "content-type": "application/json", ...headers }).end(JSON.stringify(value));

/** Hosts that were about to be reached, other than loopback. Nothing leaves the machine while this is on. */
export function confineToLoopback(): { escaped: string[]; [Symbol.dispose](): void } {
  const real = globalThis.fetch;
  const escaped: string[] = [];
  globalThis.fetch = ((input: URL, init: RequestInit) => {
    if (input.hostname === "127.0.0.1") return real(input, init);
    escaped.push(input.href);
    throw new Error("left the machine");
  }) as typeof fetch; // tools hand it a URL and nothing else
  return { escaped, [Symbol.dispose]: () => void (globalThis.fetch = real) };
}

export interface Surroundings {
  egress?: string;
  secrets?: Record<string, string>;
  signal?: AbortSignal;
  idempotencyKey?: string;
}

/** Calls a tool as the desk does: arguments are parsed first. What it answers must fit what it declares. */
export async function call(tool: AnyTool, args: unknown, around: Surroundings = {}): Promise<unknown> {
  const { egress, secrets = {}, signal = new AbortController().signal, idempotencyKey = "cell:call 0" } = around;
  const lent: Pick<ToolHost, "egress" | "secret"> = { egress, secret: (name) => secrets[name] };
  const host = lent as ToolHost; // tools that reach out take nothing else of it
  const result = await tool.execute(tool.input.parse(args), { signal, idempotencyKey, host });
  tool.output?.parse(result);
  return result;
}

export async function failureOf(work: Promise<unknown>): Promise<{ kind: string; message: string; data: unknown }> {
  try {
    await work;
  } catch (error) {
    if (error instanceof ToolFailure) return { kind: error.kind, message: error.message, data: error.data };
    throw error;
  }
  throw new Error("It did not fail.");
}
