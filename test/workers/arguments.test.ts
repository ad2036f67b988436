/** What of a cell's values reaches a tool: as JSON that says the same, or not at all. */
import { describe, expect, it } from "vitest";
import { executions } from "../support/effect-tools.ts";
import { runCells } from "../support/runs.ts";

const sent = async (value: string, label: string): Promise<unknown> => {
  const before = executions.length;
  const { answers } = await runCells([`await tools.test.read({ label: "${label}", value: ${value} })`]);
  expect(answers[0]!.error).toBeUndefined();
  return executions.slice(before).at(-1)!.value;
};

describe("arguments of a tool", () => {
  it.each([
    ["a Map with names", `new Map([["a", 1], ["b", new Map([["c", new Set([2])]])]])`, { a: 1, b: { c: [2] } }],
    [
      "a Map with other keys",
      `new Map([[1, "a"], [2, "b"]])`,
      [
        [1, "a"],
        [2, "b"],
      ],
    ],
    ["a Set", `new Set(["x", "y"])`, ["x", "y"]],
    ["a Date", `new Date(0)`, "1970-01-01T00:00:00.000Z"],
    ["a small BigInt", `12n`, 12],
    ["a large BigInt", `12345678901234567890n`, "12345678901234567890"],
    ["bytes", `new Uint8Array([1, 2, 255])`, [1, 2, 255]],
    ["an Error", `new TypeError("no")`, { name: "TypeError", message: "no" }],
    ["what is undefined", `{ a: undefined, b: [undefined] }`, { b: [null] }],
  ])("%s", async (what, value, expected) => expect(await sent(value, what)).toEqual(expected));

  it.each([
    ["a function", `{ rows: [{ map: () => 1 }] }`, "value.rows[0].map is a function"],
    ["a symbol", `[1, Symbol("x")]`, "value[1] is a symbol"],
    ["a promise", `{ page: Promise.resolve(1) }`, "value.page is a promise"],
    ["a function in a Map", `new Map([["f", Math.max]])`, "value.f is a function"],
  ])("refuse %s by its place", async (what, value, message) => {
    const { answers } = await runCells([
      `await tools.test.read({ label: "${what}", value: ${value} }).catch((e) => e.message)`,
    ]);
    expect(answers[0]!.value).toContain(`test.read: ${message}`);
  });

  it("reach llm() as they are", async () => {
    const { answers } = await runCells([`await llm("x", { data: { f: () => 1 } }).catch((e) => e.message)`]);
    expect(answers[0]!.value).toContain("llm.call: data.f is a function");
  });
});
