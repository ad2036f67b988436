import { Buffer } from "node:buffer";
import { ToolFailure } from "./define.ts";
import type { Redactor } from "./redaction.ts";

export const MAX_BODY_BYTES = 5 * 1024 * 1024; // either way; larger data wants a tool of its own, not a cell's memory
const MAX_JSON_DEPTH = 256; // deeper than any real document, and than a recursive walk should go

export interface Body {
  body: unknown;
  encoding?: "base64";
}

/** Reads a body to its end, or cuts it off and throws `too-large`. Counts bytes as they come, decompressed. */
export async function readBody(response: Response): Promise<Uint8Array> {
  const tooLarge = (): ToolFailure =>
    new ToolFailure("too-large", `The answer is larger than ${MAX_BODY_BYTES} bytes. Ask for a part of it.`, {
      limitBytes: MAX_BODY_BYTES,
    });
  if (response.body === null) return new Uint8Array();
  if (Number(response.headers.get("content-length")) > MAX_BODY_BYTES) {
    await response.body.cancel();
    throw tooLarge();
  }
  const parts: Uint8Array[] = [];
  let size = 0;
  const reader = response.body.getReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return Buffer.concat(parts);
    size += value.byteLength;
    if (size > MAX_BODY_BYTES) {
      await reader.cancel();
      throw tooLarge();
    }
    parts.push(value);
  }
}

/** JSON as data, text as text, anything else as base64. What claims to be JSON and is not stays text. */
export function decodeBody(bytes: Uint8Array, contentType: string, redact: Redactor): Body {
  const [type = "", ...parameters] = contentType
    .toLowerCase()
    .split(";")
    .map((part) => part.trim());
  const isJson = /^(?:application|text)\/json$|\+json$/.test(type);
  const isText =
    isJson || /^text\/|\+xml$|^application\/(?:xml|javascript|x-www-form-urlencoded|yaml|x-ndjson|graphql)$/.test(type);
  const text = isText
    ? charsetText(bytes, parameters)
    : type === "" || type === "application/octet-stream"
      ? strictText(bytes)
      : undefined;
  if (text === undefined) return { body: redact.text(Buffer.from(bytes).toString("base64")), encoding: "base64" };
  const parsed = isJson ? parseJson(text) : undefined;
  return { body: parsed === undefined ? redact.text(text) : redact.value(parsed.value) };
}

function charsetText(bytes: Uint8Array, parameters: string[]): string {
  const charset = parameters
    .find((part) => part.startsWith("charset="))
    ?.slice("charset=".length)
    .replaceAll('"', "");
  try {
    return new TextDecoder(charset ?? "utf-8").decode(bytes);
  } catch {
    return new TextDecoder().decode(bytes); // a charset nobody knows
  }
}

/** Text that says nothing of itself: only if it can't be anything else. */
function strictText(bytes: Uint8Array): string | undefined {
  if (bytes.includes(0)) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes);
  } catch {
    return undefined;
  }
}

function parseJson(text: string): { value: unknown } | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return isDeeperThan(value, MAX_JSON_DEPTH) ? undefined : { value };
  } catch {
    return undefined;
  }
}

function isDeeperThan(value: unknown, depth: number): boolean {
  if (typeof value !== "object" || value === null) return false;
  return depth === 0 || Object.values(value).some((item) => isDeeperThan(item, depth - 1));
}
