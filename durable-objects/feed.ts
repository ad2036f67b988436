/**
 * Wakes those who wait for something new in a run. In memory only: whoever is lost with it asks again, and what they wait
 * for is in the database.
 */
export class Feed {
  readonly #waiters = new Map<string, Set<() => void>>();

  notify(run: string): void {
    const waiters = this.#waiters.get(run);
    this.#waiters.delete(run);
    for (const wake of waiters ?? []) wake();
  }

  /** Resolves at the next `notify`, or after `ms`. */
  async wait(run: string, ms: number): Promise<void> {
    await new Promise<void>((resolve) => {
      const waiters = this.#waiters.get(run) ?? new Set();
      this.#waiters.set(run, waiters);
      const wake = (): void => {
        clearTimeout(timer);
        waiters.delete(wake);
        resolve();
      };
      const timer = setTimeout(wake, ms);
      waiters.add(wake);
    });
  }
}
