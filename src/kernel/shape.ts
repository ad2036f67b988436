import type { VariableInfo } from "../contract/cell.ts";

const MAX_TYPE_CHARS = 160; // a type is a hint in a prompt, not a schema
const MAX_FIELDS = 40;
const SAMPLE = 20; // items of a collection that are looked at

/** What a prompt may know of a value: its type, and for tables the names of the columns. Never what it holds. */
export function shapeOf(value: unknown): Pick<VariableInfo, "type" | "fields" | "format"> {
  const type = cut(typeName(value, 2));
  if (typeof value === "string") return { type, ...textShape(value) };
  const row: unknown = Array.isArray(value) ? value.find((item) => isPlain(item)) : value;
  if (!isPlain(row)) return { type };
  const fields = new Set<string>();
  for (const item of Array.isArray(value) ? value.slice(0, SAMPLE) : [row])
    if (isPlain(item)) for (const key of Object.keys(item)) fields.add(key);
  return { type, fields: [...fields].slice(0, MAX_FIELDS) };
}

const cut = (text: string): string => (text.length > MAX_TYPE_CHARS ? `${text.slice(0, MAX_TYPE_CHARS - 1)}…` : text);
const isPlain = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === "[object Object]";

function typeName(value: unknown, depth: number): string {
  if (value === null) return "null";
  if (typeof value === "function")
    return /^class\b/.test(Function.prototype.toString.call(value)) ? "class" : "function";
  if (typeof value !== "object") return typeof value;
  if (Array.isArray(value)) return value.length === 0 ? "unknown[]" : `${union(value, depth)}[]`;
  if (value instanceof Map)
    return `Map<${union([...value.keys()], depth - 1)}, ${union([...value.values()], depth - 1)}>`;
  if (value instanceof Set) return `Set<${union([...value], depth - 1)}>`;
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  if (typeof name === "string" && name !== "Object" && name !== "") return name;
  if (depth <= 0) return "object";
  const keys = Object.keys(value);
  const shown = keys
    .slice(0, 8)
    .map((key) => `${key}: ${typeName((value as Record<string, unknown>)[key], depth - 1)}`);
  return keys.length === 0 ? "{}" : `{ ${shown.join(", ")}${keys.length > shown.length ? ", …" : ""} }`;
}

function union(items: unknown[], depth: number): string {
  const types = [...new Set(items.slice(0, SAMPLE).map((item) => typeName(item, depth)))];
  if (types.length === 0) return "unknown";
  return types.length === 1 ? types[0]! : `(${types.slice(0, 4).join(" | ")})`;
}

function textShape(text: string): Pick<VariableInfo, "fields" | "format"> {
  const head = text.slice(0, 20_000).trimStart();
  if (/^[[{]/.test(head) && parses(text)) return { format: "json" };
  const lines = head.split(/\r?\n/, 6).filter((line) => line.trim() !== "");
  for (const separator of [",", ";", "\t"]) {
    const widths = lines.map((line) => cellsOf(line, separator).length);
    // Two lines of the same width are a table; prose with commas hardly ever is one.
    if (widths.length >= 2 && widths[0]! >= 2 && widths.slice(0, 4).every((width) => width === widths[0]))
      return {
        format: "csv",
        fields: cellsOf(lines[0]!, separator)
          .map((cell) => cell.trim().replace(/^"|"$/g, ""))
          .slice(0, MAX_FIELDS),
      };
  }
  return { format: /^(#{1,6} |[-*] |\d+\. )/m.test(head) ? "markdown" : "text" };
}

const cellsOf = (line: string, separator: string): string[] =>
  line
    .match(new RegExp(`("([^"]|"")*"|[^${separator}]*)(${separator}|$)`, "g"))
    ?.filter((cell, index, all) => index < all.length - 1 || cell !== "")
    .map((cell) => (cell.endsWith(separator) ? cell.slice(0, -1) : cell)) ?? [];

function parses(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}
