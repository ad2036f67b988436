import type { MiddlewareHandler } from "hono";
import type { Services } from "../contract/services.ts";
import { answerFailure } from "./problem.ts";

export type HttpEnv = { Variables: { tenant: string; services: Services } };

/** The tenant the root key stands for. */
const ROOT_TENANT = "main";
const LOOPBACK = new Set(["localhost", "127.0.0.1", "[::1]"]);

/**
 * With a root key every request needs it. Without one only requests for a loopback host are served: a name that resolves
 * to this machine (DNS rebinding) is another host and is refused.
 */
export const authenticate: MiddlewareHandler<HttpEnv> = async (c, next) => {
  const { rootKey } = c.get("services");
  if (rootKey === undefined) {
    const { hostname } = new URL(c.req.url);
    if (!LOOPBACK.has(hostname)) return answerFailure(c, { kind: "loopback-only", host: hostname });
  } else {
    const given = c.req.header("authorization")?.match(/^Bearer (.+)$/i)?.[1] ?? c.req.header("x-api-key");
    if (given === undefined) return answerFailure(c, { kind: "unauthorized", problem: "This API needs a key" });
    if (!(await sameSecret(given, rootKey)))
      return answerFailure(c, { kind: "unauthorized", problem: "The key is not known" });
  }
  c.set("tenant", ROOT_TENANT);
  return next();
};

/** In constant time: what is compared are digests, of equal length whatever was given. */
async function sameSecret(given: string, expected: string): Promise<boolean> {
  const digest = (text: string): Promise<ArrayBuffer> =>
    crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  const [a, b] = await Promise.all([digest(given), digest(expected)]);
  return crypto.subtle.timingSafeEqual(a, b);
}
