import { describe, expect, it } from "vitest";
import { emitted, runCell } from "./cell-host.ts";
import type { Load } from "../../../src/kernel/compile.ts";

const load = (name: string, functions: string[] = []): Load => ({ name, kind: "const", functions, classes: [] });

/** Where a mark in the module is, 1-based. */
const placeIn = (module: string, mark: string): [line: number, column: number] => {
  const before = module.slice(0, module.indexOf(mark)).split("\n");
  return [before.length, (before.at(-1)?.length ?? 0) + 1];
};

describe("a place in the module", () => {
  const rows: [fact: string, source: string][] = [
    ["on the first line", "mark()"],
    ["on a later line", "const a = 1\n\n  mark()"],
    ["after a type", "const a: number = 1, b = mark()"],
    ["after a cast", "(a as number) + mark()"],
    ["after a loop's entry", "for (;;) { mark() }"],
    ["after a loop's entry without braces", "for (;;) mark()"],
    ["in an arrow function", "[1].map((x: number): number => x + mark())"],
    ["behind an arrow function", "[1].map((x) => x); mark()"],
    ["in a method", "class A { private m(): void { for (const x of []) { x }\n mark() } }"],
    ["in a template over lines", "`\n${1}\n${mark()}`"],
    ["in a returned expression", "if (1) return 1 + mark()"],
    ["behind an enum", "enum E { A, B = 3 }; mark()"],
    ["behind a parameter property", "class A { constructor(private x: number) { mark() } }"],
    ["after line separators of every kind", "1\r\n2\r3\u2028 mark()"],
  ];

  it.each(rows)("is the place in the cell %s", (_fact, source) => {
    const cell = emitted(source, [load("a"), load("f", ["() =>\n 1"])]);
    // Every line break counts as one line, whatever its characters.
    const plain = (text: string): string => text.replace(/\r\n?|\u2028/g, "\n");
    const [line, column] = placeIn(plain(cell.module), "mark");
    const [wantedLine, wantedColumn] = placeIn(plain(source), "mark");
    expect(cell.locate(line, column)).toEqual({ line: wantedLine, column: wantedColumn });
  });

  it("of an inserted piece is where it was inserted", () => {
    const cell = emitted("for (;;) { a }");
    const [line, column] = placeIn(cell.module, "$pxx()");
    expect(cell.locate(line, column)).toEqual({ line: 1, column: 11 });
  });

  it("of a loaded function is its line there", () => {
    const cell = emitted("f() + g()", [
      load("x"),
      load("f", ["() => {\n  one()\n}", "() => {\n\n  two()\n}"]),
      load("g", ["() => three()"]),
    ]);
    const at = (mark: string): unknown => cell.locate(...placeIn(cell.module, mark));
    expect(at("one")).toEqual({ variable: "f", line: 2 });
    expect(at("two")).toEqual({ variable: "f", line: 3 });
    expect(at("three")).toEqual({ variable: "g", line: 1 });
    expect(at("const x")).toEqual({ variable: "x", line: 1 });
    expect(at("f() +")).toEqual({ line: 1, column: 1 });
  });

  it("of the module's own lines is none", () => {
    const cell = emitted("1", [load("a")]);
    expect(cell.locate(1, 5)).toBeUndefined();
    expect(cell.locate(...placeIn(cell.module, "$px.scope"))).toBeUndefined();
    expect(cell.locate(99, 1)).toBeUndefined();
  });

  it("that V8 reports for an exception is found", async () => {
    const { error, cell } = await runCell(
      "const a: number = 1\nfor (const x of [1] as number[]) { const y: any = x; y.b.c }",
    );
    const [, line, column] = /:(\d+):(\d+)\)?$/m.exec(error instanceof Error ? (error.stack ?? "") : "") ?? [];
    expect(cell.locate(Number(line), Number(column))).toEqual({ line: 2, column: 58 });
  });
});

describe("an emitted module", () => {
  it("is the same for the same cell", () => {
    const source = "const f = (a) => (b) => a + b; enum E { A }\nf(1)(2)";
    expect(emitted(source, [load("x")]).module).toBe(emitted(source, [load("x")]).module);
  });
});
