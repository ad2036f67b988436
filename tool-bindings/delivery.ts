const STALL_MS = 10_000; // only a cell that isn't deterministic ever waits so long

/**
 * Hands replies to a cell in the order in which they were recorded, so that `Promise.race` has the same winner and the
 * clock the same time when a cell is replayed (J3, J6).
 *
 * A reply that was recorded before another can't depend on it, so waiting for the earlier one never locks. Should a cell
 * not ask for it again, which a deterministic cell does, the wait ends by itself once nothing was delivered for a while.
 */
export class Delivery {
  #delivered = 0;
  readonly #held = new Map<number, () => void>();
  #stall: ReturnType<typeof setTimeout> | undefined;

  /** Resolves when it is this reply's turn. */
  async turn(ordinal: number): Promise<void> {
    if (ordinal > this.#delivered + 1) {
      const turn = new Promise<void>((resolve) => this.#held.set(ordinal, resolve));
      this.#watch();
      await turn;
    }
    this.#delivered = Math.max(this.#delivered, ordinal);
    this.#watch();
    queueMicrotask(() => this.#release(this.#delivered + 1));
  }

  /** Nothing is delivered any more. */
  close(): void {
    clearTimeout(this.#stall);
    this.#held.clear();
  }

  #release(ordinal: number): void {
    const release = this.#held.get(ordinal);
    this.#held.delete(ordinal);
    release?.();
  }

  /** Counts from the last delivery: a long replay is no stall. */
  #watch(): void {
    clearTimeout(this.#stall);
    if (this.#held.size > 0) this.#stall = setTimeout(() => this.#release(Math.min(...this.#held.keys())), STALL_MS);
  }
}
