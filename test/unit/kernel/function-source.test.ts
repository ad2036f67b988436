import { describe, expect, it } from "vitest";
import { functionSource } from "../../../src/kernel/compile.ts";
import type { Load } from "../../../src/kernel/compile.ts";
import { emitted, OutOfFuel, runCell } from "./cell-host.ts";

/** The text of the function that a cell answers with. */
const textOf = async (source: string): Promise<string> => {
  const { value, error } = await runCell(source);
  expect(error).toBeUndefined();
  expect(value).toBeTypeOf("function");
  return Function.prototype.toString.call(value);
};

const stored = async (
  source: string,
): Promise<{ source: string; free: string[]; neededAtOnce: string[]; isClass: boolean }> => {
  const result = functionSource(await textOf(source));
  if (!result.ok) throw new Error(result.reason);
  return result;
};

const kept: [fact: string, cell: string, source: string, free: string][] = [
  ["an arrow function", "(a) => a + 1", "(a) => a + 1", ""],
  ["an arrow function with an object", "() => ({ a: 1 })", "() => ({ a: 1 })", ""],
  ["an arrow function with a block", "(a) => { return a }", "(a) => { return a }", ""],
  ["a function declaration", "function f(a) { return f }\nf", "function f(a) { return f }", ""],
  ["an anonymous function", "(function (a) { return a })", "function (a) { return a }", ""],
  ["async and generators", "(async function* g() { yield await 1 })", "async function* g() { yield await 1 }", ""],
  [
    "loops without their braces",
    "() => { for (const x of [1]) for (;;) x; do x(); while (1) }",
    "() => { for (const x of [1]) for (;;) x; do x(); while (1) }",
    "x",
  ],
  ["types as spaces", "(a: number): T => a as T", "(a        )    => a", ""],
  [
    "names of the cell and globals",
    "const n = 1; let m; (() => n + m + Math.PI + tools.x)",
    "() => n + m + Math.PI + tools.x",
    "Math m n tools",
  ],
  [
    "captures of its own locals",
    "(n) => () => { let m = n; return () => n + m }",
    "(n) => () => { let m = n; return () => n + m }",
    "",
  ],
  [
    "an inner local named like a variable of the cell",
    "const n = 1; (() => { { let n = 2; (() => n)() } return n })",
    "() => { { let n = 2; (() => n)() } return n }",
    "n",
  ],
  ["default parameters", "const b = 1; ((a = () => b) => a)", "(a = () => b) => a", "b"],
  [
    "a function that recurses from a block",
    "let r; { function f(n) { return n ? f(n - 1) : 0 } r = f } r",
    "function f(n) { return n ? f(n - 1) : 0 }",
    "",
  ],
  [
    "a class",
    "class A { #x = 1; get x() { return this.#x } static n = 2 }\nA",
    "class A { #x = 1; get x() { return this.#x } static n = 2 }",
    "",
  ],
  [
    "a class that names itself in a function",
    "(() => { class A { static make() { return new A() } } return A })()",
    "class A { static make() { return new A() } }",
    "",
  ],
  ["a method", "({ m(a) { return this.a + a } }).m", "({m(a) { return this.a + a }}).m", ""],
  ["an async method", "({ async m() { await 1 } }).m", "({async m() { await 1 }}).m", ""],
  ["a generator method", "({ *m() { yield 1 } }).m", "({*m() { yield 1 }}).m", ""],
  ["an async generator method", "({ async  *  m() { yield 1 } }).m", "({async *m() { yield 1 }}).m", ""],
  ["a method with a quoted name", "({ 'a b'() { return 1 } })['a b']", "({'a b'() { return 1 }})['a b']", ""],
  [
    "a method with a computed name",
    "const k = 'x'; ({ [k]() { return 1 } })[k]",
    "({method() { return 1 }}).method",
    "",
  ],
  ["a method named get", "({ get() { return 1 } }).get", "({get() { return 1 }}).get", ""],
  ["a method named async", "({ async() { return 1 } }).async", "({async() { return 1 }}).async", ""],
  ["a static method", "class A { static m() { return 1 } }\nA.m", "({m() { return 1 }}).m", ""],
  ["this of a plain function", "(function () { return this })", "function () { return this }", ""],
  ["an arrow function with this outside functions", "() => this", "() => this", ""],
  [
    "enums as code",
    "() => { enum E { A } return E }",
    '() => { const      E =((E)=>{  E[E["A"]=0]="A";  return E})({}); return E }',
    "",
  ],
];

