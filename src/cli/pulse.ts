/** Milliseconds; `gapMs` is how long the watcher itself may be late before that counts as its own absence. */
export interface PulseLimits {
  hungAfterMs: number;
  /** How long the first answer may take of a server that said it is ready, or that is started again. */
  firstAnswerMs: number;
  gapMs: number;
}

/**
 * Whether a server hangs, told from its answers and from the passing of time. Pure but for its own fields; times are of
 * a clock that never goes back. Time in which the watcher did not run (a laptop asleep, Ctrl-Z) does not count: it
 * could not have heard an answer.
 */
export class Pulse {
  readonly #limits: PulseLimits;
  #isExpected: boolean;
  #isArmed = false;
  #heardAt: number;
  #lookedAt: number;

  constructor(limits: PulseLimits, start: { now: number; isRestart: boolean }) {
    this.#limits = limits;
    this.#isExpected = start.isRestart;
    this.#heardAt = start.now;
    this.#lookedAt = start.now;
  }

  get wasHealthy(): boolean {
    return this.#isArmed;
  }

  hear(now: number): void {
    this.#isArmed = true;
    this.#heardAt = now;
  }

  /** The server says that it is ready: it may freeze before it was heard. */
  expect(now: number): void {
    if (this.#isExpected || this.#isArmed) return;
    this.#isExpected = true;
    this.#heardAt = now;
  }

  /** To be called regularly. A first start may take as long as it likes: a build may wait for its error to be mended. */
  look(now: number): "starting" | "alive" | "hung" {
    const absent = now - this.#lookedAt - this.#limits.gapMs;
    if (absent > 0) this.#heardAt = Math.min(now, this.#heardAt + absent);
    this.#lookedAt = now;
    const silentMs = now - this.#heardAt;
    if (this.#isArmed) return silentMs >= this.#limits.hungAfterMs ? "hung" : "alive";
    return this.#isExpected && silentMs >= this.#limits.firstAnswerMs ? "hung" : "starting";
  }
}
