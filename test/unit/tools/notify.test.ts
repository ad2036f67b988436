import { createHmac } from "node:crypto";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { notifyEmail, notifyWebhook } from "../../../tool-bindings/notify.ts";
import { call, failureOf, json, loopback, type Loopback, type Received, type Surroundings } from "./loopback.ts";

let server: Loopback;
beforeEach(async () => {
  server = await loopback(json({ id: "mail-1" }));
});
afterEach(() => server.close());

describe("notify.webhook", () => {
  const RAW = Buffer.from("a webhook's secret of some length");
  const SECRET = `whsec_${RAW.toString("base64")}`;
  const send = (payload: unknown, around: Surroundings = {}): Promise<unknown> =>
    call(
      notifyWebhook,
      { url: `${server.origin}/hook`, payload },
      { egress: server.host, secrets: { WEBHOOK_SECRET: SECRET }, ...around },
    );

  it("signs what it posts, so that a receiver can verify it", async () => {
    const before = Math.floor(Date.now() / 1000);
    const result = await send({ type: "order.paid", data: "ü" });
    const [request] = server.received;
    const { "webhook-id": id, "webhook-timestamp": timestamp, "webhook-signature": signed } = request?.headers ?? {};
    expect(request).toMatchObject({
      method: "POST",
      path: "/hook",
      body: '{"type":"order.paid","data":"ü"}',
      headers: { "content-type": "application/json" },
    });
    expect(result).toEqual({ id, status: 200 });
    expect(Number(timestamp)).toBeGreaterThanOrEqual(before);
    expect(Number(timestamp)).toBeLessThanOrEqual(before + 30);
    expect(signed).toBe(
      `v1,${createHmac("sha256", RAW).update(`${id}.${timestamp}.${request?.body}`).digest("base64")}`,
    );
  });

  it("takes a secret without the prefix as it is", async () => {
    await send(1, { secrets: { WEBHOOK_SECRET: "plain" } });
    const [{ headers, body } = { headers: {} as Received["headers"], body: "" }] = server.received;
    const content = `${String(headers["webhook-id"])}.${String(headers["webhook-timestamp"])}.${body}`;
    expect(headers["webhook-signature"]).toBe(`v1,${createHmac("sha256", "plain").update(content).digest("base64")}`);
  });

  it("has the same id when the same call is repeated, and another for another call", async () => {
    for (const idempotencyKey of ["cell:a 0", "cell:a 0", "cell:a 1"]) await send({}, { idempotencyKey });
    const [first, again, other] = server.received.map(({ headers }) => headers["webhook-id"]);
    expect(first).toMatch(/^msg_[\w-]{32}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(notifyWebhook).toMatchObject({ effect: "idempotent", approval: "ask" });
  });

  it("fails when the message is not taken", async () => {
    server.handle = json({ why: `not ${SECRET}` }, 410);
    const failure = await failureOf(send({}));
    expect(failure).toMatchObject({ kind: "not-accepted", data: { status: 410 } });
    expect(JSON.stringify(failure)).not.toContain(RAW.toString("base64"));
    server.handle = (_, response) => response.writeHead(307, { location: "/elsewhere" }).end();
    expect((await failureOf(send({}))).kind).toBe("too-many-redirects");
    expect(server.received).toHaveLength(2);
  });

  it("sends nothing without a secret, to a host it is not for, or past egress", async () => {
    expect((await failureOf(send({}, { secrets: {} }))).kind).toBe("no-secret");
    const elsewhere = { WEBHOOK_SECRET: SECRET, WEBHOOK_SECRET_HOSTS: "hooks.example.com" };
    expect((await failureOf(send({}, { secrets: elsewhere }))).kind).toBe("secret-refused");
    expect((await failureOf(send({}, { egress: "example.com" }))).kind).toBe("egress-refused");
    expect(server.received).toEqual([]);
    await send({}, { secrets: { WEBHOOK_SECRET: SECRET, WEBHOOK_SECRET_HOSTS: server.host } });
    expect(server.received).toHaveLength(1);
  });

  it.each([{ payload: {} }, { url: "https://example.com" }, { url: "https://example.com", payload: {}, headers: {} }])(
    "takes no %j",
    (args) => expect(notifyWebhook.input.safeParse(args).success).toBe(false),
  );
});

describe("notify.email", () => {
  const KEY = "re_0123456789";
  const mail = { to: "ada@example.com", subject: "Ready", text: "The report is ready." };
  const send = (args: object = {}, around: Surroundings = {}): Promise<unknown> =>
    call(
      notifyEmail,
      { ...mail, ...args },
      {
        egress: server.host,
        secrets: { RESEND_API_KEY: KEY, RESEND_FROM: "Praxis <praxis@example.com>", RESEND_BASE_URL: server.origin },
        ...around,
      },
    );

  it("sends through Resend, from the host's address", async () => {
    expect(await send({ html: "<p>…</p>" })).toEqual({ id: "mail-1", provider: "resend" });
    expect(server.received).toMatchObject([
      {
        method: "POST",
        path: "/emails",
        headers: { authorization: `Bearer ${KEY}`, "content-type": "application/json" },
      },
    ]);
    expect(JSON.parse(server.received[0]?.body ?? "")).toEqual({
      from: "Praxis <praxis@example.com>",
      to: ["ada@example.com"],
      subject: "Ready",
      text: "The report is ready.",
      html: "<p>…</p>",
    });
  });

  it("hands the same idempotency key on when the same call is repeated", async () => {
    for (const idempotencyKey of ["cell:a 0", "cell:a 0", "cell:a 1"]) await send({}, { idempotencyKey });
    const [first, again, other] = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(again).toBe(first);
    expect(other).not.toBe(first);
    expect(notifyEmail).toMatchObject({ effect: "idempotent", approval: "ask" });
  });

  it.each([
    { to: "ada@example.com\nBcc: eve@example.com" },
    { to: "ada@example.com\r\nBcc: eve@example.com" },
    { to: "ada@example.com, eve@example.com" },
    { to: "Ada <ada@example.com>" },
    { to: "ada" },
    { to: [] },
    { to: ["ada@example.com", "eve"] },
    { to: Array.from({ length: 11 }, (_, at) => `a${at}@example.com`) },
    { subject: "Hello\r\nBcc: eve@example.com" },
    { subject: "Hello\nworld" },
    { subject: "Hello\u2028world" },
    { subject: "Hello\0" },
    { subject: "" },
    { subject: "x".repeat(201) },
    { text: "" },
    { text: "x".repeat(200_001) },
    { from: "eve@example.com" },
    { bcc: "eve@example.com" },
    { headers: { bcc: "eve@example.com" } },
  ])("takes no %j", (wrong) => expect(notifyEmail.input.safeParse({ ...mail, ...wrong }).success).toBe(false));

  it("takes up to ten addresses, and a subject in any script", async () => {
    const to = Array.from({ length: 10 }, (_, at) => `a${at}@example.com`);
    await send({ to, subject: "Отчёт готов – 報告 🎉" });
    expect(JSON.parse(server.received[0]?.body ?? "")).toMatchObject({ to, subject: "Отчёт готов – 報告 🎉" });
  });

  it("without a provider says what to set", async () => {
    for (const secrets of [{}, { RESEND_API_KEY: KEY }, { RESEND_FROM: "a@example.com" }])
      expect(await failureOf(send({}, { secrets }))).toMatchObject({
        kind: "no-provider",
        message: "No e-mail provider is set up. Set SECRET_RESEND_API_KEY and SECRET_RESEND_FROM.",
      });
  });

  it.each([
    [401, "provider-refused"],
    [422, "provider-failed"],
    [429, "rate-limited"],
    [503, "provider-failed"],
  ])("names a %i %s, without the key", async (status, kind) => {
    server.handle = json({ message: `API key ${KEY} is invalid` }, status);
    const failure = await failureOf(send());
    expect(failure.kind).toBe(kind);
    expect(JSON.stringify(failure)).not.toContain(KEY);
  });

  it("names an answer of another form, and sends nothing past egress", async () => {
    server.handle = json({ ok: true });
    expect((await failureOf(send())).kind).toBe("provider-failed");
    expect((await failureOf(send({}, { egress: "example.com" }))).kind).toBe("egress-refused");
    expect(server.received).toHaveLength(1);
  });
});

it("every example is what the tool takes and gives", () => {
  for (const tool of [notifyWebhook, notifyEmail])
    for (const { args, result } of tool.examples ?? []) {
      expect(tool.input.safeParse(args).success).toBe(true);
      expect(tool.output?.safeParse(result).success).toBe(true);
    }
});
