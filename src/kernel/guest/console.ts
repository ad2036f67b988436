import { preview } from "../preview.ts";
import type { Stopper } from "./stop.ts";

const MAX_LINE_CHARS = 4_000;

/** `console.*` of a cell: each line goes to the desk while the cell runs. */
export function installConsole(options: { stopper: Stopper; limit: number; send: (text: string) => void }): void {
  let left = options.limit;
  const write = (...items: unknown[]): void => {
    const text = items
      .map((item) => (typeof item === "string" ? item.slice(0, MAX_LINE_CHARS) : preview(item, MAX_LINE_CHARS)))
      .join(" ")
      .slice(0, MAX_LINE_CHARS);
    left -= text.length + 1;
    if (left < 0) options.stopper.stop("logs", `The cell logged more than ${options.limit} characters.`);
    options.send(text);
  };
  const console = Object.fromEntries(
    ["log", "info", "warn", "error", "debug", "table", "dir", "trace"].map((name) => [name, write]),
  );
  const silent = (): void => {};
  const rest = Object.fromEntries(
    ["time", "timeEnd", "timeLog", "group", "groupEnd", "count", "assert", "clear"].map((name) => [name, silent]),
  );
  Object.defineProperty(globalThis, "console", { value: { ...rest, ...console }, writable: true, configurable: true });
}
