import { Buffer } from "node:buffer";

/** A secret that was handed to a request, and must not come back with its answer. */
export interface Secret {
  name: string;
  value: string;
}

export interface Redactor {
  text(text: string): string;
  /** JSON data of bounded depth: in keys, texts and numbers. */
  value(value: unknown): unknown;
}

const MIN_DERIVED_CHARS = 4; // shorter encoded forms would match by chance

/**
 * Replaces secrets by `[secret NAME]`: as they are, and as a server that echoes would write them (percent-encoded,
 * escaped for JSON and HTML, hex, base64 at any offset of a longer text). A server that means to pass a secret on can
 * always disguise it: what protects it is that it is sent to few hosts.
 */
export function redactor(secrets: readonly Secret[]): Redactor {
  const patterns = secrets.map((secret) => ({ label: `[secret ${secret.name}]`, pattern: patternOf(secret.value) }));
  if (patterns.length === 0) return { text: (text) => text, value: (value) => value };
  const text = (input: string): string =>
    patterns.reduce((output, { label, pattern }) => output.replace(pattern, () => label), input);
  const value = (input: unknown): unknown => {
    if (typeof input === "string") return text(input);
    if (typeof input === "number") {
      const written = String(input);
      const clean = text(written);
      return clean === written ? input : clean;
    }
    if (Array.isArray(input)) return input.map(value);
    if (typeof input !== "object" || input === null) return input;
    return Object.fromEntries(Object.entries(input).map(([key, item]) => [text(key), value(item)]));
  };
  return { text, value };
}

function patternOf(secret: string): RegExp {
  const percent = encodeURIComponent(secret);
  const form = new URLSearchParams({ s: secret }).toString().slice(2);
  const html = secret.replace(/[&<>"']/g, (char) => `&#${char.charCodeAt(0)};`);
  const named = secret.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
  const hex = Buffer.from(secret).toString("hex");
  const json = JSON.stringify(secret).slice(1, -1);
  const jsonInJson = JSON.stringify(json).slice(1, -1);
  const plain = [percent, lowerPercent(percent), form, lowerPercent(form), html, named];
  const quoted = [named.replaceAll('"', "&quot;"), json, jsonInJson, hex, hex.toUpperCase()];
  const derived = [...plain, ...quoted].filter((variant) => variant.length >= MIN_DERIVED_CHARS);
  const base64 = [0, 1, 2].flatMap((offset) => base64At(secret, offset));
  const alternatives = [...new Set([secret, ...derived])]
    .sort((a, b) => b.length - a.length)
    .map((one) => escapeRegExp(one));
  // The characters at the edges of a base64 run hold bits of the secret too
  for (const run of new Set(base64)) alternatives.unshift(`[\\w+/-]?${escapeRegExp(run)}[\\w+/-]?=*`);
  return new RegExp(alternatives.join("|"), "g");
}

const escapeRegExp = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/-]/g, "\\$&");
const lowerPercent = (text: string): string => text.replace(/%[0-9A-F]{2}/g, (escape) => escape.toLowerCase());

/** The part of the base64 text that is the same whatever stands before and after, in both alphabets. */
function base64At(secret: string, offset: number): string[] {
  const bytes = Buffer.concat([Buffer.alloc(offset), Buffer.from(secret)]);
  const from = [0, 2, 3][offset] ?? 0;
  const text = bytes.toString("base64").slice(from, Math.floor((bytes.length * 8) / 6));
  return text.length < MIN_DERIVED_CHARS ? [] : [text, text.replaceAll("+", "-").replaceAll("/", "_")];
}
