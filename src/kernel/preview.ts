import { isHuge } from "./encode.ts";

/** The most a model is shown of a value: about 500 tokens. */
export const MAX_PREVIEW_CHARS = 2_000;
const MAX_STRING = 400;
const MAX_ITEMS = 12;
const MAX_DEPTH = 4;

type Entry = [key: string | undefined, value: unknown];

/** A bounded, readable rendering of any value. Never throws, whatever getters and proxies do. */
export function preview(value: unknown, limit = MAX_PREVIEW_CHARS): string {
  try {
    return new Preview(limit).render(value, 0);
  } catch (error) {
    return `[no preview: ${reasonOf(error)}]`.slice(0, limit);
  }
}

/** What an error says. It may be as hostile as the value that threw it. */
export function reasonOf(error: unknown): string {
  try {
    return error instanceof Error ? String(error.message) : "it threw";
  } catch {
    return "it threw";
  }
}

class Preview {
  readonly #limit: number;
  #room: number;
  readonly #above = new Set<object>();

  constructor(limit: number) {
    this.#limit = limit;
    this.#room = limit;
  }

  render(value: unknown, depth: number): string {
    if (this.#room <= 0) return "";
    if (typeof value === "string")
      return this.#take(depth === 0 ? long(value, this.#limit) : JSON.stringify(long(value, MAX_STRING)));
    if (typeof value === "bigint") return this.#take(isHuge(value) ? "[a huge BigInt]" : `${value}n`);
    if (typeof value === "function")
      return this.#take(`[${isClass(value) ? "class" : "function"} ${value.name || "anonymous"}]`);
    if (typeof value !== "object" || value === null) return this.#take(Object.is(value, -0) ? "-0" : String(value));
    if (this.#above.has(value)) return this.#take("[circular]");
    if (value instanceof Date) return this.#take(Number.isNaN(value.getTime()) ? "Invalid Date" : value.toISOString());
    if (value instanceof RegExp || value instanceof URL) return this.#take(String(value));
    if (value instanceof Error) return this.#take(`${value.name}: ${long(value.message, MAX_STRING)}`);
    if (depth >= MAX_DEPTH) return this.#take(Array.isArray(value) ? `[… ${value.length}]` : "{…}");
    this.#above.add(value);
    try {
      return this.#renderEntries(entriesOf(value, depth), depth);
    } finally {
      this.#above.delete(value);
    }
  }

  #renderEntries({ open, close, total, entries }: Entries, depth: number): string {
    let out = this.#take(open);
    let shown = 0;
    for (const [key, item] of entries) {
      if (shown >= MAX_ITEMS || this.#room <= 0) break;
      out +=
        this.#take(shown === 0 ? "" : ", ") +
        this.#take(key === undefined ? "" : `${key}: `) +
        this.render(item, depth + 1);
      shown++;
    }
    if (shown < total) out += this.#take(`, … ${total - shown} more`);
    return out + this.#take(close);
  }

  #take(text: string): string {
    if (this.#room <= 0) return "";
    const part = text.length > this.#room ? `${text.slice(0, Math.max(0, this.#room - 1))}…` : text;
    this.#room -= part.length;
    return part;
  }
}

interface Entries {
  open: string;
  close: string;
  total: number;
  entries: Iterable<Entry>;
}

/** Lazily: of a million entries only the few that are shown are looked at. */
function entriesOf(value: object, depth: number): Entries {
  const unnamed = function* (items: Iterable<unknown>): Generator<Entry> {
    for (const item of items) yield [undefined, item];
  };
  if (Array.isArray(value))
    return {
      open: depth === 0 && value.length > MAX_ITEMS ? `(${value.length}) [` : "[",
      close: "]",
      total: value.length,
      entries: unnamed(value),
    };
  if (value instanceof Map) {
    const named = function* (): Generator<Entry> {
      for (const [key, item] of value) yield [preview(key, 80), item];
    };
    return { open: `Map(${value.size}) {`, close: "}", total: value.size, entries: named() };
  }
  if (value instanceof Set)
    return { open: `Set(${value.size}) {`, close: "}", total: value.size, entries: unnamed(value) };
  const name: unknown = Object.getPrototypeOf(value)?.constructor?.name;
  const label = typeof name === "string" && name !== "Object" ? name : "";
  if (ArrayBuffer.isView(value) && Symbol.iterator in value) {
    const items = value as unknown as Iterable<unknown> & { length: number };
    return { open: `${label}(${items.length}) [`, close: "]", total: items.length, entries: unnamed(items) };
  }
  const keys = Object.keys(value);
  const fields = function* (): Generator<Entry> {
    for (const key of keys) yield [key, (value as Record<string, unknown>)[key]];
  };
  return { open: label === "" ? "{" : `${label} {`, close: "}", total: keys.length, entries: fields() };
}

const isClass = (value: unknown): boolean => /^class\b/.test(Function.prototype.toString.call(value));
const long = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}… ${text.length - limit} more characters` : text;
