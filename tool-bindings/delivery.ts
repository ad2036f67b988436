const STALL_MS = 2_000; // only a cell that isn't deterministic ever waits so long

/**
 * Hands replies to a cell in the order in which they were recorded, so that `Promise.race` has the same winner and the
 * clock the same time when a cell is replayed (J3, J6).
 *
 * A reply that was recorded before another can't depend on it, so waiting for the earlier one never locks. Should a cell
 * not ask for it again, which a deterministic cell does, the wait ends by itself.
 */
export class Delivery {
  #delivered = 0;
  readonly #held = new Map<number, () => void>();

  async deliver(ordinal: number, reply: string): Promise<string> {
    if (ordinal > this.#delivered + 1) {
      await new Promise<void>((resolve) => {
        const timer = setTimeout(() => this.#release(ordinal), STALL_MS);
        this.#held.set(ordinal, () => (clearTimeout(timer), resolve()));
      });
    }
    this.#delivered = Math.max(this.#delivered, ordinal);
    queueMicrotask(() => this.#release(this.#delivered + 1));
    return reply;
  }

  #release(ordinal: number): void {
    const release = this.#held.get(ordinal);
    this.#held.delete(ordinal);
    release?.();
  }
}
