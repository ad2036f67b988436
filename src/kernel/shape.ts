import type { VariableInfo } from "../contract/cell.ts";

const MAX_TYPE_CHARS = 160; // a type is a hint in a prompt, not a schema
const MAX_FIELDS = 40;
const MAX_FIELD_CHARS = 100;
const SAMPLE = 20; // items of a collection that are looked at

/** What a prompt may know of a value: its type, and for tables the names of the columns. Never what it holds. */
export function shapeOf(value: unknown): Pick<VariableInfo, "type" | "fields" | "format"> {
  const type = cut(typeName(value, 2));
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
