import { describe, expect, it } from "vitest";
import { CELL_API } from "../../../src/contract/cell.ts";
import type { CellError } from "../../../src/contract/cell.ts";
import { analyseCell } from "../../../src/kernel/compile.ts";

const errorOf = (source: string): CellError => {
  const result = analyseCell(source);
  if (result.ok) throw new Error("was accepted");
  return result.error;
};

type Row = [source: string, place: [line: number, column: number], message: string];

const syntax: Row[] = [
  ["const a = ;", [1, 11], "Unexpected token ';'"],
  ["let x = 1\nfoo(", [2, 5], "Unexpected end of input"],
  ["let x = 1 y", [1, 11], "Unexpected identifier 'y'"],
  ["let x = {\n  a: 1\n  b: 2\n}", [3, 3], "Unexpected identifier 'b'"],
  ["f('a' 'b')", [1, 7], "Unexpected string"],
  ["f(1 2)", [1, 5], "Unexpected number"],
  ["let a = 1; let a = 2", [1, 16], "Identifier 'a' has already been declared"],
  ["const a = 1\nfunction a() {}", [2, 10], "Identifier 'a' has already been declared"],
  ["enum A { X }\nenum A { Y }", [2, 6], "Identifier 'A' has already been declared"],
  ["function f() { await 1 }", [1, 16], "await"],
  ["'abc", [1, 1], "Unterminated string constant"],
  ["`abc", [1, 2], "Unterminated template"],
  ["/abc", [1, 2], "Unterminated regular expression"],
  ["let a = 08", [1, 9], "Invalid number"],
  ["break", [1, 1], "Illegal break statement"],
  ["for (;;) { continue nope }", [1, 12], "Illegal continue statement"],
  ["{ a: 1, b: 2 }", [1, 10], "Unexpected token ':'"],
  ["class A { constructor() { super() } }", [1, 27], "super"],
  ["this.#x", [1, 6], "Private field '#x'"],
  ["1 = 2", [1, 1], "Invalid left-hand side in assignment"],
  ["yield 1", [1, 1], "The keyword 'yield' is reserved"],
  ["delete x", [1, 1], "Delete of an unqualified identifier in strict mode"],
  ["#!/bin/sh", [1, 2], "Unexpected"],
  ["enum E { A = 'x', B }", [1, 19], "Enum member must have initializer"],
  ["class A {}\nclass B extends A { constructor(public x: number) { if (1) super() } }", [2, 32], "must call super"],
  ["const a = <div>hi</div>", [1, 20], "Unterminated regular expression"],
];

const forbidden: Row[] = [
  ["import fs from 'node:fs'", [1, 1], '"import" is not available'],
  ["import type { A } from 'a'", [1, 1], '"import" is not available'],
  ["import a = require('a')", [1, 1], '"import" is not available'],
  ["1\nawait import('x')", [2, 7], '"import" is not available'],
  ["import.meta.url", [1, 1], '"import" is not available'],
  ["export const a = 1", [1, 1], '"export" is not available'],
  ["export default 1", [1, 1], '"export" is not available'],
  ["export type A = 1", [1, 1], '"export" is not available'],
  ["let $px = 1", [1, 5], 'start with "$px"'],
  ["$pxf = 1e9", [1, 1], 'start with "$px"'],
  ["\\u0024pxf = 1e9", [1, 1], 'start with "$px"'],
  ["globalThis.$pxf", [1, 12], 'start with "$px"'],
  ["$pxl: for (;;) break $pxl", [1, 1], 'start with "$px"'],
  ["({ $pxa: 1 })", [1, 4], 'start with "$px"'],
  ["let a = '/*$px'", [1, 10], '"/*$px" is reserved'],
  ["eval('1')", [1, 1], '"eval" is not available'],
  ["new Function('return 1')", [1, 5], '"Function" is not available'],
  ["Function('return 1')()", [1, 1], '"Function" is not available'],
  ["with (a) {}", [1, 1], '"with" is not available'],
  ["if (1) debugger", [1, 8], '"debugger" is not available'],
  ["@dec class A {}", [1, 1], "Decorators are not supported"],
  ["class A { @dec m() {} }", [1, 11], "Decorators are not supported"],
  ["namespace N { export const a = 1 }", [1, 1], "Namespaces with values"],
  ...["undefined", "NaN", "Infinity", "globalThis", "console", "__proto__"].map((name): Row => [
    `let ${name} = 1`,
    [1, 5],
    `"${name}" cannot be declared`,
  ]),
  ...CELL_API.map((name): Row => [
    `let a = 1\nconst { x: ${name} } = {}`,
    [2, 12],
    `"${name}" is a name of the cell API`,
  ]),
  ["if (1) { var tools = 1 }", [1, 14], '"tools" is a name of the cell API'],
  ["enum done { A }", [1, 6], '"done" is a name of the cell API'],
];

