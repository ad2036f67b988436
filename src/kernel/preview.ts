/** The most a model is shown of a value: about 500 tokens. */
export const MAX_PREVIEW_CHARS = 2_000;
const MAX_STRING = 400;
const MAX_ITEMS = 12;
const MAX_DEPTH = 4;

/** A bounded, readable rendering of any value. Never throws, whatever getters and proxies do. */
export function preview(value: unknown, limit = MAX_PREVIEW_CHARS): string {
  let room = limit;
  const seen = new Set<object>();
  const take = (text: string): string => {
    const part = text.length > room ? `${text.slice(0, Math.max(0, room - 1))}…` : text;
    room -= part.length;
    return part;
  };
  const list = (
    items: Iterable<[string | undefined, unknown]>,
    total: number,
    brackets: [string, string],
    depth: number,
  ): string => {
    let out = take(brackets[0]);
    let shown = 0;
    for (const [key, item] of items) {
      if (shown >= MAX_ITEMS || room <= 0) break;
      out += take(shown === 0 ? "" : ", ") + take(key === undefined ? "" : `${key}: `) + render(item, depth + 1);
      shown++;
    }
    if (shown < total) out += take(`, … ${total - shown} more`);
    return out + take(brackets[1]);
  };
  const render = (item: unknown, depth: number): string => {
    if (room <= 0) return "";
    if (typeof item === "string") return take(depth === 0 ? long(item, limit) : JSON.stringify(long(item, MAX_STRING)));
    if (typeof item === "bigint") return take(`${item}n`);
    if (typeof item === "function")
      return take(
        `[${/^class\b/.test(Function.prototype.toString.call(item)) ? "class" : "function"} ${item.name || "anonymous"}]`,
      );
    if (typeof item !== "object" || item === null) return take(Object.is(item, -0) ? "-0" : String(item));
    if (seen.has(item)) return take("[circular]");
    if (item instanceof Date) return take(Number.isNaN(item.getTime()) ? "Invalid Date" : item.toISOString());
    if (item instanceof RegExp || item instanceof URL) return take(String(item));
    if (item instanceof Error) return take(`${item.name}: ${long(item.message, MAX_STRING)}`);
    if (depth >= MAX_DEPTH) return take(Array.isArray(item) ? `[… ${item.length}]` : "{…}");
    seen.add(item);
    try {
      if (Array.isArray(item))
        return list(
          item.slice(0, MAX_ITEMS + 1).map((entry): [undefined, unknown] => [undefined, entry]),
          item.length,
          [depth === 0 && item.length > MAX_ITEMS ? `(${item.length}) [` : "[", "]"],
          depth,
        );
      if (item instanceof Map)
        return list(
          [...item].map(([key, entry]): [string, unknown] => [preview(key, 80), entry]),
          item.size,
          [`Map(${item.size}) {`, "}"],
          depth,
        );
      if (item instanceof Set)
        return list(
          [...item].map((entry): [undefined, unknown] => [undefined, entry]),
          item.size,
          [`Set(${item.size}) {`, "}"],
          depth,
        );
      if (ArrayBuffer.isView(item) && "length" in item)
        return list(
          Array.from((item as Uint8Array).slice(0, MAX_ITEMS + 1)).map((entry): [undefined, unknown] => [
            undefined,
            entry,
          ]),
          (item as Uint8Array).length,
          [`${item.constructor.name}(${String(item.length)}) [`, "]"],
          depth,
        );
      const keys = Object.keys(item);
      const name = Object.getPrototypeOf(item)?.constructor?.name as unknown;
      const prefix = typeof name === "string" && name !== "Object" && name !== "" ? `${name} {` : "{";
      return list(
        keys.map((key): [string, unknown] => [key, (item as Record<string, unknown>)[key]]),
        keys.length,
        [prefix, "}"],
        depth,
      );
    } finally {
      seen.delete(item);
    }
  };
  try {
    return render(value, 0);
  } catch (error) {
    return `[no preview: ${error instanceof Error ? error.message : "it threw"}]`.slice(0, limit);
  }
}

const long = (text: string, limit: number): string =>
  text.length > limit ? `${text.slice(0, limit)}… ${text.length - limit} more characters` : text;
