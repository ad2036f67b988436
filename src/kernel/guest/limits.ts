import { current } from "./context.ts";

type Built = (...args: unknown[]) => unknown;
type Measure = (self: unknown, first: unknown, second: unknown) => number;

/** What a call takes: bytes it will hold on to, and nanoseconds that fuel can't see. */
interface Cost {
  bytes?: Measure;
  work?: Measure;
  /** Work that is known only when it is done, and is bounded by what exists. */
  after?: (result: unknown, self: unknown, second: unknown) => number;
  /** The first argument is a number: it is converted once, so that what was measured is what is used. */
  counts?: true;
  /** An argument that is left out is not the same as undefined. */
  variadic?: true;
}

const spend = (bytes: number, work: number): void => current()?.allowance.spend(bytes, work);
const length = (value: unknown): number => Number((value as { length?: unknown } | null | undefined)?.length) || 0;
const size = (value: unknown): number => length(value) || Number((value as { size?: unknown } | null)?.size) || 0;
const perItem =
  (nanoseconds: number): Measure =>
  (self) =>
    nanoseconds * length(self);
const eightBytes = (self: unknown): number => 8 * length(self);
const asMuch: Measure = (_, count) => count as number;
const sorting: Measure = (self, compare) =>
  length(self) * Math.ceil(Math.log2(length(self) + 2)) * (compare === undefined ? 20 : 5);

/** How many items lie between two indices as `slice` understands them. */
const sliced: Measure = (self, start, end) => {
  const all = length(self);
  const at = (index: unknown, otherwise: number): number => {
    const from = index === undefined ? otherwise : Number(index) || 0;
    return from < 0 ? Math.max(0, all + from) : Math.min(all, from);
  };
  return Math.max(0, at(end, all) - at(start, 0));
};
/** How far a search went. */
const searched =
  (nanoseconds: number) =>
  (result: unknown, self: unknown, from: unknown): number =>
    nanoseconds * (typeof result === "number" && result >= 0 ? Math.abs(result - (Number(from) || 0)) : length(self));

const STRING: Record<string, Cost> = {
  repeat: { counts: true, bytes: (self, count) => length(self) * (count as number) },
  padStart: { counts: true, bytes: asMuch },
  padEnd: { counts: true, bytes: asMuch },
  indexOf: { after: searched(0.5) },
  lastIndexOf: { work: perItem(0.5) },
  includes: { work: perItem(0.5) },
  replace: { work: perItem(4) },
  replaceAll: { work: perItem(4) },
  match: { work: perItem(4) },
  search: { work: perItem(4) },
  normalize: { work: perItem(4) },
  toLowerCase: { work: perItem(1) },
  toUpperCase: { work: perItem(1) },
};
const ARRAY: Record<string, Cost> = {
  concat: { bytes: eightBytes, work: perItem(1), variadic: true },
  flat: { bytes: eightBytes, work: perItem(5) },
  toReversed: { bytes: eightBytes, work: perItem(1) },
  toSpliced: { bytes: eightBytes, work: perItem(1), variadic: true },
  with: { bytes: eightBytes, work: perItem(1) },
  fill: { bytes: eightBytes, work: perItem(1), variadic: true },
  slice: { bytes: (self, start, end) => 8 * sliced(self, start, end), work: sliced },
  splice: { work: perItem(0.5), variadic: true },
  shift: { work: perItem(0.1) },
  unshift: { work: perItem(0.1), variadic: true },
  join: { work: perItem(20) },
  reverse: { work: perItem(1) },
  copyWithin: { work: perItem(1), variadic: true },
  indexOf: { after: searched(1) },
  lastIndexOf: { work: perItem(1), variadic: true },
  includes: { work: perItem(1) },
  sort: { work: sorting },
  toSorted: { bytes: eightBytes, work: sorting },
  reduce: { work: (self) => holes(self), variadic: true },
  reduceRight: { work: (self) => holes(self), variadic: true },
};
const OBJECT: Record<string, Cost> = {
  keys: { after: (keys) => perKey(length(keys)) },
  values: { after: (values) => perKey(length(values)) },
  entries: { after: (entries) => 4 * perKey(length(entries)) },
  getOwnPropertyNames: { after: (keys) => perKey(length(keys)) },
  fromEntries: { work: (_, entries) => 4 * perKey(size(entries)) },
  assign: { work: (_, _target, source) => 4 * perKey(keyCount(source)), variadic: true },
};
const keysOf = Object.keys;
const keyCount = (value: unknown): number => (typeof value === "object" && value !== null ? keysOf(value).length : 0);
/** Objects with many keys are hash tables, whose keys have to be put in order each time. */
const perKey = (keys: number): number => keys * (keys > 1_000 ? 150 : 20);

const fixed = (nanoseconds: number): Cost => ({ work: () => nanoseconds, variadic: true });
const DATE: Record<string, Cost> = {
  toISOString: fixed(300),
  toJSON: fixed(300),
  toString: fixed(500),
  toLocaleString: fixed(2_000),
  toLocaleDateString: fixed(2_000),
  toLocaleTimeString: fixed(2_000),
};

