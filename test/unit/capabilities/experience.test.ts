import { describe, expect, it } from "vitest";
import { Experience, type Goal } from "../../../src/capabilities/experience.ts";
import { stemsOf } from "../../../src/capabilities/words.ts";

const goal = (text: string, entry: number, served = true): Goal => ({
  entry,
  stems: stemsOf(text, 64),
  served,
  pulls: new Map(),
});
/** Learns a goal and keeps in it what training made of it, as the index does. */
const learn = (experience: Experience, one: Goal): Goal => {
  experience.add(one);
  for (const [entry, by] of experience.train(one)) one.pulls.set(entry, (one.pulls.get(entry) ?? 0) + by);
  return one;
};
const pullOf = (experience: Experience, text: string, entry: number): number =>
  experience.score(stemsOf(text, 64)).get(entry)?.pull ?? 0;

describe("experience", () => {
  it("ties a goal's words to what served it, and to nothing else", () => {
    const experience = new Experience();
    learn(experience, goal("book a table for two", 1));
    expect(pullOf(experience, "book a table for four", 1)).toBeGreaterThan(0.1);
    expect(pullOf(experience, "compile the kernel", 1)).toBe(0);
  });

  it("tells two that resemble each other apart by training", () => {
    const experience = new Experience();
    const goals = ["red", "green", "blue"].flatMap((color) => [
      goal(`paint the ${color} fence today`, 1),
      goal(`paint the ${color} fence tomorrow`, 2),
    ]);
    for (const one of goals) learn(experience, one);
    expect(pullOf(experience, "paint the white fence tomorrow", 2)).toBeGreaterThan(
      pullOf(experience, "paint the white fence tomorrow", 1),
    );
  });

  it("pushes what failed away from goals like the failed one", () => {
    const experience = new Experience();
    learn(experience, goal("book a table for two", 1, false));
    expect(pullOf(experience, "book a table for four", 1)).toBeLessThan(-0.1);
    expect(experience.score(stemsOf("book a table for four", 64)).get(1)?.goals).toBe(0);
  });

  it("forgets a goal as if it had never been", () => {
    const experience = new Experience();
    learn(experience, goal("book a table for two", 1));
    const before = experience.score(stemsOf("book a table for four", 64));
    const extra = learn(experience, goal("reserve a table outside", 1));
    const failed = learn(experience, goal("book a flight", 2, false));
    experience.take(extra);
    experience.take(failed);
    const after = experience.score(stemsOf("book a table for four", 64));
    expect([...after.keys()]).toEqual([...before.keys()]);
    expect(after.get(1)!.pull).toBeCloseTo(before.get(1)!.pull, 6);
    expect(after.get(1)!.habit).toBeCloseTo(before.get(1)!.habit, 6);
  });

  it("is the same when it is made anew from its goals", () => {
    const experience = new Experience();
    const goals = ["book a table", "book a flight", "paint a fence", "paint a table"].map((text, i) =>
      learn(experience, goal(text, i % 2)),
    );
    const anew = Experience.from(() => goals);
    for (const entry of [0, 1])
      expect(pullOf(anew, "book a fence", entry)).toBeCloseTo(pullOf(experience, "book a fence", entry), 6);
  });
});
