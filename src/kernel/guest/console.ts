import { preview } from "../preview.ts";
import { current } from "./context.ts";
import type { Stopper } from "./stop.ts";

const MAX_LINE_CHARS = 4_000;
const MIN_LINE_CHARS = 64; // a short line is a message and a record too

/** What one run logs, until it is too much. */
export class LogBook {
  #left: number;
  readonly #limit: number;
  readonly #stopper: Stopper;
  readonly #send: (text: string) => void;

  constructor(stopper: Stopper, limit: number, send: (text: string) => void) {
    this.#stopper = stopper;
    this.#limit = limit;
    this.#left = limit;
    this.#send = send;
  }

  write(text: string): void {
    this.#left -= Math.max(text.length + 1, MIN_LINE_CHARS);
    if (this.#left < 0) this.#stopper.stop("logs", `The cell logged more than ${this.#limit} characters.`);
    this.#send(text);
  }
}

/** `console.*` of a cell: each line goes to the desk while the cell runs. */
export function installConsole(): void {
  const write = (...items: unknown[]): void => {
    const parts = items.map((item) =>
      typeof item === "string" ? item.slice(0, MAX_LINE_CHARS) : preview(item, MAX_LINE_CHARS),
    );
    current()?.log(parts.join(" ").slice(0, MAX_LINE_CHARS));
  };
  const silent = (): void => {};
  const all = (names: string[], method: (...items: unknown[]) => void): object =>
    Object.fromEntries(names.map((name) => [name, method]));
  const console = {
    ...all(["time", "timeEnd", "timeLog", "group", "groupEnd", "count", "assert", "clear"], silent),
    ...all(["log", "info", "warn", "error", "debug", "table", "dir", "trace"], write),
  };
  Object.defineProperty(globalThis, "console", { value: console, writable: true, configurable: true });
}
