import { current } from "./context.ts";

/**
 * What the platform puts on the global object and a cell must not have: `process` hands out any built-in module, and with
 * `cloudflare:workers` among them a cell could start this harness anew, with all the fuel it likes (K2). The others are
 * state that outlives a cell, or time that is not in the journal (J6).
 */
const CLOSED = ["process", "caches", "Cloudflare", "EventSource", "PerformanceObserver"];

export function installGlobals(): void {
  for (const name of CLOSED) replace(name, undefined);
  // `wait` is a timer: what it waits is recorded.
  replace("scheduler", { wait: async (ms: unknown) => void (await current()?.sleep(Math.max(0, Number(ms) || 0))) });
}

/** Also on the prototype, where the platform keeps most of its names. */
function replace(name: string, value: unknown): void {
  for (const owner of [globalThis, Object.getPrototypeOf(globalThis) as object])
    if (owner === globalThis || Object.hasOwn(owner, name))
      Object.defineProperty(owner, name, { value, writable: true, configurable: true });
}
