import { current } from "./context.ts";
import type { Stopper } from "./stop.ts";

const SMALL_BYTES = 1024 * 1024; // less in one call is the garbage collector's business
const MAX_WORK = 400_000_000; // elements or characters that built-ins may walk in all: about half a second here

interface Cost {
  /** Bytes it will hold on to. */
  bytes?: (self: unknown, args: unknown[]) => number;
  /** Elements or characters it walks without calling the cell's code, where fuel can't see it. */
  work?: (self: unknown, args: unknown[]) => number;
}

/** What one run may still ask of the guarded built-ins. */
export class Allowance {
  #bytesLeft: number;
  #workLeft = MAX_WORK;
  #on = true;
  readonly #stopper: Stopper;
  readonly #bytes: number;

  constructor(stopper: Stopper, bytes: number) {
    this.#stopper = stopper;
    this.#bytes = bytes;
    this.#bytesLeft = bytes;
  }

  /** The harness itself is not metered: called when the cell has ended. */
  lift(): void {
    this.#on = false;
  }

  spend(bytes: number, work: number): void {
    if (!this.#on) return;
    if (bytes > SMALL_BYTES && (this.#bytesLeft -= bytes) < 0)
      this.#stopper.stop("memory", `The cell asked for more than ${this.#bytes} bytes.`);
    if (work > 0 && (this.#workLeft -= work) < 0) this.#stopper.stop("fuel", "The cell computed for too long.");
  }
}

const spend = (bytes: number, work: number): void => current()?.allowance.spend(bytes, work);
const length = (value: unknown): number => Number((value as { length?: unknown } | null | undefined)?.length) || 0;
const eightBytes = (self: unknown): number => 8 * length(self);
const sorting = (self: unknown): number => length(self) * Math.ceil(Math.log2(length(self) + 2));

/**
 * Built-ins that take much memory or time in one call. What is not here (a catastrophic regular expression above all) is
 * bounded by `limits.cpuMs` and 128 MB in production, and by the watchdog locally.
 */
export function installLimits(): void {
  guard(String.prototype, "repeat", { bytes: (self, [count]) => String(self).length * Number(count) });
  for (const name of ["padStart", "padEnd"]) guard(String.prototype, name, { bytes: (_, [width]) => Number(width) });
  for (const name of [
    "replaceAll",
    "split",
    "normalize",
    "toLowerCase",
    "toUpperCase",
    "indexOf",
    "lastIndexOf",
    "includes",
  ])
    guard(String.prototype, name, { work: length });
  for (const name of ["concat", "slice", "flat", "splice", "toSpliced", "with", "toReversed", "fill"])
    guard(Array.prototype, name, { bytes: eightBytes, work: length });
  for (const name of ["join", "reverse", "copyWithin", "indexOf", "lastIndexOf", "includes", "shift", "unshift"])
    guard(Array.prototype, name, { work: length });
  for (const name of ["sort", "toSorted"]) guard(Array.prototype, name, { work: sorting });
  guard(Array, "from", { bytes: (_, [source]) => eightBytes(source), work: (_, [source]) => length(source) });
  guard(JSON, "parse", { work: (_, [text]) => length(text) });
  guard(JSON, "stringify", { work: (_, [value]) => length(value) });

  guardConstructor("Array", (args) => (args.length === 1 && typeof args[0] === "number" ? 8 * args[0] : 0));
  guardConstructor("ArrayBuffer", ([size]) => Number(size) || 0);
  for (const view of VIEWS)
    guardConstructor(
      view.name,
      ([size]) =>
        (typeof size === "number" ? size : size instanceof ArrayBuffer ? 0 : length(size)) * view.BYTES_PER_ELEMENT,
    );
}

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

function guard(owner: object, name: string, { bytes, work }: Cost): void {
  const original = (owner as Record<string, (...args: unknown[]) => unknown>)[name]!;
  // A method of an object literal: it has the name, no prototype, and can't be called with `new`, like the original.
  const guarded = {
    [name](this: unknown, ...args: unknown[]): unknown {
      spend(bytes?.(this, args) ?? 0, work?.(this, args) ?? 0);
      return Reflect.apply(original, this, args);
    },
  }[name];
  Object.defineProperty(owner, name, { value: guarded, writable: true, configurable: true });
}

function guardConstructor(name: string, bytes: (args: unknown[]) => number): void {
  const original = (globalThis as unknown as Record<string, new (...args: unknown[]) => unknown>)[name]!;
  const guarded: unknown = new Proxy(original, {
    construct: (target, args: unknown[], newTarget) => {
      spend(bytes(args), 0);
      return Reflect.construct(target, args, newTarget === guarded ? target : newTarget) as object;
    },
    apply: (target, self, args: unknown[]) => {
      spend(bytes(args), 0);
      // Array(n) without `new`; the others throw as they always did.
      return Reflect.apply(target as unknown as (...args: unknown[]) => unknown, self, args);
    },
  });
  Object.defineProperty(original.prototype as object, "constructor", {
    value: guarded,
    writable: true,
    configurable: true,
  });
  Object.defineProperty(globalThis, name, { value: guarded, writable: true, configurable: true });
}
