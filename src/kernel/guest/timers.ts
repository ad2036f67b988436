import { current } from "./context.ts";

const LONGEST_MS = 60_000; // what one call of time.sleep waits

/**
 * Timers are calls: what they wait is recorded, so a race between a timer and a tool replays (J3, J6). Every way to wait
 * that the platform has goes through here or is left out; an interval has no end of its own.
 */
export function installTimers(): void {
  const wait = async (ms: unknown): Promise<void> => {
    for (let left = Math.max(0, Number(ms) || 0), first = true; first || left > 0; left -= LONGEST_MS, first = false)
      await current()?.sleep(Math.min(left, LONGEST_MS));
  };
  const setTimeout = (action: unknown, ms: unknown = 0, ...args: unknown[]): { live: boolean } => {
    if (typeof action !== "function") throw new TypeError("setTimeout takes a function");
    const timer = { live: true };
    void wait(ms).then(() => (timer.live ? (action as (...args: unknown[]) => void)(...args) : undefined));
    return timer;
  };
  const clearTimeout = (timer: { live: boolean } | undefined): void => void (timer && (timer.live = false));
  const setInterval = (): never => {
    throw new ReferenceError("There is no setInterval in a cell. Use a loop that awaits a timer.");
  };
  const setImmediate = (action: unknown, ...args: unknown[]): { live: boolean } => setTimeout(action, 0, ...args);
  const timers = { setTimeout, setInterval, setImmediate, scheduler: { wait } };
  const clears = { clearTimeout, clearInterval: clearTimeout, clearImmediate: clearTimeout };
  // On the prototype too, where the platform's own are.
  for (const owner of [globalThis, Object.getPrototypeOf(globalThis) as object])
    for (const [name, value] of Object.entries({ ...timers, ...clears }))
      Object.defineProperty(owner, name, { value, writable: true, configurable: true });
  Object.defineProperty(AbortSignal, "timeout", {
    value: (ms: unknown): AbortSignal => {
      const controller = new AbortController();
      setTimeout(() => controller.abort(new DOMException("The operation timed out.", "TimeoutError")), ms);
      return controller.signal;
    },
  });
}
