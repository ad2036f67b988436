import { decode } from "./codec.ts";

const MAX_DEPTH = 200; // deeper than anyone reads, shallower than any stack
const MAX_VALUES = 4_000_000; // as many as the longest result holds
const SHARED_VALUES = 100_000; // and of a short text so many more, for what is shared is shown at each of its places

/**
 * An encoded value as JSON for people and programs outside: Map and Set as lists or objects, dates as ISO, BigInt as text.
 *
 * Never throws: the text comes from an isolate that a cell may have turned upside down.
 */
export function toPlain(data: string, functions: string[] = [], classes: string[] = []): unknown {
  try {
    const value = decode(data, {
      functions: functions.map((source) => () => standIn(source)),
      classes: Object.fromEntries(classes.map((name) => [name, () => Object])),
    });
    return new Plain(Math.min(MAX_VALUES, SHARED_VALUES + 10 * data.length)).of(value) ?? null;
  } catch (error) {
    return error instanceof TooMany ? "[too large]" : "[unreadable]";
  }
}

/** What a function is shown as; what is put on its prototype is not shown. */
const standIn = (source: string): object =>
  Object.defineProperty({ function: source }, "prototype", { value: {}, enumerable: false });

class TooMany extends Error {}

class Plain {
  #left: number;
  readonly #above = new Set<object>();

  constructor(values: number) {
    this.#left = values;
  }

  /** Undefined for what JSON leaves out. */
  of(value: unknown): unknown {
    if (--this.#left < 0) throw new TooMany();
    if (typeof value === "bigint") return value.toString();
    if (typeof value === "number") return Number.isFinite(value) ? value : null;
    if (typeof value === "symbol") return value.toString();
    if (typeof value !== "object" || value === null) return value;
    if (this.#above.has(value)) return "[circular]";
    if (this.#above.size > MAX_DEPTH) return "[too deep]";
    this.#above.add(value);
    try {
      return this.#object(value);
    } finally {
      this.#above.delete(value);
    }
  }

  #object(value: object): unknown {
    if (Array.isArray(value)) return this.#list(value, value.length);
    if (value instanceof Map) {
      const pairs = [...value];
      return pairs.every(([key]) => typeof key === "string")
        ? this.#record(pairs as [string, unknown][])
        : pairs.map((pair) => this.#list(pair, 2));
    }
    if (value instanceof Set) return this.#list(value, value.size);
    if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
    if (value instanceof RegExp || value instanceof URL || value instanceof URLSearchParams) return value.toString();
    if (value instanceof Error) return { name: value.name, message: value.message };
    if (value instanceof ArrayBuffer) return this.#list(new Uint8Array(value), value.byteLength);
    if (value instanceof DataView)
      return this.#list(new Uint8Array(value.buffer, value.byteOffset, value.byteLength), value.byteLength);
    if (ArrayBuffer.isView(value)) return this.#list(value as Uint8Array, value.byteLength);
    if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
    return this.#record(Object.entries(value));
  }

  #list(items: Iterable<unknown>, length: number): unknown[] {
    if (length > this.#left) throw new TooMany(); // before anything walks over four billion holes
    return Array.from(items, (item) => this.of(item) ?? null);
  }

  #record(entries: [string, unknown][]): Record<string, unknown> {
    const out: Record<string, unknown> = {};
    for (const [key, item] of entries) {
      const converted = this.of(item);
      // Defined, not assigned: `__proto__` is a key like any other here.
      if (converted !== undefined)
        Object.defineProperty(out, key, { value: converted, enumerable: true, writable: true, configurable: true });
    }
    return out;
  }
}
