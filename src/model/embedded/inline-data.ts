import { toRows } from "./snippets/to-rows.ts";
import { type Source, sourcesFor } from "./source.ts";

/** A goal cut into what to do and what to do it with. */
export interface InlineData {
  instruction: string;
  data: string;
}

const FENCE = /```[^\n`]*\n([\s\S]*?)```/;
const COLON = /^([^:\n]{1,300}):\s+(\S[\s\S]*)$/;
const JSON_END = /^([^[{]{1,300}?)\s([[{][\s\S]*[\]}])\s*[?.:]?$/;
const FIRST_LINE = /^([^\n]{1,300})\n\s*(\S[\s\S]*)$/;
const NUMBERS = /^(.{1,200}?)\s(-?\d+(?:\.\d+)?(?:(?:\s*,\s*(?:and\s+)?|\s+and\s+|\s+)-?\d+(?:\.\d+)?)+)\s*[?.]?$/;
const LAST_QUOTED =
  /^([\s\S]{0,400}?\b(?:in|of|from|this|text|sentence|string|word|words|summari[sz]e|reverse|(?:upper|lower|title)\s?case|capitali[sz]e))\s*(?:"([^"]+)"|“([^”]+)”|`([^`]+)`|'([^'\n]+)')([\s\S]{0,200})$/i;

/** The ways in which a goal can carry its own data, the clearest first. */
export function inlineDataOf(goal: string): InlineData[] {
  const text = goal.trim();
  const found: InlineData[] = [];
  const fence = FENCE.exec(text);
  if (fence !== null)
    found.push({ instruction: text.replace(fence[0], " ").replace(/:\s*$/, ""), data: fence[1] ?? "" });
  for (const pattern of [COLON, JSON_END, FIRST_LINE, NUMBERS]) {
    const [, instruction, data] = pattern.exec(text) ?? [];
    if (instruction !== undefined && data !== undefined) found.push({ instruction, data: unquoted(data) });
  }
  const quoted = LAST_QUOTED.exec(text);
  if (quoted !== null) {
    const [, before = "", double, curly, tick, single, after = ""] = quoted;
    found.push({ instruction: `${before} ${after}`, data: double ?? curly ?? tick ?? single ?? "" });
  }
  return found;
}

const unquoted = (text: string): string =>
  /^"([^"]*)"$|^'([^']*)'$|^`([^`]*)`$/.exec(text.trim())?.slice(1).find(Boolean) ?? text;

/** What pasted data can be used as. Unlike inputs, its text is at hand, so it is looked at. */
export function inlineSources(data: string): Source[] {
  const naming = { name: "the text of the goal", names: new Set<string>() };
  const literal = JSON.stringify(data);
  const json = jsonOf(data);
  if (json !== undefined)
    return sourcesFor({ type: typeOf(json) }, { ...naming, expression: `JSON.parse(${literal})` });
  const items = data
    .split(/[,;\n]/)
    .map((item) => item.trim().replace(/^and /, ""))
    .filter((item) => item !== "");
  const numbers = data
    .trim()
    .split(/[\s,;]+(?:and[\s,;]+)?/)
    .map(Number);
  if (numbers.length > 1 && !numbers.some(Number.isNaN))
    return sourcesFor({ type: "number[]" }, { ...naming, expression: JSON.stringify(numbers) });
  const texts = sourcesFor({ type: "string", ...tableShape(data) }, { ...naming, expression: literal });
  const isList = items.length > 1 && items.every((item) => item.split(/\s+/).length <= 3);
  if (!isList || texts[0]?.shape.kind === "table") return texts;
  return [...sourcesFor({ type: "string[]" }, { ...naming, expression: JSON.stringify(items) }), ...texts];
}

function tableShape(data: string): { format: "csv" | "text"; fields?: string[] } {
  const [first = "", second] = data.trim().split(/\r?\n/, 2);
  const separator = [",", ";", "\t"].find((sign) => first.includes(sign));
  if (separator === undefined || second === undefined || !second.includes(separator)) return { format: "text" };
  // Of the header alone: rows are the cell's to read, and it says what is wrong with them.
  const names = first.split(separator).map((name) => name.trim());
  if (new Set(names).size < names.length) return { format: "csv", fields: [...new Set(names)] };
  return { format: "csv", fields: Object.keys(toRows(data)[0] ?? {}) };
}

function jsonOf(data: string): unknown {
  if (!/^\s*[[{]/.test(data)) return undefined;
  try {
    return JSON.parse(data);
  } catch {
    return undefined;
  }
}

function typeOf(value: unknown): string {
  if (value === null || typeof value !== "object") return value === null ? "null" : typeof value;
  if (!Array.isArray(value))
    return `{ ${Object.entries(value)
      .map(([key, item]) => `${key}: ${typeOf(item)}`)
      .join(", ")} }`;
  const types = new Set(value.slice(0, 20).map(typeOf));
  return types.size === 0 ? "unknown[]" : `(${[...types].join(" | ")})[]`;
}
