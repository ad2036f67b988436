import { describe, expect, it } from "vitest";
import type { CellError } from "../../src/contract/cell.ts";
import { runCells } from "../support/runs.ts";

/** The cells before the last succeed; the last fails so. */
type Row = [fact: string, cells: string[], error: Partial<CellError> & { message: string }];

const fails = (rows: Row[]): void => {
  it.each(rows)("%s", async (_, cells, { message, ...error }) => {
    const { answers } = await runCells(cells);
    expect(answers.slice(0, -1).map((answer) => answer.error)).toEqual(cells.slice(1).map(() => undefined));
    expect(answers.at(-1)?.error).toMatchObject({ ...error, message: expect.stringContaining(message) });
    expect(answers.at(-1)?.error?.hint).toMatch(/\.$/);
  });
};

describe("what does not parse", () => {
  fails([
    [
      "an unclosed brace",
      ["const a = {\n  b: 1"],
      { kind: "syntax", line: 2, column: 7, message: "Unexpected end of input" },
    ],
    [
      "a stray token",
      ["const a = 1;\nconst b = ;"],
      { kind: "syntax", line: 2, column: 11, message: "Unexpected token ';'" },
    ],
    [
      "a name declared twice",
      ["let a = 1;\nlet a = 2;"],
      { kind: "syntax", line: 2, column: 5, message: "already been declared" },
    ],
    ["await in a plain function", ["function f() {\n  return await 1\n}"], { kind: "syntax", line: 2, message: "" }],
    ["an unclosed text", ["const s = 'abc\n'"], { kind: "syntax", line: 1, message: "Unterminated string" }],
    ["a bad regular expression", ["1;\n\n  /(/"], { kind: "syntax", line: 3, message: "regular expression" }],
    ["JSX", ["const x = <div>hi</div>"], { kind: "syntax", line: 1, message: "" }],
    ["a break outside of a loop", ["break"], { kind: "syntax", line: 1, column: 1, message: "break" }],
    ["ten thousand brackets", ["(".repeat(10_000)], { kind: "syntax", message: "" }],
  ]);
});

describe("what a cell may not contain", () => {
  fails([
    ["import", ["1;\nimport fs from 'node:fs'"], { kind: "forbidden", line: 2, column: 1, message: "import" }],
    [
      "dynamic import",
      ["const m = await import('node:fs')"],
      { kind: "forbidden", line: 1, column: 17, message: "import" },
    ],
    ["import.meta", ["import.meta.url"], { kind: "forbidden", message: "import" }],
    ["export", ["export const a = 1"], { kind: "forbidden", message: "export" }],
    ["eval", ["const x = eval('1')"], { kind: "forbidden", line: 1, column: 11, message: "eval" }],
    ["new Function", ["new Function('return 1')()"], { kind: "forbidden", message: "Function" }],
    ["a name of the cell API", ["const tools = 1"], { kind: "forbidden", line: 1, column: 7, message: "tools" }],
    ["done as a function", ["function done() {}"], { kind: "forbidden", message: "done" }],
    ["a name of the emitted module", ["let $pxf = 1e9"], { kind: "forbidden", message: "$px" }],
    ["a member by such a name", ["globalThis.$px"], { kind: "forbidden", message: "$px" }],
    ["a comment that looks like a mark", ["1 /*$px*/"], { kind: "forbidden", message: "/*$px" }],
    ["a global that a cell relies on", ["const undefined = 1"], { message: "" }],
    ["__proto__ as a variable", ["let __proto__ = {}"], { kind: "forbidden", message: "__proto__" }],
    ["debugger", ["debugger"], { kind: "forbidden", message: "debugger" }],
    ["with", ["with ({}) {}"], { kind: "forbidden", message: "with" }],
    ["a namespace with values", ["namespace N { export const a = 1 }"], { kind: "forbidden", message: "amespace" }],
    [
      "an error behind 30,000 characters",
      [`/*${"x".repeat(30_000)}*/ null.x`],
      { kind: "thrown", line: 1, message: "null" },
    ],
  ]);
});

