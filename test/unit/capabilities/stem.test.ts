import { describe, expect, it } from "vitest";
import { stem } from "../../../src/capabilities/stem.ts";

describe("the stem of a word", () => {
  // From the examples of Porter's paper, step by step.
  it.each([
    ["caresses", "caress"],
    ["ponies", "poni"],
    ["cats", "cat"],
    ["agreed", "agre"],
    ["plastered", "plaster"],
    ["motoring", "motor"],
    ["sing", "sing"],
    ["conflated", "conflat"],
    ["hopping", "hop"],
    ["falling", "fall"],
    ["filing", "file"],
    ["happy", "happi"],
    ["relational", "relat"],
    ["conditional", "condit"],
    ["digitizer", "digit"],
    ["operator", "oper"],
    ["hopefulness", "hope"],
    ["electrical", "electr"],
    ["adjustment", "adjust"],
    ["adoption", "adopt"],
    ["probate", "probat"],
    ["rate", "rate"],
    ["controll", "control"],
  ])("of %s is %s", (word, stemmed) => expect(stem(word)).toBe(stemmed));

  it("is the word itself when it is short or not English", () => {
    for (const word of ["as", "été", "42nd", "日本"]) expect(stem(word)).toBe(word);
  });
});
