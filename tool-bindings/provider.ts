import { ToolFailure, type ToolContext } from "./define.ts";
import { parseEgress, permittedUrl } from "./egress.ts";
import { exchange } from "./exchange.ts";
import type { Secret } from "./redaction.ts";

/** A request to a service that a tool was built for. */
export interface ProviderRequest {
  /** For people: `Brave Search`. */
  service: string;
  method: "GET" | "POST";
  /** The service's own address, and the setting that may put another in its place. */
  base: { url: string; setting: string };
  path: string;
  headers: Record<string, string>;
  body?: unknown;
  key?: Secret;
}

/**
 * The service's JSON answer. Passes the egress check like any request, and follows no redirect.
 *
 * Beyond the kinds of `exchange`: `provider-refused` (the key), `rate-limited`, `provider-failed`.
 */
export async function callProvider(request: ProviderRequest, { host, signal }: ToolContext): Promise<unknown> {
  const { service, base, key } = request;
  const root = host.secret(base.setting) ?? base.url;
  if (!URL.canParse(root)) throw new ToolFailure("bad-url", `SECRET_${base.setting} is not a URL.`);
  const policy = parseEgress(host.egress);
  const url = permittedUrl(root.replace(/\/+$/, "") + request.path, policy);
  const headers = new Headers({ accept: "application/json", "user-agent": "Praxis", ...request.headers });
  if (request.body !== undefined) headers.set("content-type", "application/json");
  const {
    status,
    headers: answered,
    body,
  } = await exchange(
    {
      method: request.method,
      url,
      headers,
      body: request.body === undefined ? undefined : JSON.stringify(request.body),
      secrets: key === undefined ? [] : [key],
      policy,
      maxRedirects: 0,
    },
    signal,
  );
  if (status >= 200 && status < 300) return body;
  const said = typeof body === "string" ? body : JSON.stringify(body);
  const data = { status, said: said.slice(0, 500) };
  if (status === 401 || status === 403)
    throw new ToolFailure(
      "provider-refused",
      `${service} refused (${status})${key === undefined ? "" : `. Check SECRET_${key.name}`}.`,
      data,
    );
  if (status === 429) {
    const retryAfter = answered["retry-after"];
    throw new ToolFailure("rate-limited", `${service} takes no more requests for now. Try again later.`, {
      ...data,
      ...(retryAfter === undefined ? {} : { retryAfter }),
    });
  }
  throw new ToolFailure("provider-failed", `${service} answered ${status}: ${data.said}`, data);
}
