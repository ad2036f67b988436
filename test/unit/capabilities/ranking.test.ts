import { describe, expect, it } from "vitest";
import { confidenceOf, OFFER_CONFIDENCE, scoreOf } from "../../../src/capabilities/ranking.ts";

const learned = (pull: number, habit = 0.3, goals = 20) => ({ pull, habit, goals });

describe("the confidence in a hit", () => {
  it("is between 0 and 1 whatever the evidence", () => {
    for (const lexical of [0, 0.1, 0.5, 1])
      for (const pull of [-9, -1, 0, 1, 9])
        for (const lead of [-9, 0, 9]) {
          const confidence = confidenceOf({ lexical, learned: learned(pull) }, lead);
          expect(confidence).toBeGreaterThanOrEqual(0);
          expect(confidence).toBeLessThanOrEqual(1);
        }
  });

  it("grows with the words met, with experience and with the lead", () => {
    const base = confidenceOf({ lexical: 0.2, learned: learned(0.5) }, 0.2);
    expect(confidenceOf({ lexical: 0.4, learned: learned(0.5) }, 0.2)).toBeGreaterThan(base);
    expect(confidenceOf({ lexical: 0.2, learned: learned(1) }, 0.2)).toBeGreaterThan(base);
    expect(confidenceOf({ lexical: 0.2, learned: learned(0.5) }, 0.5)).toBeGreaterThan(base);
  });

  it("is too low to offer where there is hardly any evidence, or failure", () => {
    expect(confidenceOf({ lexical: 0.02 }, 0.1)).toBeLessThan(OFFER_CONFIDENCE);
    expect(confidenceOf({ lexical: 0.3, learned: learned(-1, 0, 0) }, 0.3)).toBeLessThan(OFFER_CONFIDENCE);
    expect(confidenceOf({ lexical: 0.3 }, 0.6)).toBeGreaterThan(OFFER_CONFIDENCE);
  });
});

describe("the score of a hit", () => {
  it("rests on an entry's own words until goals speak for it", () => {
    const fresh = scoreOf({ lexical: 0.4 }) - scoreOf({ lexical: 0.2 });
    const known = scoreOf({ lexical: 0.4, learned: learned(1) }) - scoreOf({ lexical: 0.2, learned: learned(1) });
    expect(fresh).toBeGreaterThan(3 * known);
  });
});
