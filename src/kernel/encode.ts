/** The one direction of the codec: see `codec.ts` for what the text looks like. */
export interface Encoded {
  data: string;
  /** `Function.prototype.toString` of each function and class the value holds, in the order the text numbers them. */
  functions: string[];
  /** Names of the variables whose classes its instances belong to. */
  classes: string[];
}

export interface EncodeScope {
  /** The variable that holds the class with this prototype, if there is one. */
  classNamed?: (prototype: object) => string | undefined;
  /** Gives up with `TooLong` on a value whose text would be about as long: a getter may answer new objects for ever. */
  maxChars?: number;
  /** Instances of classes that no variable holds become plain objects instead of being refused. */
  plainInstances?: boolean;
}

/** Why a value can't be kept, with the path to the culprit. */
export class Unstorable extends Error {
  override name = "Unstorable";
}

export class TooLong extends Unstorable {}

export type Atom = string | number | boolean | null | [string, ...unknown[]];
export type Row = [string, ...unknown[]];

const MAX_PATH_CHARS = 300;
export const MAX_BIGINT_DIGITS = 30_000; // writing and reading more takes longer than it should
const HUGE = 1n << 98_000n;
/** Comparing is quick, whatever the size. */
export const isHuge = (value: bigint): boolean => value >= HUGE || value <= -HUGE;

export const VIEWS: Record<string, new (buffer: ArrayBuffer, offset: number, length: number) => ArrayBufferView> = {
  Int8Array,
  Uint8Array,
  Uint8ClampedArray,
  Int16Array,
  Uint16Array,
  Int32Array,
  Uint32Array,
  Float32Array,
  Float64Array,
  BigInt64Array,
  BigUint64Array,
  DataView,
};
// Taken before any cell runs: what a cell makes of them later is its own affair.
const functionText = Function.prototype.toString;
const { stringify } = JSON;
export const sourceOf = (value: unknown): string =>
  typeof value === "function" ? (Reflect.apply(functionText, value, []) as string) : "";
const tagOf = (value: object): string => Object.prototype.toString.call(value).slice(8, -1);

/** Throws `Unstorable` with the path to what can't be kept. */
export function encode(root: unknown, scope: EncodeScope = {}): Encoded {
  return new Encoder(scope).encode(root);
}

/** Where an object was met first: a property, an index, or the text that stands for it. */
type Place = string | number | { shown: string };
const NUMBER_CHARS = 5; // on average, with the comma
const REFERENCE_CHARS = 12;
const OBJECT_CHARS = 36; // what a small one takes; also, each costs a microsecond or more

class Encoder {
  readonly #scope: EncodeScope;
  readonly #ids = new Map<object, number>();
  readonly #objects: object[] = [];
  readonly #parents: number[] = [];
  readonly #places: Place[] = [];
  readonly #functions: string[] = [];
  readonly #classes = new Set<string>();
  #current = -1;
  #room: number;

  constructor(scope: EncodeScope) {
    this.#scope = scope;
    this.#room = scope.maxChars ?? Number.POSITIVE_INFINITY;
  }

