import type { VariableInfo } from "../contract/cell.ts";
import { sourceOf } from "./codec.ts";

const MAX_TYPE_CHARS = 160; // a type is a hint in a prompt, not a schema
const MAX_FIELDS = 40;
const MAX_FIELD_CHARS = 100;
const SAMPLE = 20; // items of a collection that are looked at
const MAX_LOOKS = 500; // values that are looked at in all: lists of lists of lists are many

/** What a prompt may know of a value: its type, and for tables the names of the columns. Never what it holds. */
export function shapeOf(value: unknown): Pick<VariableInfo, "type" | "fields" | "format"> {
  const type = cut(new Types().nameOf(value, 2));
  if (typeof value === "string") return { type, ...textShape(value) };
  return { type, ...fieldsOf(value) };
}

function fieldsOf(value: unknown): Pick<VariableInfo, "fields"> {
  const fields = new Set<string>();
  for (const item of Array.isArray(value) ? value.slice(0, SAMPLE) : [value])
    if (isPlain(item)) for (const key of Object.keys(item)) fields.add(key);
  return fields.size === 0 ? {} : { fields: fieldNames([...fields]) };
}

const cut = (text: string): string => (text.length > MAX_TYPE_CHARS ? `${text.slice(0, MAX_TYPE_CHARS - 1)}…` : text);
const fieldNames = (names: string[]): string[] =>
  names.slice(0, MAX_FIELDS).map((name) => name.slice(0, MAX_FIELD_CHARS));
const isPlain = (value: unknown): value is Record<string, unknown> =>
  Object.prototype.toString.call(value) === "[object Object]";

class Types {
  #left = MAX_LOOKS;

  nameOf(value: unknown, depth: number): string {
    if (value === null) return "null";
    if (typeof value === "function") return /^class\b/.test(sourceOf(value)) ? "class" : "function";
    if (typeof value !== "object") return typeof value;
    if (--this.#left < 0) return "unknown";
    if (Array.isArray(value)) return value.length === 0 ? "unknown[]" : `${this.#union(value, depth - 0.5)}[]`;
    if (value instanceof Map)
      return `Map<${this.#union(value.keys(), depth - 1)}, ${this.#union(value.values(), depth - 1)}>`;
    if (value instanceof Set) return `Set<${this.#union(value, depth - 1)}>`;
    const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
    if (typeof name === "string" && name !== "Object" && name !== "") return name;
    if (depth <= 0) return "object";
    const keys = Object.keys(value);
    const shown = keys
      .slice(0, 8)
      .map((key) => `${key}: ${this.nameOf((value as Record<string, unknown>)[key], depth - 1)}`);
    return keys.length === 0 ? "{}" : `{ ${shown.join(", ")}${keys.length > shown.length ? ", …" : ""} }`;
  }

  #union(items: Iterable<unknown>, depth: number): string {
    if (depth <= -1) return "unknown";
    const types = new Set<string>();
    let looked = 0;
    for (const item of items) {
      if (looked++ >= SAMPLE) break;
      types.add(this.nameOf(item, depth));
    }
    if (types.size <= 1) return [...types][0] ?? "unknown";
    return `(${[...types].slice(0, 4).join(" | ")})`;
  }
}

const HEAD_CHARS = 20_000; // enough to tell what a text is
const HEAD_ROWS = 8;

function textShape(text: string): Pick<VariableInfo, "fields" | "format"> {
  const head = text.slice(0, HEAD_CHARS).trimStart();
  if (/^[[{]/.test(head)) {
    const value = parsed(text);
    if (value !== undefined) return { format: "json", ...fieldsOf(value) };
  }
  for (const separator of [",", ";", "\t"]) {
    const rows = readRows(head, separator);
    const width = rows[0]?.length ?? 0;
    const alike = rows.filter((row) => row.length === width).length;
    // Two rows of one width make a table, with a short one among many; prose with commas hardly ever is one.
    if (width >= 2 && alike >= 2 && alike >= 0.7 * rows.length)
      return { format: "csv", fields: fieldNames(rows[0]!.map((cell) => cell.trim())) };
  }
  return { format: /^(#{1,6} |[-*] |\d+\. )/m.test(head) ? "markdown" : "text" };
}

/** The first rows of a text read as CSV: quoted cells may hold separators and line breaks. */
function readRows(text: string, separator: string): string[][] {
  const rows: string[][] = [];
  let row: string[] = [];
  let cell = "";
  let quoted = false;
  for (let i = 0; i <= text.length && rows.length < HEAD_ROWS; i++) {
    const char = text[i];
    if (quoted && char === '"' && text[i + 1] === '"') cell += text[++i]!;
    else if (char === '"' && (quoted || cell === "")) quoted = !quoted;
    else if (quoted && char !== undefined) cell += char;
    else if (char === separator || char === "\n" || char === undefined) {
      row.push(cell.replace(/\r$/, ""));
      cell = "";
      if (char === separator) continue;
      if (row.length > 1 || row[0] !== "") rows.push(row);
      row = [];
    } else cell += char;
  }
  return rows;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