describe("a cell that does not parse", () => {
  it.each(syntax)("%j", (source, [line, column], message) => {
    const error = errorOf(source);
    expect(error).toMatchObject({ kind: "syntax", line, column });
    expect(error.message).toContain(message);
    expect(error.message).not.toMatch(/\(\d+:\d+\)$/);
    expect(error.hint).not.toBe("");
  });

  it("is told what to write instead of JSX", () => {
    expect(errorOf("const a = <div>hi</div>").hint).toContain("JSX");
  });

  it("is told of an object literal that reads as a block", () => {
    expect(errorOf("{ a: 1, b: 2 }").hint).toContain("parentheses");
  });
});

describe("a cell that uses what it may not", () => {
  it.each(forbidden)("%j", (source, [line, column], message) => {
    const error = errorOf(source);
    expect(error).toMatchObject({ kind: "forbidden", line, column });
    expect(error.message).toContain(message);
    expect(error.hint).not.toBe("");
  });

  it("names the first of several", () => {
    expect(errorOf("1\neval('1')\nimport('x')").line).toBe(2);
  });

  it("may use API names for locals, properties and parameters", () => {
    expect(analyseCell("const f = (files) => files.done; { const tools = f({ done: 1 }) }").ok).toBe(true);
  });

  it("may have its own function of a forbidden name", () => {
    expect(analyseCell("const f = (Function) => Function(1); x instanceof Function").ok).toBe(true);
  });
});

describe("a hostile cell", () => {
  it("is refused over 256 Ki characters", () => {
    expect(errorOf(" ".repeat(256 * 1024 + 1))).toMatchObject({
      kind: "forbidden",
      message: expect.stringContaining("too long"),
    });
    expect(analyseCell(" ".repeat(256 * 1024)).ok).toBe(true);
  });

  const nested: [what: string, open: string, middle: string, close: string][] = [
    ["brackets", "(", "1", ")"],
    ["arrays", "[", "", "]"],
    ["blocks", "{", "", "}"],
    ["functions", "()=>(", "1", ")"],
    ["types", "type T = 1 | ", "", ""],
    ["negations", "!", "1", ""],
    ["casts", "<T>", "1", ""],
    ["templates", "`${", "1", "}`"],
    ["additions", "1+", "1", ""],
  ];

  it.each(nested)("nested too deeply in %s gets an answer", (_what, open, middle, close) => {
    const times = Math.floor(250_000 / (open.length + close.length));
    const result = analyseCell(open.repeat(times) + middle + close.repeat(times));
    expect(result.ok ? "" : result.error.kind).toBe("syntax");
  });

  it.each(["", " ".repeat(200_000)])("cannot make the parser try for ever", (space) => {
    const error = errorOf(`${"f(<T>(".repeat(40)}${space}1${"))".repeat(40)}`);
    expect(error).toMatchObject({ kind: "syntax", message: "The code takes too long to parse" });
  });
});
