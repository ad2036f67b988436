import { describe, expect, it } from "vitest";
import { analysed } from "./cell-host.ts";

type Row = [fact: string, source: string, names: string];

const free: Row[] = [
  ["names that are read", "a + b.c", "a b"],
  ["names that are assigned", "a = 1; b += 1; c++; [d, { e, f: g = h }] = i", "a b c d e g h i"],
  ["globals and API names", "Math.max(tools.x, done)", "Math done tools"],
  ["typeof operands", "typeof a", "a"],
  ["shorthand properties", "({ a, b: c, [d]: e, f() {} })", "a c d e"],
  ["no property names", "a.b.c; a?.d; ({ e: 1, 'f': 2, get g() { return 1 } })", "a"],
  ["computed members", "a[b]", "a b"],
  ["no labels", "a: for (;;) { break a }", ""],
  ["no declared names", "const a = 1; let b; var c; function d() {} class e {} enum f { X } a + b + c + d + e + f", ""],
  ["names before their declaration are the cell's own", "a(); function a() {} b; var b", ""],
  ["no names of types", "const x: A<B> = y as C; interface D extends E {} type F = typeof G; z satisfies H", "y z"],
  ["no type arguments", "f<A>(x); new B<C>()", "B f x"],
  ["declared types are free when used", "declare const a: number; a", "a"],
  ["block scopes", "{ let a = 1; a } a", "a"],
  ["var leaves blocks", "{ var a = 1 } a", ""],
  ["var stays in functions", "function f() { if (1) { var a = 1 } return a } a", "a"],
  ["function in a block stays there", "{ function a() {} a() } a()", "a"],
  ["loop scopes", "for (const a of a) a; for (let b = 0; b < c; b++) b; for (const d in e) d; a; b; d", "a b c d e"],
  ["catch scopes", "try {} catch ({ a, b = c }) { a; b } a", "a c"],
  ["switch scopes", "switch (a) { case b: let c; default: c } c", "a b c"],
  ["parameters", "(a, { b, c: [d] }, ...e) => a + b + c + d + e", "c"],
  ["defaults", "(a = b, { [c]: d = a } = e) => 0", "b c e"],
  ["defaults do not see the body", "function f(a = b) { var b; return b }", "b"],
  ["named function expressions", "(function a() { a }); a", "a"],
  ["named class expressions", "(class a { b = a }); a", "a"],
  [
    "classes",
    "class A extends B { [c] = d; static e = f; #g = this.#g; static { h; var i; i } m(j = k) { j } }",
    "B c d f h k",
  ],
  ["no arguments of functions", "function f() { return arguments } (() => arguments)", "arguments"],
  ["no this, super or new.target", "class A extends B { constructor() { super(this, new.target); super.x } }", "B"],
  ["enum members", "enum E { A, B = A + x, C = E.B }", "x"],
  ["templates and tags", "a`${b}`; `${c}`", "a b c"],
  ["nested functions", "const f = (a) => (b) => a + b + c", "c"],
  ["names once and in order", "b + a + b", "a b"],
  ["this parameters", "function f(this: A, b) { return this }", ""],
  ["parameter properties", "class A { constructor(private a = b) { a } }", "b"],
];

describe("free names", () => {
  it.each(free)("%s", (_fact, source, names) => {
    expect(analysed(source).free.join(" ")).toBe(names);
  });
});

const declares: Row[] = [
  [
    "every kind",
    "const a = 1; let b; var c; function d() {} class E {} enum F { X }",
    "const a, let b, var c, function d, class E, const F",
  ],
  ["patterns", "const { a, b: [c, ...d], ...e } = x", "const a, const c, const d, const e"],
  ["var in blocks and loops", "if (1) { var a } for (var b of []) { var c }", "var a, var b, var c"],
  ["a repeated var once", "var a; var a", "var a"],
  ["nothing of inner scopes", "{ let a; function b() {} } for (let c;;) break; (() => { var d })()", ""],
  ["nothing of types", "type A = 1; interface B {} declare const c: 1; declare class D {} namespace E {}", ""],
  ["no resource", "using a = null; const b = 1", "const b"],
  [
    "async and generator functions",
    "async function a() {} function* b() {} async function* c() {}",
    "function a, function b, function c",
  ],
];

describe("declared names", () => {
  it.each(declares)("%s", (_fact, source, names) => {
    expect(
      analysed(source)
        .declares.map(({ name, kind }) => `${kind} ${name}`)
        .join(", "),
    ).toBe(names);
  });
});
