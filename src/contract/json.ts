/** JSON data within bounds, for what is stored and shown: no `undefined`, no `__proto__`, no depth without end. */
export type Json = string | number | boolean | null | Json[] | { [key: string]: Json };
export type JsonObject = { [key: string]: Json };

export interface JsonLimits {
  depth: number;
  /** Of its compact text, in characters. */
  chars: number;
}

export const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** Why a value is no JSON within the limits; undefined when it is. Never throws, and stops at the first limit. */
export function whyNotJson(value: unknown, limits: JsonLimits): string | undefined {
  let chars = 0;
  const visit = (item: unknown, depth: number): string | undefined => {
    if (depth > limits.depth) return `is nested more than ${limits.depth} deep`;
    if (chars > limits.chars) return `is longer than ${limits.chars} characters`;
    if (typeof item === "string" || typeof item === "boolean" || item === null) {
      chars += typeof item === "string" ? item.length + 2 : 5;
      return undefined;
    }
    if (typeof item === "number") {
      chars += String(item).length;
      return Number.isFinite(item) ? undefined : `holds ${item}, which JSON can't say`;
    }
    if (Array.isArray(item)) {
      chars += 2 + item.length;
      // Not forEach: a hole is no JSON, and is visited.
      for (const inner of item) {
        const problem = visit(inner, depth + 1);
        if (problem !== undefined) return problem;
      }
      return undefined;
    }
    return typeof item === "object" ? visitObject(item, depth) : `holds ${kindOf(item)}, which JSON can't say`;
  };
  const visitObject = (item: object, depth: number): string | undefined => {
    const prototype: unknown = Object.getPrototypeOf(item);
    if (prototype !== Object.prototype && prototype !== null) return "holds an object of a class, which JSON can't say";
    for (const [key, inner] of Object.entries(item)) {
      if (key === "__proto__") return 'holds the key "__proto__"';
      chars += key.length + 4;
      const problem = visit(inner, depth + 1);
      if (problem !== undefined) return problem;
    }
    return undefined;
  };
  const problem = visit(value, 1);
  return problem ?? (chars > limits.chars ? `is longer than ${limits.chars} characters` : undefined);
}

const kindOf = (value: unknown): string => (value === undefined ? "nothing (undefined)" : `a ${typeof value}`);

/** The same text for the same data, whatever the order of its keys. */
export function canonicalJson(value: Json): string {
  if (Array.isArray(value)) return `[${value.map(canonicalJson).join(",")}]`;
  if (!isJsonObject(value)) return JSON.stringify(value);
  const keys = Object.keys(value).sort();
  return `{${keys.map((key) => `${JSON.stringify(key)}:${canonicalJson(value[key]!)}`).join(",")}}`;
}
