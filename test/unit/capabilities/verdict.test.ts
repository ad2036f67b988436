import { describe, expect, it } from "vitest";
import type { CapabilityTest } from "../../../src/contract/capability.ts";
import { stubbedTools } from "../../../src/capabilities/stub.ts";
import { type TestOutcome, whyFailed } from "../../../src/capabilities/verdict.ts";

describe("a stubbed tool", () => {
  it("answers its value each time", () => {
    const call = stubbedTools({ "http.get": { status: 200, body: [] } });
    expect([call("http.get"), call("http.get")]).toEqual(
      Array.from({ length: 2 }, () => ({ ok: true, value: { status: 200, body: [] } })),
    );
  });

  it("fails as it is told to", () => {
    expect(stubbedTools({ "http.get": { $error: { kind: "timeout", message: "late" } } })("http.get")).toEqual({
      ok: false,
      error: { kind: "timeout", message: "late" },
    });
  });

  it("answers one after another, each tool for itself, then fails", () => {
    const call = stubbedTools({
      "http.get": { $each: [1, { $error: { kind: "busy", message: "" } }, null] },
      "other-one": { $each: ["a"] },
    });
    const asked = ["http.get", "other-one", "http.get", "http.get", "http.get", "other-one"].map(call);
    expect(asked.map((answer) => (answer.ok ? answer.value : answer.error.kind))).toEqual([
      1,
      "a",
      "busy",
      null,
      "stub-spent",
      "stub-spent",
    ]);
  });

  it("fails when no stub is for it, whatever its name", () => {
    for (const name of ["http.get", "constructor", "__proto__", "toString"])
      expect(stubbedTools({})(name)).toMatchObject({ ok: false, error: { kind: "not-stubbed" } });
    expect(stubbedTools()("http.get").ok).toBe(false);
  });
});

describe("a test's verdict", () => {
  const gives = (value: unknown): TestOutcome => ({ ok: true, value });
  const throws = (message: string): TestOutcome => ({ ok: false, message });
  const expects = (value: CapabilityTest["input"]): CapabilityTest => ({ input: 1, expect: value });

  it.each<[string, CapabilityTest, TestOutcome]>([
    ["the value that is expected", expects({ a: [1, null], b: "x" }), gives({ b: "x", a: [1, null] })],
    ["null for null", expects(null), gives(null)],
    ["-0 for 0", expects(0), gives(-0)],
    ["any error", { input: 1, throws: true }, throws("")],
    ["an error that holds the text", { input: 1, throws: "no orders" }, throws("There are no orders.")],
  ])("passes %s", (_, test, outcome) => {
    expect(whyFailed(test, outcome)).toBeUndefined();
  });

  it.each<[string, CapabilityTest, TestOutcome, string]>([
    ["another value", expects(1), gives(2), "must give 1, and gave 2"],
    ["a list in another order", expects([1, 2]), gives([2, 1]), "must give [1,2], and gave [2,1]"],
    ["a text for a number", expects(1), gives("1"), 'must give 1, and gave "1"'],
    ["a field more", expects({}), gives({ a: 1 }), 'must give {}, and gave {"a":1}'],
    [
      "nothing for null",
      expects(null),
      gives(undefined),
      "must give null, and gave a value that holds nothing (undefined), which JSON can't say",
    ],
    [
      "a Map for an object",
      expects({}),
      gives(new Map()),
      "must give {}, and gave a value that holds an object of a class, which JSON can't say",
    ],
    ["an error for a value", expects(1), throws("no"), 'must give 1, and threw "no"'],
    ["a value for an error", { input: 1, throws: true }, gives(1), "must throw, and gave 1"],
    ["another error", { input: 1, throws: "no orders" }, throws("late"), 'must throw "no orders", and threw "late"'],
  ])("fails %s, and says so", (_, test, outcome, why) => {
    expect(whyFailed(test, outcome)).toBe(why);
  });

  it("shows a bounded part of what came", () => {
    expect(whyFailed(expects(1), gives("x".repeat(10_000)))!.length).toBeLessThan(300);
  });
});
