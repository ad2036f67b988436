import { createHash, createHmac } from "node:crypto";
import { describe, expect, it } from "vitest";
import { cryptoHash, cryptoHmac, cryptoRandom, cryptoUuid } from "../../../tool-bindings/crypto.ts";
import { call, failureOf } from "./loopback.ts";

describe("crypto.hash", () => {
  it.each([
    ["sha-256", "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"],
    ["sha-1", "a9993e364706816aba3e25717850c26c9cd0d89d"],
    ["sha-384", createHash("sha384").update("abc").digest("hex")],
    ["sha-512", createHash("sha512").update("abc").digest("hex")],
  ])("knows %s", async (algorithm, digest) => {
    expect(await call(cryptoHash, { text: "abc", algorithm })).toBe(digest);
  });

  it("takes SHA-256 and hex by itself, text as UTF-8, and gives base64 when asked", async () => {
    const digest = createHash("sha256").update(Buffer.from("ü", "utf8"));
    expect(await call(cryptoHash, { text: "ü" })).toBe(digest.copy().digest("hex"));
    expect(await call(cryptoHash, { text: "ü", encoding: "base64" })).toBe(digest.copy().digest("base64"));
    expect(await call(cryptoHash, { text: "ü", encoding: "base64url" })).toBe(digest.digest("base64url"));
    expect(await call(cryptoHash, { text: "" })).toMatch(/^e3b0c442/);
  });

  it.each([{}, { text: 1 }, { text: "a", algorithm: "md5" }, { text: "a", encoding: "utf8" }, { text: "a", more: 1 }])(
    "takes no %j",
    (args) => expect(cryptoHash.input.safeParse(args).success).toBe(false),
  );
});

describe("crypto.hmac", () => {
  const KEY = "a-key-of-more-than-16-characters";
  const sign = (args: object, secrets: Record<string, string> = { PARTNER: KEY }): Promise<unknown> =>
    call(cryptoHmac, { text: "to sign", secret: "PARTNER", ...args }, { secrets });

  it("signs with a secret that is named and never shown", async () => {
    expect(await sign({})).toBe(createHmac("sha256", KEY).update("to sign").digest("hex"));
    expect(await sign({ algorithm: "sha-512", encoding: "base64" })).toBe(
      createHmac("sha512", KEY).update("to sign").digest("base64"),
    );
  });

  it("says which secret isn't there", async () => {
    expect(await failureOf(sign({ secret: "OTHER" }))).toMatchObject({
      kind: "unknown-secret",
      message: 'No secret "OTHER" is set. It is set on the host, as SECRET_OTHER.',
    });
    for (const secret of ["", "a b", "PARTNER_HOSTS", "__proto__"])
      expect((await failureOf(sign({ secret }))).kind).toBe("unknown-secret");
  });

  it("forges no webhook, uses no key of another tool or of certain hosts, and none that could be guessed", async () => {
    const refused = [
      await failureOf(sign({ secret: "WEBHOOK_SECRET" }, { WEBHOOK_SECRET: KEY })),
      await failureOf(sign({ secret: "BRAVE_API_KEY" }, { BRAVE_API_KEY: KEY })),
      await failureOf(sign({}, { PARTNER: KEY, PARTNER_HOSTS: "example.com" })),
      await failureOf(sign({}, { PARTNER: "short" })),
    ];
    expect(refused.map(({ kind }) => kind)).toEqual(Array(4).fill("secret-refused"));
    expect(JSON.stringify(refused)).not.toContain(KEY);
    expect(JSON.stringify(refused)).not.toContain('short"');
  });
});

describe("crypto.uuid and crypto.random", () => {
  it("make something new at each call", async () => {
    const uuids = await Promise.all(Array.from({ length: 100 }, () => call(cryptoUuid, {})));
    expect(new Set(uuids).size).toBe(100);
    const tokens = await Promise.all(Array.from({ length: 100 }, () => call(cryptoRandom, { bytes: 16 })));
    expect(new Set(tokens).size).toBe(100);
  });

  it("make as many bytes as asked", async () => {
    expect(await call(cryptoRandom, { bytes: 1 })).toMatch(/^[0-9a-f]{2}$/);
    expect(Buffer.from(String(await call(cryptoRandom, { bytes: 1024, encoding: "base64" })), "base64")).toHaveLength(
      1024,
    );
  });

  it.each([{}, { bytes: 0 }, { bytes: 1025 }, { bytes: 1.5 }, { bytes: "8" }, { bytes: -1 }])("take no %j", (args) =>
    expect(cryptoRandom.input.safeParse(args).success).toBe(false),
  );

  it("are recorded like reads, so that a replay gets the same", () => {
    expect([cryptoUuid.effect, cryptoRandom.effect]).toEqual(["read", "read"]);
  });
});

it("every example is what the tool takes and gives", () => {
  for (const tool of [cryptoHash, cryptoHmac, cryptoUuid, cryptoRandom])
    for (const { args, result } of tool.examples ?? []) {
      expect(tool.input.safeParse(args).success).toBe(true);
      expect(tool.output?.safeParse(result ?? "not told").success).toBe(true);
    }
});
