import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import { z } from "zod";
import { defineTool, ToolFailure } from "./define.ts";
import { findSecret, isBound } from "./secrets.ts";

const MIN_KEY_CHARS = 16; // of a shorter key, code could try all against one result

const Text = z.string().max(5_000_000).describe("Taken as UTF-8.");
const Algorithm = z.enum(["sha-256", "sha-384", "sha-512", "sha-1"]).describe("sha-256 when left out.");
const Encoding = z.enum(["hex", "base64", "base64url"]).describe("hex when left out.");
type Algorithm = z.infer<typeof Algorithm>;

const nodeName = (algorithm: Algorithm): string => algorithm.replace("-", "");

export const cryptoHash = defineTool({
  name: "crypto.hash",
  summary: "Hashes a text: SHA-256, SHA-384, SHA-512 or SHA-1.",
  description: "SHA-1 is there to compare with old checksums; it protects nothing.",
  input: z.strictObject({ text: Text, algorithm: Algorithm.optional(), encoding: Encoding.optional() }),
  output: z.string().describe("The digest."),
  effect: "read",
  approval: "never",
  examples: [{ args: { text: "abc" }, result: "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad" }],
  execute: async ({ text, algorithm = "sha-256", encoding = "hex" }) =>
    createHash(nodeName(algorithm)).update(text).digest(encoding),
});

export const cryptoHmac = defineTool({
  name: "crypto.hmac",
  summary: "Signs a text with a secret that only the host knows (HMAC).",
  description: `The secret is named, never shown: SECRET_<NAME>, of at least ${MIN_KEY_CHARS} characters, and not one that is for certain hosts or for another tool.
Fails with kind: unknown-secret, secret-refused.`,
  input: z.strictObject({
    text: Text,
    secret: z.string().max(64).describe("The secret's name."),
    algorithm: Algorithm.optional(),
    encoding: Encoding.optional(),
  }),
  output: z.string().describe("The signature."),
  effect: "read",
  approval: "never",
  examples: [{ args: { text: "GET /v1/items", secret: "PARTNER_SIGNING_KEY", encoding: "base64" } }],
  execute: async ({ text, secret: name, algorithm = "sha-256", encoding = "hex" }, { host }) => {
    const secret = findSecret(name, host);
    if (isBound(name, host))
      throw new ToolFailure(
        "secret-refused",
        `The secret ${name} is for certain hosts or for another tool. Set one for signing.`,
      );
    if (secret.value.length < MIN_KEY_CHARS)
      throw new ToolFailure(
        "secret-refused",
        `The secret ${name} is too short to sign with: ${MIN_KEY_CHARS} characters at least.`,
      );
    return createHmac(nodeName(algorithm), secret.value).update(text).digest(encoding);
  },
});

export const cryptoUuid = defineTool({
  name: "crypto.uuid",
  summary: "Makes a unique identifier: a random UUID (version 4).",
  description: "For ids of records, requests and files: a new GUID that nobody else has.",
  input: z.strictObject({}),
  output: z.uuid().describe("The UUID."),
  effect: "read", // recorded like any reply: a replay gets the same one (J2, J6)
  approval: "never",
  examples: [{ args: {}, result: "9b2f3c1e-5d0a-4c58-8a4e-2f6b8f5d7c10" }],
  execute: async () => randomUUID(),
});

export const cryptoRandom = defineTool({
  name: "crypto.random",
  summary: "Makes random bytes, for keys, tokens and salts.",
  input: z.strictObject({
    bytes: z.int().min(1).max(1024).describe("How many."),
    encoding: Encoding.optional(),
  }),
  output: z.string().describe("The bytes, encoded."),
  effect: "read",
  approval: "never",
  examples: [{ args: { bytes: 8 }, result: "f2a9c8d17b3e6504" }],
  execute: async ({ bytes, encoding = "hex" }) => randomBytes(bytes).toString(encoding),
});
