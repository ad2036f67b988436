import { z } from "zod";
import { defineTool, type ToolContext, ToolFailure } from "./define.ts";
import { parseEgress, permittedUrl } from "./egress.ts";
import { exchange, MAX_TIME_MS, type Outgoing } from "./exchange.ts";
import { idempotencyToken } from "./idempotency.ts";
import { requestHeaders } from "./request-headers.ts";
import { injectSecrets } from "./secrets.ts";

const NOT_SENT = ["CONNECT", "TRACE", "TRACK"]; // they make a tunnel, or a mirror of the headers; fetch knows none of them
const Method = z
  .string()
  .regex(/^[A-Z]{1,32}(-[A-Z]{1,32})?$/, "must be a method in capitals, such as PUT")
  .refine((method) => !NOT_SENT.includes(method), `must be none of ${NOT_SENT.join(", ")}: they are not sent`);

const Url = z.string().min(1).max(8192).describe("In full, http or https, without a user name or password.");
const HeaderFields = z
  .record(z.string().regex(/^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,128}$/, "must be the name of a header"), z.string().max(8192))
  .refine((headers) => Object.keys(headers).length <= 50, "must hold at most 50 headers")
  .describe("A value may hold {{secret:NAME}}: the host puts the secret there, unseen by code.");
const TimeoutMs = z.int().min(1).max(MAX_TIME_MS).describe(`How long to wait at most; ${MAX_TIME_MS} when left out.`);
const RequestBody = z.json().describe("Text is sent as it is, anything else as JSON.");

const HttpAnswer = z.object({
  status: z.int().describe("As the server gave it: 404 and 500 are answers too, not failures."),
  headers: z.record(z.string(), z.string()).describe("By name in lower case."),
  body: z.unknown().describe("Data when the answer is JSON, text when it is text, else base64."),
  encoding: z.literal("base64").optional().describe("Set when `body` is base64 of binary data."),
});
type HttpAnswer = z.infer<typeof HttpAnswer>;

const LIMITS = `Up to 5 MiB, ${MAX_TIME_MS / 1000} s and 5 redirects. Public hosts only, unless PRAXIS_EGRESS says otherwise.
Fails with kind: egress-refused, bad-url, bad-header, unreachable, timeout, too-large, too-many-redirects, redirect-refused, unknown-secret, secret-refused.`;

interface Wanted {
  method: string;
  url: string;
  headers?: Record<string, string> | undefined;
  body?: unknown;
  timeoutMs?: number | undefined;
}

/** The request as it would be sent. Throws for one that may not be. */
function prepare(wanted: Wanted, { host, idempotencyKey }: ToolContext): Outgoing {
  const { method, body, timeoutMs } = wanted;
  const policy = parseEgress(host.egress);
  const url = permittedUrl(wanted.url, policy);
  const headers = requestHeaders(wanted.headers);
  const isSafe = method === "GET" || method === "HEAD" || method === "OPTIONS";
  if (body !== undefined && isSafe) throw new ToolFailure("bad-request", `A ${method} has no body. Leave it out.`);
  if (body !== undefined && !headers.has("content-type"))
    headers.set("content-type", typeof body === "string" ? "text/plain; charset=utf-8" : "application/json");
  if (!isSafe && !headers.has("idempotency-key")) headers.set("idempotency-key", idempotencyToken(idempotencyKey));
  const secrets = injectSecrets(headers, url, { host, policy });
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  return { method, url, headers, body: text, secrets, policy, timeoutMs };
}

const send = (wanted: Wanted, context: ToolContext): Promise<HttpAnswer> =>
  exchange(prepare(wanted, context), context.signal);

export const httpGet = defineTool({
  name: "http.get",
  summary: "Fetches a URL: web page, API, feed or file.",
  description: LIMITS,
  input: z.strictObject({ url: Url, headers: HeaderFields.optional(), timeoutMs: TimeoutMs.optional() }),
  output: HttpAnswer,
  effect: "read",
  approval: "never",
  examples: [
    {
      args: { url: "https://api.example.com/items?page=1", headers: { authorization: "Bearer {{secret:SHOP_TOKEN}}" } },
      result: { status: 200, headers: { "content-type": "application/json" }, body: { items: [] } },
    },
  ],
  execute: (args, context) => send({ ...args, method: "GET" }, context),
});

export const httpPost = defineTool({
  name: "http.post",
  summary: "Posts JSON or text to a URL.",
  description: `Sends an Idempotency-Key that stays the same when the call is repeated.\n${LIMITS}`,
  input: z.strictObject({
    url: Url,
    body: RequestBody,
    headers: HeaderFields.optional(),
    timeoutMs: TimeoutMs.optional(),
  }),
  output: HttpAnswer,
  effect: "once", // few servers heed the Idempotency-Key, so a repetition is not known to be harmless
  approval: "ask",
  examples: [
    {
      args: { url: "https://api.example.com/items", body: { name: "lamp" } },
      result: { status: 201, headers: { "content-type": "application/json" }, body: { id: 7 } },
    },
  ],
  check: (args, context) => void prepare({ ...args, method: "POST" }, context),
  execute: (args, context) => send({ ...args, method: "POST" }, context),
});

export const httpRequest = defineTool({
  name: "http.request",
  summary: "Makes an HTTP request with any method: PUT, PATCH, DELETE, HEAD and others.",
  description: `For plain reading http.get is better: nobody is asked.\n${LIMITS}`,
  input: z.strictObject({
    method: Method.describe("In capitals; any but CONNECT and TRACE."),
    url: Url,
    headers: HeaderFields.optional(),
    body: RequestBody.optional(),
    timeoutMs: TimeoutMs.optional(),
  }),
  output: HttpAnswer,
  effect: "once",
  approval: "ask",
  examples: [
    {
      args: { method: "DELETE", url: "https://api.example.com/items/7" },
      result: { status: 204, headers: {}, body: "" },
    },
  ],
  check: (args, context) => void prepare(args, context),
  execute: send,
});
