/**
 * J6: a run's time and dice. Both follow from what the host recorded (start, seed, the `at` of each reply), so a replayed
 * cell sees what it saw.
 */
import { current } from "./context.ts";

const RealDate = Date;

export class Clock {
  readonly startedAt: number;
  #now: number;
  constructor(startedAt: number) {
    this.startedAt = startedAt;
    this.#now = startedAt;
  }
  now(): number {
    return this.#now;
  }
  /** Never back: replies are delivered in the order they were recorded, but a host's clock may be set back. */
  advance(at: number): void {
    if (at > this.#now) this.#now = at;
  }
}

/** xoshiro128**, seeded with 128 bits from the host. Good dice, not a source of secrets: the `crypto` tools are for those. */
export class Dice {
  readonly #state: Uint32Array;
  constructor(seed: string) {
    this.#state = Uint32Array.from(
      [0, 8, 16, 24],
      (start) => Number.parseInt(seed.slice(start, start + 8), 16) || start + 1,
    );
  }
  /** 32 random bits. */
  next(): number {
    const state = this.#state as unknown as [number, number, number, number];
    const [a, b, c, d] = state;
    const rotated = Math.imul(b, 5);
    const result = Math.imul((rotated << 7) | (rotated >>> 25), 9) >>> 0;
    const mixed = d ^ b;
    state[2] = c ^ a;
    state[1] = b ^ state[2];
    state[0] = a ^ mixed;
    state[2] ^= b << 9;
    state[3] = (mixed << 11) | (mixed >>> 21);
    return result;
  }
}

export function installClock(): void {
  const now = (): number => current()?.clock.now() ?? 0;
  function CellDate(this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(now()).toString();
    return Reflect.construct(
      RealDate,
      args.length === 0 ? [now()] : args,
      new.target === CellDate ? RealDate : new.target,
    );
  }
  CellDate.prototype = RealDate.prototype;
  Object.defineProperties(CellDate, {
    now: { value: now },
    parse: { value: RealDate.parse },
    UTC: { value: RealDate.UTC },
    name: { value: "Date" },
    length: { value: 7 },
  });
  Object.defineProperty(RealDate.prototype, "constructor", { value: CellDate });
  installFormats(now);
  Object.defineProperty(globalThis, "Date", { value: CellDate, writable: true, configurable: true });
  const performance = { now: () => now() - (current()?.clock.startedAt ?? 0), timeOrigin: 0 };
  Object.defineProperty(globalThis, "performance", { value: performance, writable: true, configurable: true });
}

/** A format that is given no date takes the time of the platform, not that of the run. */
function installFormats(now: () => number): void {
  const { prototype } = Intl.DateTimeFormat;
  const original = Object.getOwnPropertyDescriptor(prototype, "format")?.get as () => (date: unknown) => string;
  const { formatToParts } = prototype;
  Object.defineProperty(prototype, "format", {
    get(this: Intl.DateTimeFormat) {
      const format = original.call(this);
      return (date: unknown) => format(date ?? now());
    },
    configurable: true,
  });
  const parts = {
    formatToParts(this: Intl.DateTimeFormat, date?: Date | number) {
      return formatToParts.call(this, date ?? now());
    },
  };
  Object.defineProperty(prototype, "formatToParts", { value: parts.formatToParts, writable: true, configurable: true });
}

export function installDice(): void {
  const next = (): number => current()?.dice.next() ?? 0;
  Math.random = () => (next() * 2 ** 21 + (next() >>> 11)) / 2 ** 53;
  const fillRandom = <T extends ArrayBufferView | null>(view: T): T => {
    if (!ArrayBuffer.isView(view)) throw new TypeError("getRandomValues needs an integer typed array");
    if (view.byteLength > 65_536) throw new RangeError("getRandomValues fills at most 65536 bytes");
    const bytes = new Uint8Array(view.buffer, view.byteOffset, view.byteLength);
    for (let i = 0; i < bytes.length; i++) bytes[i] = next() >>> 24;
    return view;
  };
  const randomUUID = (): string => {
    const bytes = fillRandom(new Uint8Array(16));
    bytes[6] = (bytes[6]! & 0x0f) | 0x40;
    bytes[8] = (bytes[8]! & 0x3f) | 0x80;
    const hex = Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
    return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-${hex.slice(12, 16)}-${hex.slice(16, 20)}-${hex.slice(20)}`;
  };
  Object.defineProperty(crypto, "getRandomValues", { value: fillRandom });
  Object.defineProperty(crypto, "randomUUID", { value: randomUUID });
}
