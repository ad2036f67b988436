import { createHash } from "node:crypto";

/** A call's idempotency key as a short token that any header takes, and that tells nothing of the arguments. */
export const idempotencyToken = (key: string): string =>
  createHash("sha256").update(key).digest("base64url").slice(0, 32);
