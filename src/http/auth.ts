import type { MiddlewareHandler } from "hono";
import type { Services } from "../contract/services.ts";
import { answerFailure } from "./problem.ts";

export type HttpEnv = { Variables: { tenant: string; services: Services } };

/** The tenant the root key stands for. */
const ROOT_TENANT = "main";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * With a root key every request needs it. Without one only requests that come from, ask for and were made on loopback are
 * served. The host alone would be the client's own word: so the address it came from counts too, where the platform tells
 * it, and the page that sent it. `npm start` does not listen beyond loopback without a key.
 */
export const authenticate: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const { rootKey } = c.get("services");
  if (rootKey === undefined) {
    const stranger = strangerOf(c.req.raw);
    if (stranger !== undefined) return answerFailure(c, { kind: "loopback-only", host: stranger });
  } else {
    const given = c.req.header("authorization")?.match(/^Bearer (.+)$/i)?.[1] ?? c.req.header("x-api-key");
    if (given === undefined) return answerFailure(c, { kind: "unauthorized", problem: "This API needs a key" });
    if (!(await sameSecret(given, rootKey)))
      return answerFailure(c, { kind: "unauthorized", problem: "The key is not known" });
  }
  c.set("tenant", ROOT_TENANT);
  return next();
};

/** What about a request is not loopback, if something is not. */
function strangerOf({ url, headers }: Request): string | undefined {
  const from = headers.get("cf-connecting-ip") ?? "127.0.0.1";
  const pages = [headers.get("origin"), headers.get("referer")].flatMap((page) =>
    page === null || page === "null" ? [] : [URL.parse(page)?.hostname ?? page],
  );
  const isLocalAddress = /^127\.|^::1$|^::ffff:127\./.test(from);
  return isLocalAddress ? [new URL(url).hostname, ...pages].find((host) => !LOOPBACK.has(host)) : from;
}

/** In constant time: what is compared are digests, of equal length whatever was given. */
async function sameSecret(given: string, expected: string): Promise<boolean> {
  const digest = (text: string): Promise<ArrayBuffer> =>
    crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const [a, b] = await Promise.all([digest(given), digest(expected)]);
  return crypto.subtle.timingSafeEqual(a, b);
}
