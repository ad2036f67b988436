import { describe, expect, it } from "vitest";
import { afterInterruption, callKey, canonical } from "../../../src/orchestration/journal.ts";

describe("canonical arguments", () => {
  it.each([
    { name: "sorts keys", value: { b: 1, a: 2 }, text: `{"a":2,"b":1}` },
    {
      name: "sorts them at every depth",
      value: [{ d: { z: 1, y: [{ b: 0, a: 0 }] } }],
      text: `[{"d":{"y":[{"a":0,"b":0}],"z":1}}]`,
    },
    { name: "keeps the order of lists", value: [3, 1, 2], text: "[3,1,2]" },
    { name: "leaves plain values alone", value: "b a", text: `"b a"` },
    { name: "takes null", value: null, text: "null" },
    { name: "keeps an empty key", value: { a: 1, "": 2 }, text: `{"":2,"a":1}` },
    {
      name: "takes __proto__ for a key like any other",
      value: JSON.parse(`{"b":1,"__proto__":{"a":1}}`),
      text: `{"__proto__":{"a":1},"b":1}`,
    },
    { name: "keeps null and false apart from absent", value: { b: null, a: false }, text: `{"a":false,"b":null}` },
  ])("$name", ({ value, text }) => expect(canonical(value)).toBe(text));

  it("is the same for equal arguments, however they were written", () => {
    const one: unknown = JSON.parse(`{ "x": { "p": 1, "q": [1, 2] }, "y": 1e2 }`);
    const other: unknown = JSON.parse(`{"y":100,"x":{"q":[1,2],"p":1}}`);
    expect(canonical(one)).toBe(canonical(other));
  });
});

describe("J3: the key of a call", () => {
  const long = JSON.stringify("x".repeat(300));
  type Call = [tool: string, args: string, occurrence: number];
  it.each<{ name: string; one: Call; other: Call }>([
    { name: "the tool", one: ["a.b", "{}", 0], other: ["a.c", "{}", 0] },
    { name: "the arguments", one: ["a.b", `{"x":1}`, 0], other: ["a.b", `{"x":2}`, 0] },
    { name: "the occurrence", one: ["a.b", "{}", 0], other: ["a.b", "{}", 1] },
    { name: "the end of long arguments", one: ["a.b", `${long}1`, 0], other: ["a.b", `${long}2`, 0] },
    { name: "the occurrence of long arguments", one: ["a.b", long, 0], other: ["a.b", long, 1] },
  ])("differs by $name", ({ one, other }) => {
    expect(callKey(...one)).toBe(callKey(...one));
    expect(callKey(...one)).not.toBe(callKey(...other));
  });

  it("is short, however long the arguments", () => {
    expect(callKey("a.b", JSON.stringify("x".repeat(1_000_000)), 0).length).toBeLessThan(120);
  });

  it("shows short arguments as they are, for those who read the journal", () => {
    expect(callKey("mail.send", `{"to":"a"}`, 2)).toBe(`mail.send {"to":"a"} 2`);
  });
});

describe("J4: an interrupted call", () => {
  it.each([
    { effect: "read", next: "run-again" },
    { effect: "idempotent", next: "run-again" },
    { effect: "once", next: "ask" },
  ] as const)("that is $effect: $next", ({ effect, next }) => expect(afterInterruption(effect)).toBe(next));
});