describe("a function's source", () => {
  it.each(kept)("keeps %s", async (_fact, cell, source, free) => {
    expect(await stored(cell)).toMatchObject({ source, free: free === "" ? [] : free.split(" ") });
  });

  it("keeps parameter properties as assignments", async () => {
    const { source } = await stored("class A { constructor(private x: number) {} }\nA");
    expect(source.replace(/ +/g, " ")).toBe("class A { constructor( x ) {this.x=x;} }");
  });

  it("tells what a class needs at once", async () => {
    const cell = `class B {} const k = "k", s = () => 1, t = 2, later = 3
      class A extends B { [k] = later; static x = s(); static { t } m() { return later } static n() { return later } }
      A`;
    expect(await stored(cell)).toMatchObject({
      isClass: true,
      free: ["B", "k", "later", "s", "t"],
      neededAtOnce: ["B", "k", "s", "t"],
    });
  });

  it("tells that a function needs nothing at once", async () => {
    expect(await stored("const a = 1; (() => a)")).toMatchObject({ isClass: false, neededAtOnce: [] });
  });
});

const refused: [fact: string, cell: string, reason: string][] = [
  ["a local of a function", "((n) => () => n)(1)", 'closes over the local "n"'],
  ["two locals", "((n, m) => () => n + m)(1, 2)", 'closes over the locals "m", "n"'],
  ["a local of a function around the next", "((n) => () => () => n)(1)()", 'closes over the local "n"'],
  ["a local only an inner function uses", "((n) => () => () => n)(1)", 'closes over the local "n"'],
  ["a local of a block", "let f; { let n = 1; f = () => n } f", 'closes over the local "n"'],
  ["a local of a loop", "const f = []; for (let i = 0; i < 1; i++) f.push(() => i); f[0]", 'closes over the local "i"'],
  ["a caught error", "let f; try { throw 1 } catch (e) { f = () => e } f", 'closes over the local "e"'],
  ["a local in a default", "((n) => (a = n) => a)(1)", 'closes over the local "n"'],
  ["a local in a default's function", "((n) => function (a = () => n) {})(1)", 'closes over the local "n"'],
  ["a local written only", "((n) => () => { n = 2 })(1)", 'closes over the local "n"'],
  ["a local that hides a variable of the cell", "const n = 1; ((n) => () => n)(2)", 'closes over the local "n"'],
  ["a local class by extends", "((B) => class extends B {})(Object)", 'closes over the local "B"'],
  ["a local in a method of a class", "((n) => class { m() { return n } })(1)", 'closes over the local "n"'],
  ["a local in a field", "((n) => class { x = n })(1)", 'closes over the local "n"'],
  ["a local in a method", "((n) => ({ m() { return n } }))(1).m", 'closes over the local "n"'],
  ["the name of a class expression", "const A = class B { static m() { return B } }; A.m", 'closes over the local "B"'],
  ["a resource", "using r = null; (() => r)", 'closes over the local "r"'],
  [
    "this of a function around",
    "(function () { return () => this }).call({})",
    'uses the "this" of the function around it',
  ],
  ["this of an instance", "class A { f = () => this }\nnew A().f", 'uses the "this" of the function around it'],
  [
    "arguments of a function around",
    "(function () { return () => arguments })()",
    'uses the "arguments" of the function around it',
  ],
  ["super", "({ m() { return super.x } }).m", 'uses "super"'],
  ["super in an arrow function", "({ m() { return () => super.x } }).m()", 'uses "super"'],
  ["private fields", "class A { #x = 1; m() { return this.#x } }\nnew A().m", "uses private fields of its class"],
  ["a getter", "Object.getOwnPropertyDescriptor({ get x() { return 1 } }, 'x').get", "is a getter or setter"],
  ["a setter", "Object.getOwnPropertyDescriptor({ set x(v) {} }, 'x').set", "is a getter or setter"],
  ["a private method", "class A { #m() {} static f(a) { return a.#m } }\nA.f(new A())", "cannot be read"],
  ["a native function", "Math.max", "is a native or bound function"],
  ["a bound function", "(() => 1).bind(null)", "is a native or bound function"],
];

describe("a function is not kept that uses", () => {
  it.each(refused)("%s", async (_fact, cell, reason) => {
    const result = functionSource(await textOf(cell));
    expect(result.ok ? "kept" : result.reason).toContain(reason);
  });
});

