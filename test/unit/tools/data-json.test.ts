import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATA_TOOLS } from "../../../tool-bindings/data/index.ts";
import { findProblem, withoutExtras } from "../../../tool-bindings/data/json-text.ts";
import { caller, filled } from "./tool-call.ts";

const { call, failure } = caller(DATA_TOOLS);
const value = async (text: string, more: object = {}): Promise<unknown> =>
  ((await call("data.json", { text, ...more })) as { value: unknown }).value;

describe("data.json", { timeout: 60_000 }, () => {
  it("reads what JSON.stringify writes", async () => {
    await fc.assert(
      fc.asyncProperty(fc.jsonValue({ maxDepth: 5 }), async (original) => {
        const text = JSON.stringify(original, null, 2);
        expect(await value(text)).toEqual(JSON.parse(text));
        expect(await value(text, { lenient: true })).toEqual(JSON.parse(text));
      }),
    );
  });

  it("finds a problem in every text that is no JSON, before or where it breaks", () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.nat(), fc.constantFrom("", "x", ",", "}", '"', "\n\\"), (original, at, insert) => {
        const text = JSON.stringify(original);
        const place = at % (text.length + 1);
        const broken = insert === "" ? text.slice(0, place) : text.slice(0, place) + insert + text.slice(place);
        fc.pre(!isJson(broken));
        const { offset } = findProblem(broken);
        expect(offset).toBeGreaterThanOrEqual(0);
        expect(offset).toBeLessThanOrEqual(broken.length);
        expect(isPrefix(broken.slice(0, offset))).toBe(true);
      }),
    );
  });

  it.each([
    ['{"a": 1,\n "b" 2}', 2, 6, 'Expected ":"'],
    ["[1, 2", 1, 6, "breaks off"],
    ["", 1, 1, "a value"],
    ['{"a": tru}', 1, 7, '"tru"'],
    ["{'a': 1}", 1, 2, "double quotes"],
    ['["a\nb"]', 1, 4, "escaped"],
    ['["\\x"]', 1, 3, "No such escape"],
    ['["open]', 1, 2, "never closed"],
    ["[1,]", 1, 4, "a value"],
    ["[1] 2", 1, 5, "the end of the text"],
    ["[01]", 1, 2, '"01"'],
    ["[}", 1, 2, '"]"'],
  ])("says where %j is wrong", async (text, line, column, words) => {
    const failed = await failure("data.json", { text });
    expect(failed).toMatchObject({ kind: "bad-json", data: { line, column } });
    expect(failed.message).toContain(words);
  });

  it("allows comments and last commas when asked, and only there", async () => {
    const text = '{ // one\n "a": [1, 2,], /* two */ "b": "// no, ]", }';
    expect(await value(text, { lenient: true })).toEqual({ a: [1, 2], b: "// no, ]" });
    expect(withoutExtras(text)).toHaveLength(text.length);
    expect((await failure("data.json", { text: "[1,,2]", lenient: true })).data).toMatchObject({ column: 4 });
    expect(await value("\ufeff[]")).toEqual([]);
  });

  it("picks by path and by pointer", async () => {
    const text = '{"a.b": {"c/d~": [10, {"e": null}]}, "": 5, "x": {"y": [1]}}';
    expect(await value(text, { path: "x.y[0]" })).toBe(1);
    expect(await value(text, { path: "$.x.y" })).toEqual([1]);
    expect(await value(text, { path: '["a.b"]["c/d~"][1].e' })).toBe(null);
    expect(await value(text, { path: "/a.b/c~1d~0/0" })).toBe(10);
    expect(await value(text, { path: "/" })).toBe(5);
    expect(await value(text, { path: "" })).toEqual(JSON.parse(text));
  });

  it("lists what there is when a path leads nowhere", async () => {
    const text = '{"a": [1, 2], "b": 1}';
    expect(await failure("data.json", { text, path: "c" })).toMatchObject({
      kind: "no-such-path",
      message: expect.stringContaining("Known: a, b.") as string,
    });
    expect((await failure("data.json", { text, path: "a[5]" })).message).toContain("list of 2");
    for (const path of ["b.c", "constructor", "__proto__", "a.length", "a.map"])
      expect((await failure("data.json", { text, path })).kind).toBe("no-such-path");
    for (const path of ["a[", "a..b", "[]", 'a["x]'])
      expect((await failure("data.json", { text, path })).kind).toBe("bad-path");
  });

  it("keeps __proto__ as a name", async () => {
    const read = await value('{"__proto__": {"x": 1}}');
    expect(Object.getPrototypeOf(read)).toBe(Object.prototype);
    expect(await value('{"__proto__": {"x": 1}}', { path: "__proto__.x" })).toBe(1);
  });

  it("reads or refuses 2 MB of anything", async () => {
    expect((await failure("data.json", { text: filled("[") })).kind).toBe("too-deep");
    expect((await failure("data.json", { text: filled('{"a":') })).kind).toBe("too-deep");
    for (const part of ["a", ",", '"', "\\", "/*", "//", "\0", "\ud800", " ", "-", "[]"])
      for (const lenient of [false, true])
        expect((await failure("data.json", { text: filled(part).slice(1), lenient })).kind).toBe("bad-json");
    expect((await failure("data.json", { text: `["${filled("a").slice(2)}` })).kind).toBe("bad-json");
    expect(await value(`["${"a".repeat(1_999_996)}"]`)).toHaveLength(1);
    expect((await failure("data.json", { text: `${filled("1")}1` })).kind).toBe("too-large");
  });
});

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Whether a text can still become JSON: its only problem is its end, or a word or string that goes on. */
function isPrefix(text: string): boolean {
  return isJson(text) || /breaks off|never closed/.test(findProblem(text).problem);
}
