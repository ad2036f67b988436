/**
 * Values as text and back, with structured-clone fidelity and more: cycles, Map, Set, Date, RegExp, typed arrays, BigInt,
 * undefined, NaN, -0, sparse arrays, errors, URLs, and, unlike structured clone, functions by their source and instances
 * of classes that are themselves variables.
 *
 * The text is JSON: a table of objects, then the root. Neither direction recurses, so depth is bounded by memory alone,
 * and decoding builds every shell before it fills one, so cycles need no care.
 *
 * A value is itself when JSON can say it (string, boolean, null, finite number), else a list: ["u"] undefined,
 * ["n","NaN"], ["i","12"] BigInt, ["s","Symbol.for key"], ["@",7] the seventh object of the table.
 */
import { type Atom, MAX_BIGINT_DIGITS, type Row, VIEWS } from "./encode.ts";

export { encode, sourceOf, TooLong, Unstorable } from "./encode.ts";
export type { Encoded, EncodeScope } from "./encode.ts";

export interface DecodeScope {
  functions?: (() => unknown)[];
  classes?: Record<string, () => unknown>;
}

const ERRORS: Record<string, new (message?: string) => Error> = {
  Error,
  TypeError,
  RangeError,
  SyntaxError,
  ReferenceError,
  EvalError,
  URIError,
};
// Taken before any cell runs: what a cell makes of it later is its own affair.
const { parse } = JSON;

/**
 * Throws for a text that `encode` did not write, and when a class or function it needs is not in the scope. Whatever the
 * text, it takes no more time and memory than the length of it accounts for.
 */
export function decode(data: string, scope: DecodeScope = {}): unknown {
  const [root, table] = parse(data) as [Atom, Row[]];
  const shells: unknown[] = [];
  const value = (atom: Atom): unknown => {
    if (!Array.isArray(atom)) return atom;
    switch (atom[0]) {
      case "@":
        return shells[atom[1] as number];
      case "i":
        return readBigInt(atom[1] as string);
      case "n":
        return Number(atom[1]);
      case "s":
        return Symbol.for(atom[1] as string);
      default:
        return undefined;
    }
  };
  // Views need their buffers: buffers are made in a first pass, whatever their place in the table.
  table.forEach((row, id) => {
    if (row[0] === "B") shells[id] = fromBase64(row[1] as string).buffer;
  });
  table.forEach((row, id) => {
    if (row[0] !== "B") shells[id] = shell(row, { value, scope });
  });
  table.forEach((row, id) => fill(shells[id] as object, row, value));
  // Last, for what goes on a prototype has to be filled itself by then.
  table.forEach((row, id) => {
    if (row[0] !== "F") return;
    for (const [key, item] of Object.entries(value(row[3] as Atom) ?? {}))
      define((shells[id] as { prototype: object }).prototype, key, item);
  });
  return value(root);
}

function shell(row: Row, context: { value: (atom: Atom) => unknown; scope: DecodeScope }): unknown {
  const [tag, first, second, third, fourth] = row as [string, never, never, never, never];
  switch (tag) {
    case "O":
      return {};
    case "N":
      return Object.create(null);
    case "A":
    case "H":
      return [];
    case "M":
      return new Map();
    case "S":
      return new Set();
    case "D":
      return new Date((first as number | null) ?? Number.NaN);
    case "R":
      return new RegExp(first, second);
    case "V":
      return view(first, context.value(second), [third, fourth]);
    case "E": {
      const known = Object.hasOwn(ERRORS, first);
      return Object.assign(new (known ? ERRORS[first]! : Error)(), known ? {} : { name: first as string });
    }
    case "L":
      return new URL(first);
    case "Q":
      return new URLSearchParams(first as string);
    case "W":
      return Object(context.value(first));
    case "F":
      return own(context.scope.functions, first)();
    case "I": {
      const owner = own(context.scope.classes, first)() as { prototype: object };
      return owner.prototype instanceof Error
        ? Object.setPrototypeOf(new Error(), owner.prototype)
        : Object.create(owner.prototype);
    }
    default:
      throw new Error(`unknown row ${tag}`);
  }
}

function own<T>(scope: Record<string, T> | T[] | undefined, key: string): T {
  if (scope === undefined || !Object.hasOwn(scope, key)) throw new Error(`decode: the scope has no ${String(key)}`);
  return (scope as Record<string, T>)[key]!;
}

function view(kind: string, buffer: unknown, [offset, length]: [number, number]): ArrayBufferView {
  // With a number in its place, the constructor would make as many new bytes.
  if (!Object.hasOwn(VIEWS, kind) || !(buffer instanceof ArrayBuffer)) throw new Error(`decode: no view ${kind}`);
  return new VIEWS[kind]!(buffer, offset, length);
}

function readBigInt(text: string): bigint {
  if (text.length > MAX_BIGINT_DIGITS) throw new Error("decode: a BigInt is too long"); // it would take minutes to read
  return BigInt(text);
}

function fill(target: object, row: Row, value: (atom: Atom) => unknown): void {
  const assign = (from: number): void => {
    for (let i = from; i < row.length; i += 2) define(target, row[i] as string, value(row[i + 1] as Atom));
  };
  switch (row[0]) {
    case "O":
    case "N":
      assign(1);
      break;
    case "A":
      for (let i = 1; i < row.length; i++) (target as unknown[]).push(value(row[i] as Atom));
      break;
    case "H":
      (target as unknown[]).length = row[1] as number;
      assign(2);
      break;
    case "M":
      for (let i = 1; i < row.length; i += 2)
        (target as Map<unknown, unknown>).set(value(row[i] as Atom), value(row[i + 1] as Atom));
      break;
    case "S":
      for (let i = 1; i < row.length; i++) (target as Set<unknown>).add(value(row[i] as Atom));
      break;
    case "R":
      (target as RegExp).lastIndex = row[3] as number;
      break;
    case "F":
      // A name that was inferred from a variable is not in the source.
      if (Object.getOwnPropertyDescriptor(target, "name")?.value !== row[2])
        Object.defineProperty(target, "name", { value: row[2], configurable: true });
      assign(4);
      break;
    case "I":
    case "E":
      assign(2);
      break;
    default:
      break;
  }
}

/** Never through a setter: a key called `__proto__` is a key like any other. */
function define(target: object, key: string, value: unknown): void {
  const hidden = target instanceof Error && (key === "message" || key === "stack" || key === "cause");
  Object.defineProperty(target, key, { value, writable: true, enumerable: !hidden, configurable: true });
}

function fromBase64(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text);
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  return bytes;
}