/**
 * Built-ins that take much memory or time in one call. What is not here (a catastrophic regular expression above all) is
 * bounded by `limits.cpuMs` and 128 MB in production, and by the watchdog locally.
 */
export function installLimits(): void {
  for (const [name, cost] of Object.entries(STRING)) guard(String.prototype, name, cost);
  for (const [name, cost] of Object.entries(ARRAY)) guard(Array.prototype, name, cost);
  for (const [name, cost] of Object.entries(OBJECT)) guard(Object, name, cost);
  for (const [name, cost] of Object.entries(DATE)) guard(Date.prototype, name, cost);
  guard(Number.prototype, "toLocaleString", fixed(1_000));
  for (const name of ["alloc", "allocUnsafe", "allocUnsafeSlow"]) guardBuffer(name);
  guard(TextEncoder.prototype, "encode", { bytes: (_, text) => length(text), work: (_, text) => 500 + length(text) });
  guard(Array, "from", {
    bytes: (_, source) => eightBytes(source),
    work: (_, source) => length(source),
    variadic: true,
  });
  guard(JSON, "parse", { work: (_, text) => 200 + 8 * length(text) });
  guard(JSON, "stringify", { after: (text) => 200 + 4 * length(text) });
  guard(globalThis, "structuredClone", { work: (_, value) => 2_000 + 100 * contained(value) });
  guardSplit();
  guardWalks();
  guardCollections();
  guardThen();

  guardConstructor("Array", { bytes: (args) => (args.length === 1 && typeof args[0] === "number" ? 8 * args[0] : 0) });
  guardConstructor("ArrayBuffer", { bytes: ([bytes]) => Number(bytes) || 0 });
  for (const name of ["Map", "Set"]) guardConstructor(name, { bytes: ([items]) => 40 * size(items) });
  for (const name of ERRORS) guardConstructor(name, { work: 1_500 }); // the stack is what takes the time
  for (const name of Object.getOwnPropertyNames(Intl))
    if (/^[A-Z]/.test(name)) guardConstructor(name, { work: 50_000, owner: Intl });
  guardPlatform();
  for (const view of VIEWS)
    guardConstructor(view.name, {
      bytes: ([items]) =>
        (typeof items === "number" ? items : items instanceof ArrayBuffer ? 0 : length(items)) * view.BYTES_PER_ELEMENT,
    });
}

const ERRORS = ["Error", "TypeError", "RangeError", "SyntaxError", "ReferenceError", "EvalError", "URIError"];
const VIEWS = [
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
];

function guard(owner: object, name: string, { bytes, work, after, counts, variadic }: Cost): void {
  const original = (owner as Record<string, Built>)[name]!;
  const pay = (self: unknown, first: unknown, second: unknown): void =>
    spend(bytes?.(self, first, second) ?? 0, work?.(self, first, second) ?? 0);
  // Methods of an object literal: they have the name, no prototype, and can't be called with `new`, like the original.
  const guarded = variadic
    ? {
        [name](this: unknown, ...args: unknown[]): unknown {
          if (counts === true) args[0] = Number(args[0]);
          pay(this, args[0], args[1]);
          return Reflect.apply(original, this, args);
        },
      }
    : {
        [name](this: unknown, first: unknown, second: unknown): unknown {
          const one = counts === true ? Number(first) : first;
          pay(this, one, second);
          const result = original.call(this, one, second);
          if (after !== undefined) spend(0, after(result, this, second));
          return result;
        },
      };
  Object.defineProperty(guarded[name]!, "length", { value: original.length, configurable: true });
  install(owner, name, guarded[name]);
}

const MANY_ITEMS = 1_000_000;
const holes = (items: unknown): number => (length(items) > MANY_ITEMS ? 6 * length(items) : 0);
const payHoles = (items: { length: number }): void => {
  if (items.length > MANY_ITEMS) spend(0, holes(items));
};

/**
 * They call the cell's code, which pays, but not for the holes of an array that is nothing else. One method each, spelt
 * out: V8 inlines them then as it does the originals, and they are what cells do most.
 */
function guardWalks(): void {
  type Items = unknown[];
  type Walk = (item: unknown) => unknown;
  const { every, filter, flatMap, forEach, map, some } = Array.prototype;
  const walks = {
    every(this: Items, walk: Walk, self: unknown): unknown {
      payHoles(this);
      return every.call(this, walk, self);
    },
    filter(this: Items, walk: Walk, self: unknown): unknown {
      payHoles(this);
      return filter.call(this, walk, self);
    },
    flatMap(this: Items, walk: Walk, self: unknown): unknown {
      payHoles(this);
      return flatMap.call(this, walk, self);
    },
    forEach(this: Items, walk: Walk, self: unknown): unknown {
      payHoles(this);
      return forEach.call(this, walk, self);
    },
    map(this: Items, walk: Walk, self: unknown): unknown {
      payHoles(this);
      return map.call(this, walk, self);
    },
    some(this: Items, walk: Walk, self: unknown): unknown {
      payHoles(this);
      return some.call(this, walk, self);
    },
  };
  for (const [name, walk] of Object.entries(walks)) {
    Object.defineProperty(walk, "length", { value: 1, configurable: true });
    install(Array.prototype, name, walk);
  }
}