describe("what a cell throws, with the place in the cell as it was written", () => {
  fails([
    [
      "on its first line",
      ["null.x"],
      { kind: "thrown", line: 1, column: 6, message: "TypeError: Cannot read properties of null" },
    ],
    [
      "on a later line, behind types and comments",
      ["interface A { x: number }\n// comment\nconst a: A = { x: 1 };\n\n  a.x.y.z"],
      { kind: "thrown", line: 5, column: 9, message: "TypeError" },
    ],
    [
      "in a nested function",
      ["function outer() {\n  const inner = () => {\n    throw new RangeError('deep');\n  };\n  inner();\n}\nouter();"],
      { kind: "thrown", line: 3, column: 11, message: "RangeError: deep" },
    ],
    [
      "in a callback of a built-in",
      ["[1, 2].map((x) => {\n  if (x === 2) throw new Error('two');\n  return x;\n})"],
      { kind: "thrown", line: 2, column: 22, message: "two" },
    ],
    [
      "behind an await",
      ["await 0;\nawait (async () => {\n  await 0;\n  throw new Error('later');\n})()"],
      { kind: "thrown", line: 4, column: 9, message: "later" },
    ],
    [
      "in a loop that is metered",
      ["let i = 0;\nwhile (true) { i++; if (i > 5) null.y; }"],
      { kind: "thrown", line: 2, column: 37, message: "TypeError" },
    ],
    [
      "in a class",
      ["class A {\n  get x() {\n    return undefinedName;\n  }\n}\nnew A().x"],
      { kind: "thrown", line: 3, column: 5, message: "ReferenceError: undefinedName is not defined" },
    ],
    [
      "in a function of an earlier cell: its line, and the line here",
      ["function bad(x) {\n  // why\n  return x.y.z;\n}", "1;\n  bad({})"],
      { kind: "thrown", line: 2, column: 3, message: "(in bad, line 3 of it)" },
    ],
    [
      "in a method of an earlier cell",
      ["class K {\n  run() {\n    throw new Error('from K')\n  }\n}", "const k = new K()", "k.run()"],
      { kind: "thrown", line: 1, column: 3, message: "from K (in K, line 3 of it)" },
    ],
    [
      "a rejected promise that is awaited",
      ["await Promise.reject(new TypeError('no'))"],
      { kind: "thrown", line: 1, message: "TypeError: no" },
    ],
    [
      "an AggregateError of Promise.any",
      ["await Promise.any([Promise.reject(1)])"],
      { kind: "thrown", message: "AggregateError" },
    ],
    [
      "a tool's refusal",
      ["1;\nawait tools.test.fail({ kind: 'busy' })"],
      { kind: "thrown", message: "It failed with busy." },
    ],
    [
      "arguments that a tool does not take",
      ["await tools.test.read({ lable: 'x' })"],
      { kind: "thrown", message: "test.read" },
    ],
    ["a tool that does not exist", ["await tools.test.reed({})"], { kind: "thrown", message: 'No tool "test.reed"' }],
    ["a family called as a tool", ["await tools.test({})"], { kind: "thrown", message: "family of tools" }],
    [
      "a stack that overflows",
      ["const f = () => f() + 1;\nf()"],
      { kind: "thrown", line: 1, message: "Maximum call stack" },
    ],
    ["setInterval", ["setInterval(() => {}, 1)"], { kind: "thrown", message: "setInterval" }],
    ["done twice", ["done(1);\ndone(2)"], { kind: "thrown", message: "already called" }],
    [
      "done with a function",
      ["done({ f: () => 1 })"],
      { kind: "thrown", line: 1, column: 1, message: "holds a function" },
    ],
    ["done with a Promise", ["done({ p: Promise.resolve(1) })"], { kind: "thrown", message: "await it (at .p)" }],
  ]);

  it.each<[what: string, cell: string, message: string]>([
    ["a text", "throw 'oops'", "The cell threw oops"],
    ["a number", "throw 42", "The cell threw 42"],
    ["undefined", "throw undefined", "The cell threw undefined"],
    ["null", "throw null", "The cell threw null"],
    ["an object", "throw { code: 5 }", "The cell threw {code: 5}"],
    ["a function", "throw () => 1", "The cell threw [function anonymous]"],
    ["a symbol", "throw Symbol('s')", "The cell threw Symbol(s)"],
    ["an error by another name", "const e = new Error('x'); e.name = 'Custom'; throw e", "Custom: x"],
    ["an error without a message", "throw new TypeError()", "TypeError"],
  ])("%s that is no error", async (_, cell, message) => {
    const { answers } = await runCells([cell]);
    expect(answers[0]?.error).toMatchObject({ kind: "thrown", message: expect.stringContaining(message) });
  });
});

describe("an error that the cell handles", () => {
  it("is no error of the cell", async () => {
    const { answers } = await runCells([
      "let kind = 'none'; try { await tools.test.fail({ kind: 'busy' }) } catch (e) { kind = e.kind + ' ' + e.name } kind",
    ]);
    expect(answers[0]).toMatchObject({ value: "busy ToolError" });
    expect(answers[0]?.error).toBeUndefined();
  });

  it("a rejection nobody waits for does not fail the cell", async () => {
    const { answers } = await runCells([
      "Promise.reject(new Error('nobody')); void tools.test.fail({ kind: 'x' }); await tools.test.read({ label: 'after' })",
      "1 + 1",
    ]);
    expect(answers.map(({ value, error }) => value ?? error)).toEqual(["after", "2"]);
  });
});
