import { describe, expect, it } from "vitest";
import { Pulse } from "../../../src/cli/pulse.ts";

const LIMITS = { hungAfterMs: 8_000, firstAnswerMs: 60_000, gapMs: 2_000 };
const pulse = (isRestart = false): Pulse => new Pulse(LIMITS, { now: 0, isRestart });
/** Looks every second, as the supervisor does. */
const lookUntil = (watched: Pulse, from: number, to: number): string => {
  let seen = "";
  for (let now = from; now <= to; now += 1_000) seen = watched.look(now);
  return seen;
};

describe("the pulse of a server", () => {
  it("never calls one hung that is still starting for the first time", () => {
    expect(lookUntil(pulse(), 0, 600_000)).toBe("starting");
  });

  it("calls one hung that answered and then did not for the limit", () => {
    const watched = pulse();
    watched.hear(3_000);
    expect(lookUntil(watched, 3_000, 10_000)).toBe("alive");
    expect(watched.look(11_000)).toBe("hung");
  });

  it("takes a late answer for an answer", () => {
    const watched = pulse();
    watched.hear(0);
    expect(lookUntil(watched, 0, 7_000)).toBe("alive");
    watched.hear(7_500);
    expect(lookUntil(watched, 8_000, 15_000)).toBe("alive");
  });

  it("does not count time in which nobody looked", () => {
    const watched = pulse();
    watched.hear(0);
    watched.look(0);
    expect(watched.look(3_600_000)).toBe("alive"); // the lid was closed for an hour
    expect(lookUntil(watched, 3_601_000, 3_605_000)).toBe("alive");
    expect(lookUntil(watched, 3_606_000, 3_609_000)).toBe("hung");
  });

  it("does not wait for ever for one that said it is ready and froze before it was heard", () => {
    const watched = pulse();
    expect(lookUntil(watched, 0, 100_000)).toBe("starting");
    watched.expect(100_000);
    watched.expect(150_000); // said twice
    expect(lookUntil(watched, 101_000, 159_000)).toBe("starting");
    expect(watched.look(160_000)).toBe("hung");
  });

  it("does not wait for ever for one that was started again", () => {
    const watched = pulse(true);
    expect(lookUntil(watched, 0, 59_000)).toBe("starting");
    expect(watched.look(60_000)).toBe("hung");
  });
});
