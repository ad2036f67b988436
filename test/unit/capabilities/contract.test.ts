import { describe, expect, it } from "vitest";
import {
  AgentDraft,
  CAPABILITY_LIMITS,
  CapabilityDraft,
  CapabilityName,
  CapabilityTest,
  FunctionDraft,
  JsonSchema,
  ToolStub,
} from "../../../src/contract/capability.ts";
import { canonicalJson, type Json, whyNotJson } from "../../../src/contract/json.ts";
import { draftWith } from "./drafts.ts";

const nested = (depth: number): Json => {
  let value: Json = 1;
  for (let i = 0; i < depth; i++) value = { a: value };
  return value;
};

describe("a capability's name", () => {
  it.each(["a", "sum-orders", "x2", "get-2-things", "a".repeat(64)])("may be %s", (name) => {
    expect(CapabilityName.safeParse(name).success).toBe(true);
  });

  // prettier-ignore
  it.each([
    "", "A", "sumOrders", "sum_orders", "sum.orders", "http.get", "-a", "a-", "a--b", "1a", "a b", "a/b", "../a", "a\n", "ünder",
    "раypal", "a\u200b", "__proto__", "constructor", "tools", "done", "search", "con", "com1", "a".repeat(65),
  ])("may not be %j", (name) => {
    expect(CapabilityName.safeParse(name).success).toBe(false);
  });
});

describe("a JSON Schema as data", () => {
  it("is an object of bounded depth and size", () => {
    expect(JsonSchema.safeParse({ type: "object" }).success).toBe(true);
    for (const value of [
      true,
      [],
      "x",
      null,
      undefined,
      nested(33),
      { a: "x".repeat(17_000) },
      { a: undefined },
      { a: 1n },
    ])
      expect(JsonSchema.safeParse(value).success).toBe(false);
  });

  it("says what is wrong", () => {
    expect(JsonSchema.safeParse(nested(33)).error?.issues[0]?.message).toBe("is nested more than 32 deep");
    expect(JsonSchema.safeParse([]).error?.issues[0]?.message).toBe("must be a JSON Schema, an object");
    expect(JsonSchema.safeParse(JSON.parse('{"a":{"__proto__":1}}')).error?.issues[0]?.message).toBe(
      'holds the key "__proto__"',
    );
  });
});

describe("JSON within limits", () => {
  const limits = { depth: 5, chars: 100 };
  it.each([
    ["a number that is none", Number.NaN],
    ["infinity", [Infinity]],
    ["a function", [() => 1]],
    ["a hole", [1, , 2]], // oxlint-disable-line no-sparse-arrays
    ["a date", { a: new Date() }],
    ["a map", new Map()],
    ["a long list", Array.from({ length: 200 }, () => 1)],
    ["a long key", { ["k".repeat(200)]: 1 }],
    ["too deep a list", [[[[[1]]]]]],
  ])("refuses %s", (_, value) => {
    expect(whyNotJson(value, limits)).toBeTypeOf("string");
  });

  it("takes what JSON.parse makes, and stops early in what has no end", () => {
    expect(whyNotJson(JSON.parse('{"a":[1,"b",null,true,{"c":-1.5e3}]}'), limits)).toBeUndefined();
    const cycle: Record<string, unknown> = {};
    cycle["self"] = cycle;
    expect(whyNotJson(cycle, limits)).toContain("deep");
  });

  it("has one canonical text", () => {
    expect(canonicalJson({ b: [1, { d: 1, c: 2 }], a: "x" })).toBe('{"a":"x","b":[1,{"c":2,"d":1}]}');
    expect(canonicalJson({ a: "x", b: [1, { c: 2, d: 1 }] })).toBe(canonicalJson({ b: [1, { d: 1, c: 2 }], a: "x" }));
  });
});

describe("a test", () => {
  it.each([
    ["an expectation", { input: 1, expect: null }],
    ["any error", { input: {}, throws: true }],
    ["an error by its text", { input: {}, throws: "no such" }],
    ["a stub", { input: {}, expect: 1, tools: { "http.get": { status: 200 } } }],
    ["a stubbed capability", { input: {}, expect: 1, tools: { "sum-orders": 5 } }],
    [
      "a failing stub",
      { input: {}, throws: true, tools: { "http.get": { $error: { kind: "timeout", message: "" } } } },
    ],
    [
      "stubs one by one",
      { input: {}, expect: 1, tools: { "http.get": { $each: [1, { $error: { kind: "a", message: "b" } }] } } },
    ],
  ])("may have %s", (_, test) => {
    expect(CapabilityTest.safeParse(test).success).toBe(true);
  });

  it.each([
    ["neither expectation nor error", { input: 1 }],
    ["both", { input: 1, expect: 1, throws: true }],
    ["no input", { expect: 1 }],
    ["an error that is not expected", { input: 1, throws: false }],
    ["another field", { input: 1, expect: 1, skip: true }],
    ["a stub for no name", { input: 1, expect: 1, tools: { "": 1 } }],
    ["a stub half an error", { input: 1, expect: 1, tools: { "a.b": { $error: { kind: "x" } } } }],
    ["an error with more", { input: 1, expect: 1, tools: { "a.b": { $error: { kind: "x", message: "" }, more: 1 } } }],
    ["an unknown $", { input: 1, expect: 1, tools: { "a.b": { $ref: 1 } } }],
    ["each of nothing", { input: 1, expect: 1, tools: { "a.b": { $each: [] } } }],
    ["each of each", { input: 1, expect: 1, tools: { "a.b": { $each: [{ $each: [1] }] } } }],
    ["a value too large", { input: "x".repeat(33_000), expect: 1 }],
  ])("may not have %s", (_, test) => {
    expect(CapabilityTest.safeParse(test).success).toBe(false);
  });

  it("keeps a stub's value as it is", () => {
    expect(ToolStub.parse({ a: [1, { b: null }] })).toEqual({ a: [1, { b: null }] });
  });
});

describe("a draft", () => {
  it("is a function or an agent", () => {
    expect(CapabilityDraft.safeParse(draftWith({ needs: ["http.get", "other-one"] })).success).toBe(true);
    const agent = {
      name: "reviewer",
      description: "Reads texts with care.",
      agent: { name: "reviewer", role: "reads" },
    };
    expect(CapabilityDraft.safeParse(agent).success).toBe(true);
    expect(AgentDraft.safeParse({ ...agent, agent: { a: nested(40) } }).success).toBe(false);
  });

  it.each<[string, object]>([
    ["an unknown field", { extra: 1 }],
    ["no tests", { tests: [] }],
    ["too many tests", { tests: Array.from({ length: 51 }, () => ({ input: 1, expect: 1 })) }],
    ["tests too long together", { tests: Array.from({ length: 4 }, () => ({ input: "x".repeat(30_000), expect: 1 })) }],
    ["an empty source", { source: "" }],
    ["a source too long", { source: "x".repeat(CAPABILITY_LIMITS.sourceChars + 1) }],
    ["half a character in its source", { source: "// \ud800" }],
    ["a description too short", { description: "x" }],
    ["a need that is no name", { needs: ["http get"] }],
  ])("is refused with %s", (_, changes) => {
    expect(FunctionDraft.safeParse({ ...draftWith(), ...changes }).success).toBe(false);
  });
});
