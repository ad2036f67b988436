import { current } from "./context.ts";

/**
 * Timers are calls: what they wait is recorded, so a race between a timer and a tool replays (J3, J6). An interval is
 * left out: it has no end of its own.
 */
export function installTimers(): void {
  const setTimeout = (action: unknown, ms: unknown = 0, ...args: unknown[]): { live: boolean } => {
    if (typeof action !== "function") throw new TypeError("setTimeout takes a function");
    const timer = { live: true };
    void current()
      ?.sleep(Math.max(0, Number(ms) || 0))
      .then(() => (timer.live ? (action as (...args: unknown[]) => void)(...args) : undefined));
    return timer;
  };
  const clearTimeout = (timer: { live: boolean } | undefined): void => void (timer && (timer.live = false));
  const setInterval = (): never => {
    throw new ReferenceError("There is no setInterval in a cell. Use a loop that awaits a timer.");
  };
  const setImmediate = (action: unknown, ...args: unknown[]): { live: boolean } => setTimeout(action, 0, ...args);
  const timers = { setTimeout, setInterval, setImmediate };
  const clears = { clearTimeout, clearInterval: clearTimeout, clearImmediate: clearTimeout };
  // On the prototype too, where the platform's own are.
  for (const owner of [globalThis, Object.getPrototypeOf(globalThis) as object])
    for (const [name, value] of Object.entries({ ...timers, ...clears }))
      Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}
