import { Buffer } from "node:buffer";
import { type Body, decodeBody, MAX_BODY_BYTES, readBody } from "./body.ts";
import { ToolFailure } from "./define.ts";
import { type EgressPolicy, permittedUrl } from "./egress.ts";
import { redactor, type Secret } from "./redaction.ts";

export const MAX_TIME_MS = 30_000;
export const MAX_REDIRECTS = 5;

/** One request, its URL already permitted. */
export interface Outgoing {
  method: string;
  url: URL;
  headers: Headers;
  body?: string | undefined;
  /** What the headers hold that must not come back. */
  secrets: readonly Secret[];
  policy: EgressPolicy;
  timeoutMs?: number | undefined;
  maxRedirects?: number;
}

export interface Answer extends Body {
  status: number;
  headers: Record<string, string>;
}

/** What a redirect may not take to another origin is everything but these. */
const IMPERSONAL = new Set(["accept", "accept-language", "user-agent"]);
const BODY_HEADERS = ["content-type", "content-encoding", "content-language", "content-location"];
const SAFE_METHODS = new Set(["GET", "HEAD", "OPTIONS"]);

/**
 * Sends a request, follows redirects and reads the answer, within limits. Every redirect passes the egress check again.
 *
 * Throws ToolFailures of the kinds `bad-url`, `egress-refused`, `too-many-redirects`, `redirect-refused`, `timeout`,
 * `too-large` and `unreachable`; when `signal` aborts, the signal's reason.
 */
export async function exchange(outgoing: Outgoing, signal: AbortSignal): Promise<Answer> {
  const timeoutMs = outgoing.timeoutMs ?? MAX_TIME_MS;
  const redact = redactor(outgoing.secrets);
  const clock = new AbortController();
  const timer = setTimeout(() => clock.abort(), timeoutMs);
  try {
    if (Buffer.byteLength(outgoing.body ?? "") > MAX_BODY_BYTES)
      throw new ToolFailure("too-large", `The body is larger than ${MAX_BODY_BYTES} bytes. Send it in parts.`);
    const response = await follow(outgoing, AbortSignal.any([signal, clock.signal]));
    const bytes = await readBody(response);
    return {
      status: response.status,
      headers: answerHeaders(response.headers, outgoing.method === "HEAD", redact.text),
      ...decodeBody(bytes, response.headers.get("content-type") ?? "", redact),
    };
  } catch (error) {
    if (signal.aborted) throw signal.reason;
    if (error instanceof ToolFailure)
      throw new ToolFailure(error.kind, redact.text(error.message), redact.value(error.data));
    const { host } = outgoing.url;
    if (clock.signal.aborted)
      throw new ToolFailure("timeout", `${host} took longer than ${timeoutMs} ms to answer.`, { timeoutMs });
    throw new ToolFailure("unreachable", `${host} could not be reached: ${redact.text(reasonOf(error))}.`);
  } finally {
    clearTimeout(timer);
  }
}

async function follow(outgoing: Outgoing, signal: AbortSignal): Promise<Response> {
  const limit = outgoing.maxRedirects ?? MAX_REDIRECTS;
  let hop = outgoing;
  for (let redirects = 0; ; redirects++) {
    const { method, headers, body } = hop;
    const response = await fetch(hop.url, {
      method,
      headers,
      redirect: "manual", // each hop is checked first
      signal,
      ...(body === undefined ? {} : { body }),
    });
    const location = response.headers.get("location");
    if (location === null || ![301, 302, 303, 307, 308].includes(response.status)) return response;
    await response.body?.cancel();
    if (redirects >= limit)
      throw new ToolFailure("too-many-redirects", `${outgoing.url.host} redirected more than ${limit} times.`);
    hop = redirected(hop, response.status, permittedUrl(location, outgoing.policy, hop.url));
  }
}

/** The next hop, by the rules of the fetch standard, and with what is personal left behind at another origin. */
function redirected(from: Outgoing, status: number, url: URL): Outgoing {
  const becomesGet =
    (status === 303 && from.method !== "HEAD") || ((status === 301 || status === 302) && from.method === "POST");
  const method = becomesGet ? "GET" : from.method;
  const headers = new Headers(from.headers);
  if (becomesGet) for (const name of BODY_HEADERS) headers.delete(name);
  if (url.origin !== from.url.origin) {
    if (!SAFE_METHODS.has(method))
      throw new ToolFailure(
        "redirect-refused",
        `${from.url.host} redirected the ${method} to ${url.origin}, which nobody asked for. Send it there if that is meant.`,
        { location: url.href },
      );
    for (const [name, value] of from.headers) {
      const isPersonal = !IMPERSONAL.has(name) || from.secrets.some((secret) => value.includes(secret.value));
      if (isPersonal) headers.delete(name);
    }
  }
  return { ...from, method, url, headers, body: becomesGet ? undefined : from.body };
}

function answerHeaders(headers: Headers, isHead: boolean, redact: (text: string) => string): Record<string, string> {
  const names = [...new Set([...headers].map(([name]) => name))];
  // The body was decoded: how it came over the wire would mislead
  const wire = new Set(["content-encoding", "transfer-encoding", ...(isHead ? [] : ["content-length"])]);
  return Object.fromEntries(
    names.filter((name) => !wire.has(name)).map((name) => [name, redact(headers.get(name) ?? "")]),
  );
}

function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const cause = error.cause as { code?: unknown } | undefined; // Node says why there; workerd says it in the message
  if (typeof cause?.code === "string") return cause.code;
  // The runtime's word for a name without an address among others: its reference says nothing to anybody.
  if (/^internal error/i.test(error.message)) return "the name has no address, or nothing answers there";
  return error.message.replace(/\.$/, "");
}
