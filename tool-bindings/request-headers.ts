import { ToolFailure } from "./define.ts";

/** Headers that belong to the connection, that proxies trust, or that turn a harmless request into another one. */
const REFUSED = new Set(
  (
    "host content-length connection keep-alive transfer-encoding te trailer upgrade expect http2-settings via forwarded " +
    "x-real-ip x-client-ip x-cluster-client-ip true-client-ip client-ip cdn-loop x-original-url x-rewrite-url " +
    "x-http-method x-http-method-override x-method-override metadata metadata-flavor date origin referer"
  ).split(" "),
);
const REFUSED_PREFIXES = ["cf-", "proxy-", "sec-", "x-forwarded-", "x-aws-ec2-metadata-", "x-google-metadata-"];

/** Headers that code asked for, as they may be sent. Throws `bad-header`. */
export function requestHeaders(wanted: Readonly<Record<string, string>> = {}): Headers {
  const headers = new Headers({ "user-agent": "Praxis" });
  for (const [name, value] of Object.entries(wanted)) {
    const lower = name.toLowerCase();
    if (REFUSED.has(lower) || REFUSED_PREFIXES.some((prefix) => lower.startsWith(prefix)))
      throw new ToolFailure("bad-header", `The header ${lower} can't be set. Leave it out.`);
    try {
      headers.set(name, value);
    } catch {
      throw new ToolFailure(
        "bad-header",
        `The header ${JSON.stringify(name.slice(0, 60))} has a name or value that HTTP doesn't allow.`,
      );
    }
  }
  return headers;
}
