import type { CellErrorKind } from "../../contract/cell.ts";

/** Thrown to end a cell from within. A cell can catch it; the harness remembers that it was thrown. */
export class Stop extends Error {
  override name = "Stop";
}

export class Stopper {
  readonly #first = Promise.withResolvers<never>();
  /** Rejects at the first stop: a cell that waits for a callback which was stopped would wait for ever. */
  readonly stopped = this.#first.promise;
  /** The first stop counts: later ones are the cell still trying. */
  reason: { kind: CellErrorKind; name: string; message: string; stack: string } | undefined;
  /** Takes all fuel from the cell: whoever swallows the stop does not get far. */
  drain: (() => void) | undefined;
  #stop: Stop | undefined;

  /** Throws the same error every time: a stack for each of a million callbacks that are stopped takes seconds. */
  stop(kind: CellErrorKind, message: string): never {
    this.#stop ??= new Stop(message);
    this.reason ??= { kind, name: "Stop", message, stack: this.#stop.stack ?? "" };
    this.#first.reject(this.#stop);
    this.drain?.();
    throw this.#stop;
  }
}
