/**
 * What a cell gives to a tool, as JSON that says the same: a Map with string keys is an object, any other a list of pairs, a
 * Set and a typed array are lists, an Error has its name and message, a BigInt is a number, or a text where that would lose digits.
 *
 * Throws a TypeError that names the place of what has no such form: a function, a symbol, a promise.
 */
export function argumentsText(tool: string, args: unknown): string {
  // Places cost more than the rest: they are looked for only when there is one to name.
  return write(args) ?? refuse(tool, args);
}

function write(args: unknown): string | undefined {
  let isGood = true;
  const text = JSON.stringify(args ?? {}, (_key, value: unknown) => {
    if (kindOf(value) !== undefined) isGood = false;
    return isGood ? plain(value) : undefined;
  });
  return isGood ? text : undefined;
}

function refuse(tool: string, args: unknown): never {
  const places = new WeakMap<object, string>();
  JSON.stringify({ args }, function (this: object, key, value: unknown) {
    const holder = places.get(this) ?? "";
    const place = this instanceof Array ? `${holder}[${key}]` : holder === "" ? key : `${holder}.${key}`;
    const kind = kindOf(value);
    if (kind !== undefined)
      throw new TypeError(
        `${tool}: ${place.replace(/^args\.?/, "") || "its argument"} is ${kind}, which can't be sent. Send data${kind === "a promise" ? ": await it first" : ""}.`,
      );
    const sent = plain(value);
    if (typeof sent === "object" && sent !== null) places.set(sent, place);
    return sent;
  });
  throw new TypeError(`${tool}: its argument can't be sent.`);
}

/** What has no form as data. */
function kindOf(value: unknown): string | undefined {
  if (typeof value === "function") return "a function";
  if (typeof value === "symbol") return "a symbol";
  if (typeof value !== "object" || value === null) return undefined;
  if (value instanceof Promise) return "a promise";
  return value instanceof WeakMap || value instanceof WeakSet || value instanceof WeakRef
    ? "a weak reference"
    : undefined;
}

function plain(value: unknown): unknown {
  if (typeof value === "bigint") return Number.isSafeInteger(Number(value)) ? Number(value) : String(value);
  if (typeof value !== "object" || value === null) return value;
  if (value instanceof Map) {
    const entries = [...value] as [unknown, unknown][];
    return entries.every(([key]) => typeof key === "string") ? Object.fromEntries(entries) : entries;
  }
  if (value instanceof Set) return [...value];
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) return [...(value as Uint8Array)];
  if (value instanceof Error) return { ...value, name: value.name, message: value.message };
  return value instanceof RegExp ? String(value) : value;
}