describe("text that no cell made", () => {
  const forged: [what: string, text: string][] = [
    ["an uninstrumented function", "() => 1"],
    ["a host's own function", "function stop() { throw new Error() }"],
    ["an expression", "1 + 1"],
    ["two expressions", "() => {/*$px:*//*$*/}, alert()"],
    ["a way out of the brackets", "() => {/*$px:*//*$*/})(), (() => {}"],
    ["nothing", ""],
    ["a reserved name", "() => {/*$px:*//*$*/ $pxf = 1e9 }"],
    ["an import", "() => {/*$px:*//*$*/ return import('x') }"],
    ["eval", "() => {/*$px:*//*$*/ return eval('x') }"],
    ["deep nesting", `() => {/*$px:*//*$*/ return ${"(".repeat(100_000)}1${")".repeat(100_000)} }`],
  ];

  it.each(forged)("is refused: %s", (_what, text) => {
    expect(functionSource(text).ok).toBe(false);
  });

  it("is refused by emission as well", async () => {
    const { analyseCell, emitCell } = await import("../../../src/kernel/compile.ts");
    const cell = analyseCell("f()");
    const load: Load = { name: "f", kind: "const", functions: ["() => {})(), (() => {}"], classes: [] };
    const result = cell.ok ? emitCell(cell.value, [load]) : cell;
    expect(result).toMatchObject({ ok: false, error: { kind: "syntax", message: expect.stringContaining('"f"') } });
  });
});

const trips: [fact: string, first: string, second: string, value: unknown][] = [
  ["an arrow function", "const f = (a: number) => a + 1", "f(1)", 2],
  ["recursion", "function f(n) { return n < 2 ? 1 : n * f(n - 1) }", "f(5)", 120],
  [
    "loops",
    "const f = (n) => { let s = 0; for (let i = 0; i < n; i++) for (const x of [1, 2]) s += x; return s }",
    "f(3)",
    9,
  ],
  [
    "labels",
    "const f = () => { let n = 0; a: for (;;) { while (true) { if (++n > 3) break a; continue a } } return n }",
    "f()",
    4,
  ],
  ["a generator", "function* f() { let i = 0; while (true) yield i++ }", "const [a, b, c] = f(); [a, b, c]", [0, 1, 2]],
  ["an async function", "const f = async (x) => { await 0; return x }", "await f(3)", 3],
  [
    "a class",
    "class f { #n = 1; static of(x) { return new f() } get n() { return this.#n } static { this.k = 5 } }",
    "[f.of().n, f.k]",
    [1, 5],
  ],
  ["fields that call", "class f { a = String(1); b = () => this.a }", "new f().b()", "1"],
  ["a method", "const f = { g: 2, m() { return this.g } }.m", "f.call({ g: 3 })", 3],
  ["enums", "const f = () => { enum E { A = 1, B = A + 1 } return E[2] }", "f()", "B"],
  ["parameter properties", "class f { constructor(readonly x = 4) {} }", "new f().x", 4],
  ["inner captures", "const f = (n) => [1, 2].map((x) => x + n)", "f(1)", [2, 3]],
  ["comments and strings", "const f = () => { /* $px */ return '/*$*/' + `//` /* end */ }", "f()", "/*$*///"],
  ["a name the next cell declares", "const n = 1; const f = () => n", "const n = 2; f()", 2],
  ["an API name", "const f = () => llm()", "f()", "llm"],
];

describe("a function from one cell to the next", () => {
  it.each(trips)("%s", async (_fact, first, second, value) => {
    const { source } = await stored(`${first}\nf`);
    const load: Load = { name: "f", kind: "const", functions: [source], classes: [] };
    const ran = await runCell(second, { loads: [load] });
    expect(ran.error).toBeUndefined();
    expect(ran.value).toEqual(value);
    const again = functionSource(Function.prototype.toString.call(ran.scope["f"]));
    expect(again).toMatchObject({ ok: true, source });
  });

  it("pays in each cell, once", async () => {
    const cell = "const f = (n) => { for (let i = 0; i < n; i++); }";
    const { source } = await stored(`${cell}\nf`);
    const load: Load = { name: "f", kind: "const", functions: [source], classes: [] };
    expect(emitted("f", [load]).module.split("$pxf-=").length).toBe(emitted(cell).module.split("$pxf-=").length);
    const ran = await runCell("f(Infinity)", { loads: [load], fuel: 10_000 });
    expect(ran.error).toBeInstanceOf(OutOfFuel);
  });

  it("is not loaded where the cell has its own of that name", async () => {
    const load: Load = { name: "f", kind: "const", functions: ["() => 1"], classes: [] };
    expect((await runCell("const f = () => 2; f()", { loads: [load] })).value).toBe(2);
    expect((await runCell("using f = null; 3", { loads: [load] })).value).toBe(3);
  });

  it("gets the classes of its instances by name", () => {
    const loads: Load[] = [
      { name: "P", kind: "const", functions: ["class P {}"], classes: [] },
      { name: "p", kind: "let", functions: [], classes: ["P"] },
    ];
    expect(emitted("p", loads).module).toContain('let p=$px.load("p",[],{P:()=>P});\n');
  });
});
