import { decode } from "./codec.ts";

const MAX_DEPTH = 200; // deeper than anyone reads, shallower than any stack

/** An encoded value as JSON for people and programs outside: Map and Set as lists or objects, dates as ISO, BigInt as text. */
export function toPlain(data: string, functions: string[] = [], classes: string[] = []): unknown {
  const value = decode(data, {
    functions: functions.map((source) => () => ({ function: source })),
    classes: Object.fromEntries(classes.map((name) => [name, () => Object])),
  });
  return plain(value, [], 0) ?? null;
}

function plain(value: unknown, above: object[], depth: number): unknown {
  if (typeof value === "bigint") return value.toString();
  if (typeof value === "number") return Number.isFinite(value) ? value : null;
  if (typeof value === "symbol") return value.toString();
  if (typeof value !== "object" || value === null) return value;
  if (above.includes(value)) return "[circular]";
  if (depth > MAX_DEPTH) return "[too deep]";
  const inner = [...above, value];
  const next = (item: unknown): unknown => plain(item, inner, depth + 1);
  if (Array.isArray(value)) return Array.from(value, (item) => next(item) ?? null);
  if (value instanceof Map) {
    const pairs = [...value];
    return pairs.every(([key]) => typeof key === "string")
      ? Object.fromEntries(pairs.map(([key, item]) => [key, next(item)]))
      : pairs.map(([key, item]) => [next(key) ?? null, next(item) ?? null]);
  }
  if (value instanceof Set) return [...value].map((item) => next(item) ?? null);
  if (value instanceof Date) return Number.isNaN(value.getTime()) ? null : value.toISOString();
  if (value instanceof RegExp || value instanceof URL || value instanceof URLSearchParams) return value.toString();
  if (value instanceof Error) return { name: value.name, message: value.message };
  if (value instanceof ArrayBuffer) return next(new Uint8Array(value));
  if (ArrayBuffer.isView(value))
    return Array.from(
      value instanceof DataView
        ? new Uint8Array(value.buffer, value.byteOffset, value.byteLength)
        : (value as Uint8Array),
      (item) => next(item),
    );
  if (value instanceof Number || value instanceof String || value instanceof Boolean) return value.valueOf();
  const out: Record<string, unknown> = {};
  for (const [key, item] of Object.entries(value)) {
    const converted = next(item);
    // Defined, not assigned: `__proto__` is a key like any other here.
    if (converted !== undefined)
      Object.defineProperty(out, key, { value: converted, enumerable: true, writable: true, configurable: true });
  }
  return out;
}
