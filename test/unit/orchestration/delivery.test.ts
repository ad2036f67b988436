import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { Delivery } from "../../../tool-bindings/delivery.ts";

/** Asks for the turns of these ordinals, in this order, and notes who had theirs. */
function ask(delivery: Delivery, ordinals: number[], had: number[] = []): number[] {
  for (const ordinal of ordinals) void delivery.turn(ordinal).then(() => had.push(ordinal));
  return had;
}

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

describe("replies have their turn in the order of their ordinals", () => {
  it.each([
    { asked: [1, 2, 3], had: [1, 2, 3] },
    { asked: [3, 2, 1], had: [1, 2, 3] },
    { asked: [2, 4, 1, 3], had: [1, 2, 3, 4] },
    { asked: [2, 3], had: [] },
    { asked: [1, 3, 4], had: [1] },
  ])("asked for $asked: $had", async ({ asked, had }) => {
    const seen = ask(new Delivery(), asked);
    await vi.advanceTimersByTimeAsync(0);
    expect(seen).toEqual(had);
  });

  it("goes on when the one that was missing is asked for", async () => {
    const delivery = new Delivery();
    const had = ask(delivery, [3, 2]);
    await vi.advanceTimersByTimeAsync(5_000);
    ask(delivery, [1], had);
    await vi.advanceTimersByTimeAsync(0);
    expect(had).toEqual([1, 2, 3]);
  });
});

describe("a reply that nobody asks for", () => {
  it("holds the others up for a while only, and in order", async () => {
    const had = ask(new Delivery(), [4, 3]);
    await vi.advanceTimersByTimeAsync(9_000);
    expect(had).toEqual([]);
    await vi.advanceTimersByTimeAsync(2_000);
    expect(had).toEqual([3, 4]);
  });

  it("is not given up while others are delivered: a long replay is no stall", async () => {
    const delivery = new Delivery();
    const had = ask(delivery, [100]);
    for (let ordinal = 1; ordinal < 99; ordinal++) {
      await vi.advanceTimersByTimeAsync(1_000);
      ask(delivery, [ordinal], had);
    }
    await vi.advanceTimersByTimeAsync(0);
    expect(had.at(-1)).toBe(98);
    ask(delivery, [99], had);
    await vi.advanceTimersByTimeAsync(0);
    expect(had.slice(-2)).toEqual([99, 100]);
  });

  it("is forgotten with all others when the delivery is closed", async () => {
    const delivery = new Delivery();
    const had = ask(delivery, [2, 3]);
    delivery.close();
    await vi.advanceTimersByTimeAsync(60_000);
    expect(had).toEqual([]);
    expect(vi.getTimerCount()).toBe(0);
  });
});