  encode(root: unknown): Encoded {
    const table: Row[] = [];
    if ("toJSON" in table) throw new Unstorable("toJSON was added to all arrays or objects");
    const rootAtom = this.#atom(root, { shown: "" });
    for (let id = 0; id < this.#objects.length; id++) {
      this.#current = id;
      table.push(this.#row(this.#objects[id]!));
    }
    return { data: stringify([rootAtom, table]), functions: this.#functions, classes: [...this.#classes] };
  }

  #take(chars: number): void {
    if ((this.#room -= chars) < 0) throw new TooLong(`it is longer than ${this.#scope.maxChars} characters`);
  }

  #refuse(what: string, place: Place = { shown: "" }): never {
    let path = shownPlace(place);
    let id = this.#current;
    for (; id >= 0 && path.length < MAX_PATH_CHARS; id = this.#parents[id]!)
      path = shownPlace(this.#places[id]!) + path;
    const isCut = id >= 0 || path.length > MAX_PATH_CHARS;
    const shown = isCut ? `…${path.slice(-MAX_PATH_CHARS)}` : path;
    throw new Unstorable(path === "" ? what : `${what} (at ${shown})`);
  }

  #atom(value: unknown, place: Place): Atom {
    switch (typeof value) {
      case "string":
        this.#take(value.length + 3);
        return value;
      case "boolean":
        this.#take(5);
        return value;
      case "undefined":
        this.#take(5);
        return ["u"];
      case "bigint":
        this.#take(REFERENCE_CHARS);
        if (isHuge(value)) this.#refuse("a BigInt of so many digits can't be stored", place);
        return ["i", value.toString()];
      case "number":
        this.#take(NUMBER_CHARS);
        return Number.isFinite(value) && !Object.is(value, -0)
          ? value
          : ["n", Object.is(value, -0) ? "-0" : String(value)];
      case "symbol": {
        const shared = Symbol.keyFor(value);
        return shared === undefined ? this.#refuse("a symbol can't be stored", place) : ["s", shared];
      }
    }
    this.#take(REFERENCE_CHARS);
    if (value === null) return null;
    const object = value as object;
    let id = this.#ids.get(object);
    if (id === undefined) {
      id = this.#objects.push(object) - 1;
      this.#ids.set(object, id);
      this.#take(OBJECT_CHARS);
      this.#parents.push(this.#current);
      this.#places.push(place);
    }
    return ["@", id];
  }

  #entries(row: Row, object: object, keys: string[] = Object.keys(object)): Row {
    for (const key of keys) {
      this.#take(key.length + 3);
      row.push(key, this.#atom((object as Record<string, unknown>)[key], key));
    }
    return row;
  }

  #row(object: object): Row {
    if (typeof object === "function") return this.#function(object);
    const prototype: object | null = Object.getPrototypeOf(object);
    const owner = prototype === null ? undefined : this.#scope.classNamed?.(prototype);
    if (Array.isArray(object)) {
      if (owner !== undefined) this.#refuse("an instance of a class that extends Array can't be stored");
      return this.#list(object);
    }
    if (owner !== undefined) return this.#instance(object, owner);
    if (prototype === Object.prototype) return this.#entries(["O"], object);
    if (prototype === null) return this.#entries(["N"], object);
    return this.#builtIn(object) ?? this.#foreign(object, prototype);
  }

  // The name of a function can be anything at all; its type says text.
  #function(object: object & { name?: unknown }): Row {
    const source = sourceOf(object);
    if (/\{\s*\[native code\]\s*\}\s*$/.test(source)) this.#refuse("a native or bound function can't be stored");
    const index = this.#functions.push(source) - 1;
    this.#take(source.length);
    const name = typeof object.name === "string" ? object.name : "";
    return this.#entries(["F", index, name, this.#atom(prototypeOf(object), "prototype")], object);
  }

  #list(list: unknown[]): Row {
    // The keys of millions of items take seconds, and so many don't fit. A list that is nearly all holes does.
    const { length } = list;
    const least = length * (typeof list[0] === "object" ? REFERENCE_CHARS : NUMBER_CHARS);
    if (least > this.#room && [0, length >> 1, length - 1].every((index) => index in list)) this.#take(least);
    const keys = Object.keys(list);
    // Indices come first and in order: when the last of as many keys is the last index, there is no hole and no name.
    const dense = keys.length === list.length && (keys.length === 0 || keys.at(-1) === String(keys.length - 1));
    if (!dense) return this.#entries(["H", list.length], list, keys);
    const row: Row = ["A"];
    for (let index = 0; index < keys.length; index++) row.push(this.#atom(list[index], index));
    return row;
  }

  #instance(object: object, owner: string): Row {
    const isError = object instanceof Error;
    if (tagOf(object) !== "Object" && !isError)
      this.#refuse(`an instance of ${owner}, which extends a built-in, can't be stored`);
    this.#classes.add(owner);
    return this.#entries(["I", owner], object, isError ? errorKeys(object) : Object.keys(object));
  }

  #builtIn(object: object): Row | undefined {
    if (object instanceof Map) {
      const row: Row = ["M"];
      for (const [key, item] of object)
        row.push(this.#atom(key, { shown: ".keys()" }), this.#atom(item, { shown: placeInMap(key) }));
      return row;
    }
    if (object instanceof Set) {
      const row: Row = ["S"];
      for (const item of object) row.push(this.#atom(item, { shown: ".values()" }));
      return row;
    }
    if (object instanceof Date) return ["D", Number.isNaN(object.getTime()) ? null : object.getTime()];
    if (object instanceof RegExp) return ["R", object.source, object.flags, object.lastIndex];
    if (object instanceof ArrayBuffer) {
      this.#take((object.byteLength * 4) / 3);
      return ["B", toBase64(new Uint8Array(object))];
    }
    if (ArrayBuffer.isView(object)) {
      const kind = tagOf(object);
      const length = "length" in object ? object.length : object.byteLength;
      if (!Object.hasOwn(VIEWS, kind)) this.#refuse(`a ${kind} can't be stored`);
      return ["V", kind, this.#atom(object.buffer, "buffer"), object.byteOffset, length];
    }
    if (object instanceof Error) return this.#entries(["E", String(object.name)], object, errorKeys(object));
    if (object instanceof URL) return ["L", object.href];
    if (object instanceof URLSearchParams) return ["Q", object.toString()];
    if (object instanceof Number || object instanceof String || object instanceof Boolean)
      return ["W", this.#atom(object.valueOf(), { shown: "" })];
    return undefined;
  }

  #foreign(object: object, prototype: object): Row {
    if (this.#scope.plainInstances === true && tagOf(object) === "Object") return this.#entries(["O"], object);
    if (object instanceof Promise) this.#refuse("a Promise can't be stored: await it");
    const name: unknown = prototype.constructor?.name;
    const kind = typeof name === "string" && name !== "" ? name.slice(0, 100) : tagOf(object);
    return this.#refuse(`a ${kind} can't be stored`);
  }
}

const shownPlace = (place: Place): string => {
  if (typeof place === "object") return place.shown;
  if (typeof place === "number") return `[${place}]`;
  return /^[A-Za-z_$][\w$]*$/.test(place) ? `.${place}` : `[${stringify(place)}]`;
};

/** What was put on a function's prototype by hand, as plain data; methods of a class are in its source. */
const prototypeOf = (value: object): object | undefined => {
  const prototype: unknown = (value as { prototype?: unknown }).prototype;
  if (typeof prototype !== "object" || prototype === null || Object.keys(prototype).length === 0) return undefined;
  return { ...prototype };
};

/** A message that is not the error's own, as that of a DOMException, is kept too. */
const errorKeys = (error: Error): string[] => {
  const keys = Object.getOwnPropertyNames(error);
  return keys.includes("message") || error.message === "" ? keys : [...keys, "message"];
};

const placeInMap = (key: unknown): string =>
  typeof key === "string" || typeof key === "number" ? `.get(${stringify(key)})` : ".values()";

const BASE64_STEP = 0x8000; // String.fromCharCode takes its bytes as arguments, and those are limited

function toBase64(bytes: Uint8Array): string {
  let binary = "";
  for (let i = 0; i < bytes.length; i += BASE64_STEP)
    binary += String.fromCharCode(...bytes.subarray(i, i + BASE64_STEP));
  return btoa(binary);
}
