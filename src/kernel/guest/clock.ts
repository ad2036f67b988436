/**
 * J6: the cell's time and dice. Both follow from what the host recorded (start, seed, the `at` of each reply), so a
 * replayed cell sees what it saw.
 */
const RealDate = Date;

export class Clock {
  #now: number;
  constructor(startedAt: number) {
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

export function installClock(clock: Clock): void {
  function CellDate(this: unknown, ...args: unknown[]): unknown {
    if (new.target === undefined) return new RealDate(clock.now()).toString();
    return Reflect.construct(
      RealDate,
      args.length === 0 ? [clock.now()] : args,
      new.target === CellDate ? RealDate : new.target,
    );
  }
  CellDate.prototype = RealDate.prototype;
  Object.defineProperties(CellDate, {
    now: { value: () => clock.now() },
    parse: { value: RealDate.parse },
    UTC: { value: RealDate.UTC },
    name: { value: "Date" },
    length: { value: 7 },
  });
  Object.defineProperty(RealDate.prototype, "constructor", { value: CellDate });
  const started = clock.now();
  Object.defineProperty(globalThis, "Date", { value: CellDate, writable: true, configurable: true });
  Object.defineProperty(globalThis, "performance", {
    value: { now: () => clock.now() - started, timeOrigin: started },
    configurable: true,
  });
}

/** xoshiro128**, seeded with 128 bits from the host. Good dice, not a source of secrets: `crypto.uuid` is for those. */
export function installDice(seed: string): void {
  const state = Uint32Array.from(
    [0, 8, 16, 24],
    (start) => Number.parseInt(seed.slice(start, start + 8), 16) || start + 1,
  );
  const next = (): number => {
    const [a, b, c, d] = state as unknown as [number, number, number, number];
    const rotated = Math.imul(b, 5);
    const result = Math.imul((rotated << 7) | (rotated >>> 25), 9) >>> 0;
    state[2] = c ^ a;
    state[3] = d ^ b;
    state[1] = b ^ state[2]!;
    state[0] = a ^ state[3]!;
    state[2] = state[2]! ^ (b << 9);
    state[3] = (state[3]! << 11) | (state[3]! >>> 21);
    return result;
  };
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
