import { expect, it } from "vitest";
import { SNIPPETS } from "../../../src/model/embedded/snippets/index.ts";

const { findPhones, findUrls, sortBy, toNumber, toRows, toSentences } = SNIPPETS;

it.each([
  ["1,200", 1200],
  ["$1,200.50", 1200.5],
  ["€ 3,5", 3.5],
  ["1.200,50", 1200.5],
  ["-7", -7],
  ["12 %", 12],
  ["1e3", 1000],
  [5, 5],
  ["", Number.NaN],
  ["abc", Number.NaN],
  ["1-2", Number.NaN],
  [null, Number.NaN],
  [true, Number.NaN],
])("reads %j as the number %j", (value, number) => {
  expect(toNumber(value)).toBe(number);
});

it.each([
  ["a quoted newline", 'a,b\n"x\ny",1\n', [{ a: "x\ny", b: 1 }]],
  ["a short row", "a,b\nx\n", [{ a: "x", b: "" }]],
  [
    "an empty number",
    "a,b\nx,\ny,2\n",
    [
      { a: "x", b: null },
      { a: "y", b: 2 },
    ],
  ],
  ["a quote that is never closed", 'a,b\n"x,1\n', [{ a: '"x', b: 1 }]],
  ["text after a quote", 'a,b\n"x" y,1\n', [{ a: '"x" y', b: 1 }]],
  ["a column without a name", "a,\n1,2\n", [{ a: 1, "column 2": 2 }]],
  ["pipes", "a|b\n1|2\n", [{ a: 1, b: 2 }]],
  ["a header alone", "a,b\n", []],
  ["nothing", "", []],
  ["JSON text", '[{"a": 1}]', [{ a: 1 }]],
  ["JSON text with the rows inside", '{"n": 1, "items": [{"a": 1}]}', [{ a: 1 }]],
])("reads a table with %s", (_, text, rows) => {
  expect(toRows(text)).toEqual(rows);
});

it("sorts rows without a value last in both directions", () => {
  const rows = [null, 10, "", 9, "1,000"];
  expect(sortBy(rows, (row) => row, false)).toEqual([9, 10, "1,000", null, ""]);
  expect(sortBy(rows, (row) => row, true)).toEqual(["1,000", 10, 9, null, ""]);
});

it("does not end a sentence at a title or an abbreviation", () => {
  expect(toSentences("Dr. Lee came, e.g. today. She left.")).toEqual(["Dr. Lee came, e.g. today.", "She left."]);
});

it("takes no date or plain number for a phone number", () => {
  expect(findPhones("2024-01-05, 1234567890, (030) 123 45 67")).toEqual(["(030) 123 45 67"]);
});

it("leaves the stop after a link", () => {
  expect(findUrls("See https://a.co/b, or (www.c.co).")).toEqual(["https://a.co/b", "www.c.co"]);
});
