import { preview } from "../preview.ts";
import { current } from "./context.ts";
import { Stop } from "./stop.ts";

/**
 * What the platform puts on the global object and a cell must not have: `process` hands out any built-in module, and with
 * `cloudflare:workers` among them a cell could start this harness anew, with all the fuel it likes (K2). The others are
 * state that outlives a cell, or time that is not in the journal (J6).
 */
const CLOSED = ["process", "caches", "Cloudflare", "EventSource", "PerformanceObserver"];

export function installGlobals(): void {
  // On the prototype too, where the platform keeps most of its names.
  for (const owner of [globalThis, Object.getPrototypeOf(globalThis) as object])
    for (const name of CLOSED)
      Object.defineProperty(owner, name, { value: undefined, writable: true, configurable: true });
}

/** An error nobody waited for is told, as a log line: the model could not know of it otherwise. */
export function reportStrayErrors(): void {
  addEventListener("unhandledrejection", (event) => {
    event.preventDefault();
    const { reason } = event as unknown as { reason: unknown };
    if (!(reason instanceof Stop)) current()?.log(`Unhandled: ${preview(reason, 500)}`);
  });
}