const NEW_ENTRY = 120; // nanoseconds: large tables are slow to fill, and are copied when they grow

/** An entry more is memory that no allocation in the cell's own code accounts for. */
function guardCollections(): void {
  const { add } = Set.prototype;
  const { set } = Map.prototype;
  const guarded = {
    add(this: Set<unknown>, item: unknown): unknown {
      spend(0, NEW_ENTRY);
      return add.call(this, item);
    },
    set(this: Map<unknown, unknown>, key: unknown, item: unknown): unknown {
      spend(0, NEW_ENTRY);
      return set.call(this, key, item);
    },
  };
  install(Set.prototype, "add", guarded.add);
  install(Map.prototype, "set", guarded.set);
}

const ONE_THEN = 300; // nanoseconds, and a promise: a chain that goes on for ever keeps all of them

function guardThen(): void {
  const { then } = Promise.prototype;
  type Reaction = ((value: unknown) => unknown) | undefined;
  const guarded = {
    // `await` never comes here, and what comes is as many turns of the queue as without a guard.
    // oxlint-disable-next-line unicorn/no-thenable
    then(this: Promise<unknown>, kept: Reaction, broken: Reaction): unknown {
      spend(0, ONE_THEN);
      return then.call(this, kept, broken);
    },
  };
  install(Promise.prototype, "then", guarded.then);
}

/** What the platform does in its own code, and slowly: microseconds a call, where the cell's code pays for nanoseconds. */
function guardPlatform(): void {
  guard(globalThis, "queueMicrotask", fixed(3_000));
  const slow: [owner: { prototype: object }, names: string[]][] = [
    [ReadableStreamDefaultController, ["enqueue"]],
    [TransformStreamDefaultController, ["enqueue"]],
    [WritableStreamDefaultWriter, ["write"]],
    [SubtleCrypto, ["digest", "sign", "verify", "encrypt", "decrypt", "importKey", "deriveBits", "generateKey"]],
  ];
  for (const [{ prototype }, names] of slow)
    for (const name of names) if (name in prototype) guard(prototype, name, fixed(10_000));
}

/** The platform's `Buffer` makes its bytes without the guarded constructors. */
function guardBuffer(name: string): void {
  const { Buffer } = globalThis as { Buffer?: object };
  if (Buffer !== undefined && name in Buffer)
    guard(Buffer, name, { bytes: asMuch, work: (_, size) => Number(size) / 8, counts: true, variadic: true });
}

const MOST_PIECES = 2 ** 32 - 1;

/** A split into more pieces than there is room for stops at the one too many, before it has taken all the memory. */
function guardSplit(): void {
  const { split } = String.prototype;
  const guarded = {
    split(this: unknown, separator: unknown, limit: unknown): unknown {
      spend(0, 4 * length(this));
      const asked = limit === undefined ? MOST_PIECES : Number(limit) >>> 0;
      const most = (current()?.allowance.room ?? MOST_PIECES) + 1;
      const pieces = (split as Built).call(this, separator, Math.min(asked, most));
      spend(8 * length(pieces), 0);
      return pieces;
    },
  };
  install(String.prototype, "split", guarded.split);
}

function install(owner: object, name: string, value: unknown): void {
  Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}

/** About how many values a value holds. */
function contained(root: unknown): number {
  const seen = new Set<unknown>([root]);
  for (const value of seen)
    if (typeof value === "object" && value !== null)
      for (const item of value instanceof Map || value instanceof Set ? value.values() : Object.values(value))
        if (typeof item === "object") seen.add(item);
  let count = 0;
  for (const value of seen) count += 1 + (typeof value === "object" && value !== null ? keyCount(value) : 0);
  return count;
}

interface MakingCost {
  bytes?: (args: unknown[]) => number;
  work?: number;
  owner?: object;
}

function guardConstructor(name: string, { bytes = () => 0, work = 0, owner = globalThis }: MakingCost): void {
  const original = (owner as Record<string, new (...args: unknown[]) => unknown>)[name]!;
  const guarded: unknown = new Proxy(original, {
    construct: (target, args: unknown[], newTarget) => {
      const asked = bytes(args);
      spend(asked, work + asked / 8);
      return Reflect.construct(target, args, newTarget === guarded ? target : newTarget) as object;
    },
    apply: (target, self, args: unknown[]) => {
      spend(bytes(args), work);
      // Array(n) without `new`; the others throw as they always did.
      return Reflect.apply(target as unknown as Built, self, args);
    },
  });
  // Not that of arrays: with another constructor than their own, `map` and `slice` take four times as long.
  if (name !== "Array") install(original.prototype as object, "constructor", guarded);
  install(owner, name, guarded);
}
