import { holdLifeline } from "./lifeline.ts";

const SAME_PRESS_MS = 1_000; // a terminal, npm and our parent each pass one Ctrl-C on

export interface Interruption {
  /** Aborts at the first Ctrl-C when nothing is there to be cancelled yet. */
  now: AbortSignal;
  /** Aborts at the second. */
  second: AbortSignal;
  /** From here on the first one cancels; runs at once if it came before. */
  onFirst(cancel: () => void): void;
}

/** Ctrl-C, SIGTERM and the loss of the parent, from now on. To be called once. */
export function interruptions(): Interruption {
  const now = new AbortController();
  const second = new AbortController();
  let firstAt: number | undefined;
  let cancel: (() => void) | undefined;
  const press = (): void => {
    if (firstAt !== undefined) {
      if (performance.now() - firstAt > SAME_PRESS_MS) second.abort();
      return;
    }
    firstAt = performance.now();
    now.abort();
    cancel?.();
  };
  process.on("SIGINT", press).on("SIGTERM", press);
  holdLifeline(press);
  return {
    now: now.signal,
    second: second.signal,
    onFirst: (act) => {
      cancel = act;
      if (firstAt !== undefined) act();
    },
  };
}
