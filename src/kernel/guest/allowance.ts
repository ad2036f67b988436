import type { Stopper } from "./stop.ts";

const MAX_WORK = 500_000_000; // nanoseconds, roughly, that built-ins may take in all where fuel can't see it
const SMALL_BYTES = 256 * 1024;
const SMALL_SHARE = 1 / 4; // most of what is asked for in small pieces is garbage again soon

/** What one run may still ask of the guarded built-ins. */
export class Allowance {
  #bytesLeft: number;
  #workLeft = MAX_WORK;
  #on = true;
  readonly #stopper: Stopper;
  readonly #bytes: number;

  constructor(stopper: Stopper, bytes: number) {
    this.#stopper = stopper;
    this.#bytes = bytes;
    this.#bytesLeft = bytes;
  }

  /** The harness itself is not metered: called when the cell has ended. */
  lift(): void {
    this.#on = false;
  }

  /** How many values a list may still hold. */
  get room(): number {
    return this.#on ? Math.max(0, Math.floor(this.#bytesLeft / 8)) : 2 ** 32 - 1;
  }

  spend(bytes: number, work: number): void {
    if (!this.#on) return;
    if (bytes > 0 && (this.#bytesLeft -= bytes > SMALL_BYTES ? bytes : bytes * SMALL_SHARE) < 0)
      this.#stopper.stop("memory", `The cell asked for more than ${this.#bytes} bytes.`);
    if (work > 0 && (this.#workLeft -= work) < 0) this.#stopper.stop("fuel", "The cell computed for too long.");
  }
}
