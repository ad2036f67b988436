import { Buffer } from "node:buffer";
import { createHmac } from "node:crypto";
import { z } from "zod";
import { defineTool, type ToolContext, ToolFailure } from "./define.ts";
import { type EgressPolicy, parseEgress, permittedUrl } from "./egress.ts";
import { exchange } from "./exchange.ts";
import type { ToolHost } from "./host.ts";
import { idempotencyToken } from "./idempotency.ts";
import { callProvider } from "./provider.ts";
import { maySign } from "./secrets.ts";

const WEBHOOK_SECRET = "WEBHOOK_SECRET";
const MAX_RECIPIENTS = 10; // a notice, not a mailing

export const notifyWebhook = defineTool({
  name: "notify.webhook",
  summary: "Posts a signed JSON message to a webhook.",
  description: `Signed as standardwebhooks.com says: webhook-id, webhook-timestamp, webhook-signature (HMAC-SHA256 with SECRET_${WEBHOOK_SECRET}).
A repeated call has the same webhook-id. Redirects are not followed.
Fails with kind: no-secret, secret-refused, not-accepted (any status but 2xx), egress-refused, bad-url, unreachable, timeout, too-large, too-many-redirects.`,
  input: z.strictObject({
    url: z.string().min(1).max(8192).describe("Where to post, in full."),
    payload: z.json().describe("The message."),
  }),
  output: z.object({ id: z.string().describe("The webhook-id."), status: z.int() }),
  effect: "idempotent",
  approval: "ask",
  examples: [
    {
      args: { url: "https://example.com/hooks/orders", payload: { type: "order.paid", data: { order: 7 } } },
      result: { id: "msg_1Zt…", status: 200 },
    },
  ],
  check: ({ url }, { host }) => void signable(url, host),
  execute: async ({ url: address, payload }, { host, signal, idempotencyKey }) => {
    const { policy, url, secret } = signable(address, host);
    const body = JSON.stringify(payload);
    const id = `msg_${idempotencyToken(idempotencyKey)}`;
    const timestamp = String(Math.floor(Date.now() / 1000));
    const headers = new Headers({
      "content-type": "application/json",
      "user-agent": "Praxis",
      "webhook-id": id,
      "webhook-timestamp": timestamp,
      "webhook-signature": `v1,${signature(secret, `${id}.${timestamp}.${body}`)}`,
    });
    const secrets = [{ name: WEBHOOK_SECRET, value: secret }];
    const outgoing = { method: "POST", url, headers, body, secrets, policy, maxRedirects: 0 };
    const { status, body: said } = await exchange(outgoing, signal);
    if (status < 200 || status > 299)
      throw new ToolFailure("not-accepted", `${url.host} answered ${status}.`, {
        status,
        said: (typeof said === "string" ? said : JSON.stringify(said)).slice(0, 500),
      });
    return { id, status };
  },
});

/** Where a message may go, and what it is signed with. Throws when it may not, or there is nothing. */
function signable(address: string, host: ToolHost): { policy: EgressPolicy; url: URL; secret: string } {
  const policy = parseEgress(host.egress);
  const url = permittedUrl(address, policy);
  const secret = host.secret(WEBHOOK_SECRET);
  if (secret === undefined)
    throw new ToolFailure("no-secret", `There is nothing to sign with. Set SECRET_${WEBHOOK_SECRET}.`);
  if (!maySign(WEBHOOK_SECRET, url, host))
    throw new ToolFailure("secret-refused", `SECRET_${WEBHOOK_SECRET}_HOSTS doesn't list ${url.host}.`);
  return { policy, url, secret };
}

/** Base64. A secret that begins with `whsec_` is base64 behind it; any other is taken as it is. */
function signature(secret: string, content: string): string {
  const key = secret.startsWith("whsec_") ? Buffer.from(secret.slice("whsec_".length), "base64") : secret;
  return createHmac("sha256", key).update(content).digest("base64");
}

/** Through whom e-mail goes. Throws when nobody is set up. */
function provider(host: ToolHost): { key: string; from: string } {
  const key = host.secret("RESEND_API_KEY");
  const from = host.secret("RESEND_FROM");
  if (key !== undefined && from !== undefined) return { key, from };
  throw new ToolFailure(
    "no-provider",
    "No e-mail provider is set up. Set SECRET_RESEND_API_KEY and SECRET_RESEND_FROM.",
  );
}

const Address = z.email().max(254);
const Sent = z.object({ id: z.string() });

export const notifyEmail = defineTool({
  name: "notify.email",
  summary: "Sends an e-mail.",
  description: `Through Resend, from the address in SECRET_RESEND_FROM. Repeated within a day, the same call sends nothing twice.
Fails with kind: no-provider, provider-refused, rate-limited, provider-failed, egress-refused, unreachable, timeout.`,
  input: z.strictObject({
    to: z
      .union([Address, z.array(Address).min(1).max(MAX_RECIPIENTS)])
      .describe(`Plain addresses, at most ${MAX_RECIPIENTS}; all of them see each other.`),
    subject: z
      .string()
      .min(1)
      .max(200)
      .regex(/^[^\p{Cc}\u2028\u2029]*$/u, "must be one line without control characters")
      .describe("One line."),
    text: z.string().min(1).max(200_000).describe("The message as plain text."),
    html: z.string().min(1).max(500_000).optional().describe("The same as HTML, for those who can show it."),
  }),
  output: z.object({
    id: z.string().describe("The provider's id of the message."),
    provider: z.string(),
  }),
  effect: "idempotent", // Resend takes an idempotency key
  approval: "ask",
  examples: [
    {
      args: { to: "ada@example.com", subject: "The report is ready", text: "See …" },
      result: { id: "49a3…", provider: "resend" },
    },
  ],
  check: (_, { host }) => void provider(host),
  execute: async ({ to, subject, text, html }, context: ToolContext) => {
    const { key, from } = provider(context.host);
    const answer = await callProvider(
      {
        service: "Resend",
        method: "POST",
        base: { url: "https://api.resend.com", setting: "RESEND_BASE_URL" },
        path: "/emails",
        headers: {
          authorization: `Bearer ${key}`,
          "idempotency-key": idempotencyToken(context.idempotencyKey),
        },
        body: { from, to: typeof to === "string" ? [to] : to, subject, text, ...(html === undefined ? {} : { html }) },
        key: { name: "RESEND_API_KEY", value: key },
      },
      context,
    );
    const sent = Sent.safeParse(answer);
    if (!sent.success) throw new ToolFailure("provider-failed", "Resend answered in a form that is not its own.");
    return { id: sent.data.id, provider: "resend" };
  },
});
