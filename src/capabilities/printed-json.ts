import { isJsonObject, type Json } from "../contract/json.ts";

const WIDTH = 110; // columns, so that a line of it can be read

/**
 * JSON for people: what fits on a line stands on one, the rest is indented. Characters that don't show, or that change
 * how others show, are escaped, and so is what would begin or end a comment; `JSON.parse` restores all of it.
 */
export const printJson = (value: Json): string => visible(print(value, ""));

const print = (value: Json, indent: string): string => {
  const line = JSON.stringify(value);
  const isLeaf = typeof value !== "object" || value === null || line === "{}" || line === "[]";
  if (isLeaf || line.length + indent.length <= WIDTH) return isLeaf ? line : spaced(value);
  const inner = `${indent}  `;
  const [open, close] = Array.isArray(value) ? "[]" : "{}";
  const items = isJsonObject(value)
    ? Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${print(item, inner)}`)
    : (value as Json[]).map((item) => print(item, inner));
  return `${open}\n${items.map((item) => inner + item).join(",\n")}\n${indent}${close}`;
};

/** On one line, with a space where people expect one. */
const spaced = (value: Json): string => {
  if (Array.isArray(value)) return `[${value.map(spaced).join(", ")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const items = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${spaced(item)}`);
  return items.length === 0 ? "{}" : `{ ${items.join(", ")} }`;
};

const INVISIBLE = /[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu;

// Both only ever stand inside strings here, but for the line feeds of the printer.
const visible = (text: string): string =>
  text
    .replace(INVISIBLE, (char) => (char === "\n" ? char : escaped(char)))
    .replaceAll("/*", "\\u002f*")
    .replaceAll("*/", "*\\/");

const escaped = (char: string): string =>
  Array.from({ length: char.length }, (_, i) => `\\u${char.charCodeAt(i).toString(16).padStart(4, "0")}`).join("");
