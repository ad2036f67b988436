import { describe, expect, it } from "vitest";
import { shapeOf } from "../../../src/kernel/shape.ts";

describe("what a prompt may know of a value", () => {
  it.each<[string, unknown, object]>([
    ["a number", 7, { type: "number" }],
    ["null", null, { type: "null" }],
    ["an empty list", [], { type: "unknown[]" }],
    [
      "rows",
      [
        { a: 1, b: "x" },
        { a: 2, c: true },
      ],
      { type: "({ a: number, b: string } | { a: number, c: boolean })[]", fields: ["a", "b", "c"] },
    ],
    ["an object", { a: { b: 1 } }, { type: "{ a: { b: number } }", fields: ["a"] }],
    ["a Map", new Map([["k", 1]]), { type: "Map<string, number>" }],
    [
      "a class",
      class A {
        x = 1;
      },
      { type: "class" },
    ],
    ["CSV", "name,age\nAda,36\nAlan,41", { type: "string", format: "csv", fields: ["name", "age"] }],
    [
      "CSV with a quoted line break",
      'name,note\nAda,"two\nlines, and a comma"\nAlan,x',
      { type: "string", format: "csv", fields: ["name", "note"] },
    ],
    [
      "CSV with CRLF and semicolons",
      "a;b;c\r\n1;2;3\r\n4;5;6\r\n",
      { type: "string", format: "csv", fields: ["a", "b", "c"] },
    ],
    ["CSV with one short row", "a,b\n1,2\n3\n5,6\n7,8", { type: "string", format: "csv", fields: ["a", "b"] }],
    ["JSON text", '[{"city":"Rome","n":1}]', { type: "string", format: "json", fields: ["city", "n"] }],
    ["text that begins like JSON", "[sic] and so on", { type: "string", format: "text" }],
    [
      "prose with commas",
      "First, we went.\nThen, after lunch, we slept.\nOn and on.",
      { type: "string", format: "text" },
    ],
    ["Markdown", "# Title\n\nText.", { type: "string", format: "markdown" }],
    ["an empty text", "", { type: "string", format: "text" }],
  ])("%s", (_what, value, shape) => {
    expect(shapeOf(value)).toEqual(shape);
  });

  it("is bounded, however wide the value is", () => {
    const wide = Object.fromEntries(Array.from({ length: 500 }, (_, i) => [`field${i}`, i]));
    const { type, fields } = shapeOf(wide);
    expect(type.length).toBeLessThanOrEqual(160);
    expect(fields!.length).toBeLessThanOrEqual(40);
  });
});
