import { describe, expect, it } from "vitest";
import { get, runCells } from "../support/runs.ts";

/** Cells of one kernel, and what the last of them shows. */
type Row = [fact: string, cells: string[], value: string];

const shows = (rows: Row[]): void => {
  it.each(rows)("%s", async (_, cells, value) => {
    const { answers } = await runCells(cells);
    expect(answers.flatMap(({ error, unsaved }) => [error, unsaved]).filter(Boolean)).toEqual([]);
    expect(answers.at(-1)?.value).toBe(value);
  });
};

describe("a declaration is there in later cells", () => {
  shows([
    ["const", ["const a = 1", "a + 1"], "2"],
    ["let, and it can be assigned", ["let a = 1", "a = 5", "a"], "5"],
    ["var, also out of a block", ["{ var a = 7 }", "a"], "7"],
    ["var declared in a loop head", ["for (var i = 0; i < 3; i++) {}", "i"], "3"],
    ["several in one statement", ["let a = 1, b = a + 1, c", "[a, b, c]"], "[1, 2, undefined]"],
    ["a function, used before it is declared", ["const r = f(); function f() { return 3 }", "r + f()"], "6"],
    ["an async function", ["async function f() { return await 4 }", "await f()"], "4"],
    ["a generator function", ["function* g() { yield 1; yield 2 }", "[...g()]"], "[1, 2]"],
    [
      "an async generator function",
      ["async function* g() { yield 1; yield 2 }", "const all = []; for await (const x of g()) all.push(x); all"],
      "[1, 2]",
    ],
    ["an arrow function", ["const f = (x) => x * 2", "f(21)"], "42"],
    [
      "a function expression with its name",
      ["const f = function fac(n) { return n < 2 ? 1 : n * fac(n - 1) }", "f(5)"],
      "120",
    ],
    ["the name of an arrow function", ["const double = (x) => 2 * x", "double.name"], "double"],
    ["a class", ["class A { constructor(x) { this.x = x } get twice() { return 2 * this.x } }", "new A(4).twice"], "8"],
    ["a class with statics", ["class C { static n = 1; static up() { return ++C.n } }", "C.up()", "C.n"], "2"],
    ["a class expression", ["const K = class { m() { return 'm' } }", "new K().m()"], "m"],
    [
      "object destructuring with defaults and rest",
      ["const { a, b: { c = 3 } = {}, ...rest } = { a: 1, x: 9 }", "[a, c, rest]"],
      "[1, 3, {x: 9}]",
    ],
    [
      "array destructuring with holes and rest",
      ["const [a, , b = 5, ...c] = [1, 2, undefined, 4, 5]", "[a, b, c]"],
      "[1, 5, [4, 5]]",
    ],
    ["a method of an object", ["const o = { n: 2, m() { return this.n } }", "o.m()"], "2"],
    ["a function with properties of its own", ["function f() { return f.count++ }\nf.count = 5", "f(); f.count"], "6"],
    [
      "methods put on a prototype by hand",
      ["function P(x) { this.x = x }\nP.prototype.twice = function () { return 2 * this.x }", "new P(4).twice()"],
      "8",
    ],
  ]);
});

describe("names mean what they mean in JavaScript", () => {
  shows([
    ["a later cell may declare a name again", ["const a = 1", "const a = 'two'", "a"], "two"],
    ["a const may become a let", ["const a = 1", "let a = 2", "a = 3", "a"], "3"],
    ["a block has its own", ["const a = 1; { const a = 2 }", "a"], "1"],
    ["a parameter hides a variable", ["const a = 1; function f(a) { return a }", "f(9) + a"], "10"],
    ["a function sees the later value of what it closes over", ["let n = 1; const f = () => n", "n = 2", "f()"], "2"],
    ["a function changes what it closes over", ["let n = 1; const up = () => { n += 10 }", "up()", "up()", "n"], "21"],
    ["a function uses one that is declared later", ["const f = () => g() + 1", "const g = () => 1", "f()"], "2"],
    [
      "mutual recursion across cells",
      [
        "const even = (n) => n === 0 ? true : odd(n - 1)",
        "const odd = (n) => n === 0 ? false : even(n - 1)",
        "even(10)",
      ],
      "true",
    ],
    [
      "what a function uses is found through another one",
      ["const base = 10", "const f = () => base", "const g = () => f() + 1", "g()"],
      "11",
    ],
    [
      "a function that was replaced is the new one for those who use it",
      ["const f = () => 1; const g = () => f()", "const f = () => 2", "g()"],
      "2",
    ],
    ["typeof of a name nobody declared", ["typeof nothing"], "undefined"],
    ["a global may be hidden", ["const Map = 5", "Map + 1"], "6"],
    ["a shorthand property", ["const a = 1", "({ a })"], "{a: 1}"],
    [
      "a label and a property of the same name load nothing",
      ["const o = { a: { b: 1 } }", "a: for (;;) break a; o.a.b"],
      "1",
    ],
    ["this at the top level is undefined", ["typeof this"], "undefined"],
    ["names with other letters", ["const größe = 3, $_ = 4", "größe + $_"], "7"],
    [
      "an array that two functions share",
      ["const list = []; const add = (x) => list.push(x); const size = () => list.length", "add(1); add(2)", "size()"],
      "2",
    ],
  ]);

  it("a const stays const in later cells", async () => {
    const { answers } = await runCells(["const a = 1", "a = 2", "a"]);
    expect(answers[1]?.error).toMatchObject({
      kind: "thrown",
      message: expect.stringContaining("constant variable"),
      line: 1,
    });
    expect(answers[2]?.value).toBe("1");
  });

  it("a name is dead before its declaration is reached", async () => {
    const { answers } = await runCells(["const before = typeof later;\nlet later = 1", "before"]);
    expect(answers[0]?.error).toMatchObject({ kind: "thrown", message: expect.stringContaining("later"), line: 1 });
    expect(answers[1]?.error).toMatchObject({ message: expect.stringContaining("before is not defined") });
  });

  it("a cell that declares a name anew does not see the old one", async () => {
    const { answers } = await runCells(["let a = 1", "let a = a + 1"]);
    expect(answers[1]?.error).toMatchObject({
      kind: "thrown",
      message: expect.stringContaining("before initialization"),
    });
  });
});

describe("classes and their instances", () => {
  shows([
    [
      "an instance has its class",
      [
        "class P { constructor(x) { this.x = x } norm() { return Math.abs(this.x) } }",
        "const p = new P(-3)",
        "[p.norm(), p instanceof P]",
      ],
      "[3, true]",
    ],
    [
      "inheritance over cells",
      [
        "class A { hi() { return 'A' } }",
        "class B extends A { hi() { return super.hi() + 'B' } }",
        "const b = new B()",
        "[b.hi(), b instanceof A]",
      ],
      '["AB", true]',
    ],
    [
      "an instance in a list in a Map",
      [
        "class P { x = 1 }",
        "const m = new Map([['all', [new P(), new P()]]])",
        "m.get('all').every((p) => p instanceof P && p.x === 1)",
      ],
      "true",
    ],
    [
      "accessors",
      [
        "class T { c = 0; get f() { return this.c * 2 } set f(v) { this.c = v / 2 } }",
        "const t = new T(); t.f = 10",
        "[t.c, t.f]",
      ],
      "[5, 10]",
    ],
    [
      "static inheritance",
      ["class A { static make() { return new this() } }", "class B extends A {}", "B.make() instanceof B"],
      "true",
    ],
    [
      "an error class",
      [
        "class Odd extends Error { constructor(n) { super('odd: ' + n); this.n = n } }",
        "const e = new Odd(3)",
        "[e instanceof Odd, e instanceof Error, e.message, e.n]",
      ],
      '[true, true, "odd: 3", 3]',
    ],
    ["computed method names", ["const key = 'run'", "class C { [key]() { return 1 } }", "new C().run()"], "1"],
    [
      "a class that uses a variable",
      ["let rate = 2", "class C { at(x) { return x * rate } }", "rate = 3", "new C().at(5)"],
      "15",
    ],
  ]);
});

describe("TypeScript", () => {
  shows([
    [
      "types, interfaces and casts go",
      [
        "interface P { x: number }\ntype Q = P | null;\nconst p = { x: 1 } as P;\nconst q: Q = p satisfies P;",
        "(q as P)!.x",
      ],
      "1",
    ],
    [
      "generics",
      [
        "function id<T extends object>(x: T): T { return x }\nconst list: Array<Map<string, number>> = [];",
        "id({ n: list.length })",
      ],
      "{n: 0}",
    ],
    ["an enum, both ways", ["enum Color { Red, Green = 5, Blue }", "[Color.Blue, Color[5]]"], '[6, "Green"]'],
    ["a text enum", ["enum E { A = 'a', B = 'b' }", "Object.values(E)"], '["a", "b"]'],
    [
      "parameter properties",
      [
        "class P { constructor(private x: number, readonly y = 2) {} sum() { return this.x + this.y } }",
        "new P(1).sum()",
      ],
      "3",
    ],
    [
      "an abstract class",
      [
        "abstract class S { abstract area(): number; twice() { return 2 * this.area() } }\nclass Q extends S { area(): number { return 4 } }",
        "new Q().twice()",
      ],
      "8",
    ],
    [
      "optional and definite marks",
      ["let late!: number; late = 3;\nfunction f(x?: number) { return x ?? 1 }", "f() + late"],
      "4",
    ],
    [
      "overloads",
      ["function f(x: string): string;\nfunction f(x: number): number;\nfunction f(x: any) { return x }", "f(5)"],
      "5",
    ],
    [
      "a type of its own name is no variable",
      ["type Row = { a: number };\nconst rows: Row[] = [{ a: 1 }];", "rows[0]!.a"],
      "1",
    ],
  ]);
});

describe("the value of a cell", () => {
  shows([
    ["is its last expression", ["1; 2; 3"], "3"],
    ["an object in brackets", ["({ a: 1, b: [true, null] })"], "{a: 1, b: [true, null]}"],
    ["an awaited one", ["await Promise.resolve('done')"], "done"],
    ["a template over lines", ["`a\nb`"], "a\nb"],
    ["a last expression without semicolon, behind a comment", ["const a = 1\na + 1 // two"], "2"],
    ["an assignment", ["let a = 1", "a = 9"], "9"],
    ["what it returns at the top level", ["if (true) return 5; 6"], "5"],
    ["a function", ["const f = (x) => x; f"], "[function f]"],
    ["a class", ["class A {}; A"], "[class A]"],
    ["a Map", ["new Map([['a', 1]])"], "Map(1) {a: 1}"],
    [
      "a long list is cut",
      ["Array.from({ length: 100 }, (_, i) => i)"],
      "(100) [0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, … 88 more]",
    ],
    ["a cycle", ["const a = {}; a.me = a; a"], "{me: [circular]}"],
    ["a thenable is not awaited", ["({ then: 5 })"], "{then: 5}"],
  ]);

  it.each([
    ["a declaration", "const a = 1"],
    ["a loop", "for (const x of [1]) x"],
    ["nothing", ""],
    ["undefined", "undefined"],
    ["only types", "type A = 1"],
  ])("is absent for %s", async (_, cell) => {
    const { answers } = await runCells([cell]);
    expect(answers[0]).not.toHaveProperty("value");
    expect(answers[0]).not.toHaveProperty("error");
  });
});

describe("statements and expressions of all kinds", () => {
  shows([
    ["top-level await in a loop", ["let n = 0; for await (const x of [1, Promise.resolve(2)]) n += x; n"], "3"],
    [
      "Promise.all with tools",
      ["(await Promise.all(['a', 'b', 'c'].map((label) => tools.test.read({ label })))).join('')"],
      "abc",
    ],
    [
      "optional chaining and nullish assignment",
      ["const o = { a: null }; o.a ??= 5; [o?.a, o.b?.c]"],
      "[5, undefined]",
    ],
    [
      "a switch",
      ["const f = (x) => { switch (x) { case 1: return 'one'; default: return 'many' } }", "[f(1), f(2)]"],
      '["one", "many"]',
    ],
    [
      "try, catch and finally",
      ["const log = []; try { throw 1 } catch (e) { log.push(e) } finally { log.push('f') } log"],
      '[1, "f"]',
    ],
    ["tagged templates", ["const tag = (s, ...v) => s.raw.join('|') + v.join(',')", "tag`a${1}b${2}c`"], "a|b|c1,2"],
    ["getters in an object", ["const o = { get x() { return 3 } }; o.x"], "3"],
    ["symbols and iterators", ["const it2 = { *[Symbol.iterator]() { yield* [1, 2] } }; [...it2]"], "[1, 2]"],
    ["BigInt arithmetic", ["const big = 2n ** 64n", "big + 1n"], "18446744073709551617n"],
    ["regular expressions with groups", ["/(?<y>\\d{4})-(?<m>\\d\\d)/.exec('on 2024-05-06').groups.y"], "2024"],
    [
      "labels, continue and do while",
      ["let n = 0; outer: do { n++; for (;;) { if (n < 3) continue outer; break outer } } while (true); n"],
      "3",
    ],
    [
      "Array.fromAsync, groupBy and toSorted",
      ["[...Object.keys(Object.groupBy([3, 1, 2].toSorted(), (x) => x % 2 ? 'odd' : 'even'))]"],
      '["odd", "even"]',
    ],
    [
      "Date and Intl",
      ["new Intl.NumberFormat('en').format(1234.5) + ' ' + new Date(0).toISOString()"],
      "1,234.5 1970-01-01T00:00:00.000Z",
    ],
    [
      "structuredClone, URL and TextEncoder",
      ["[structuredClone({ a: [1] }).a, new URL('/x', 'http://h').pathname, new TextEncoder().encode('é').length]"],
      '[[1], "/x", 2]',
    ],
    [
      "crypto digests",
      ["[...new Uint8Array(await crypto.subtle.digest('SHA-1', new Uint8Array()))].slice(0, 2)"],
      "[218, 57]",
    ],
    [
      "timers",
      [
        "const order = []; await new Promise((r) => { setTimeout(() => { order.push(2); r() }, 20); order.push(1) }); order",
      ],
      "[1, 2]",
    ],
    [
      "a cleared timer does not fire",
      [
        "let fired = 0; clearTimeout(setTimeout(() => { fired++ }, 1)); await new Promise((r) => setTimeout(r, 20)); fired",
      ],
      "0",
    ],
  ]);

  it("the clock stands still while a cell computes and moves with its calls", async () => {
    const { answers } = await runCells([
      "const a = Date.now(); for (let i = 0; i < 1e6; i++); const b = Date.now(); await new Promise((r) => setTimeout(r, 30)); [b - a, Date.now() - a >= 25, new Date() - b === Date.now() - b]",
    ]);
    expect(answers[0]?.value).toBe("[0, true, true]");
  });
});

describe("a cell that throws", () => {
  it("keeps what it had assigned and leaves the rest untouched", async () => {
    const { answers } = await runCells([
      "let a = 1, b = 2; const list = [1]",
      "a = 10; list.push(2); const c = 3; null.x; b = 20; const d = 4",
      "[a, b, c, list, typeof d]",
    ]);
    expect(answers[1]?.error).toMatchObject({ kind: "thrown" });
    expect(answers[1]?.variables?.map(({ name }) => name).sort()).toEqual(["a", "c", "list"]);
    expect(answers[2]?.value).toBe('[10, 2, 3, [1, 2], "undefined"]');
  });

  it("keeps its functions, also those below the place where it threw", async () => {
    const { answers } = await runCells(["throw new Error('early'); function late() { return 'here' }", "late()"]);
    expect(answers[1]?.value).toBe("here");
  });

  it("names what it changed, and only that", async () => {
    const { answers } = await runCells(["let a = 1, b = 2", "b = a + 1", "b = b + 1; a"]);
    expect(answers.map(({ variables }) => variables?.map(({ name }) => name))).toEqual([["a", "b"], undefined, ["b"]]);
  });
});

describe("GET …/variables", () => {
  it("lists names, types, sizes and fields, and never values", async () => {
    const { run } = await runCells(
      [
        "const m = new Map([['secret', 1]]); class P {}; const rows = [{ id: 1, name: 'x' }]; const text = 'a,b\\n1,2\\n3,4'; const f = () => 1",
      ],
      { given: { deep: true } },
    );
    const list = await get<{ items?: object[] } | object[]>(`/v1/goals/${run.id}/variables`);
    expect(list).toEqual({
      items: [
        { name: "P", type: "class", size: expect.any(Number) },
        { name: "f", type: "function", size: expect.any(Number) },
        { name: "given", type: "{ deep: boolean }", size: expect.any(Number), fields: ["deep"] },
        { name: "m", type: "Map<string, number>", size: expect.any(Number) },
        { name: "rows", type: "{ id: number, name: string }[]", size: expect.any(Number), fields: ["id", "name"] },
        { name: "text", type: "string", size: expect.any(Number), fields: ["a", "b"], format: "csv" },
      ],
    });
    expect(JSON.stringify(list)).not.toContain("secret");
  });

  it.each<[kind: string, cell: string, value: unknown]>([
    ["a number", "const v = 5", 5],
    ["undefined", "let v", null],
    ["NaN", "const v = NaN", null],
    ["BigInt", "const v = 12345678901234567890n", "12345678901234567890"],
    ["a date", "const v = new Date(0)", "1970-01-01T00:00:00.000Z"],
    ["a Map with text keys", "const v = new Map([['a', new Set([1])]])", { a: [1] }],
    ["a Map with other keys", "const v = new Map([[1, 'x']])", [[1, "x"]]],
    ["bytes", "const v = new Uint8Array([1, 2])", [1, 2]],
    ["a regular expression", "const v = /a+/gi", "/a+/gi"],
    ["an error", "const v = new TypeError('no')", { name: "TypeError", message: "no" }],
    ["a cycle", "const v = { a: 1 }; v.me = v", { a: 1, me: "[circular]" }],
    ["a key that is __proto__", "const v = JSON.parse('{\"__proto__\": 1}')", JSON.parse('{"__proto__": 1}')],
    ["a function", "const v = (x: number) => x + 1", { function: expect.stringContaining("=> x + 1") }],
    ["an instance", "class P { x = 1 }; const v = new P()", { x: 1 }],
    ["a list with holes", "const v = [1, , 3]", [1, null, 3]],
    ["a list of four billion holes", "const v = []; v.length = 4e9", "[too large]"],
    ["what doubles with every level", "let v = []; for (let i = 0; i < 60; i++) v = [v, v]", "[too large]"],
    ["ten thousand levels", "let v = 0; for (let i = 0; i < 1e4; i++) v = [v]", expect.anything()],
  ])("GET …/variables/:name shows %s as JSON", async (_, cell, value) => {
    const { run, answers } = await runCells([cell]);
    expect(answers[0]?.unsaved).toBeUndefined();
    expect(await get(`/v1/goals/${run.id}/variables/v`)).toMatchObject({ name: "v", value });
  });

  it("an unknown name gets a 404 that names the known ones", async () => {
    const { run } = await runCells(["const known = 1"]);
    expect(await get(`/v1/goals/${run.id}/variables/unknown`)).toMatchObject({
      status: 404,
      detail: expect.stringContaining("known"),
    });
  });
});

it("a variable whose new value can't be kept has no value, not its old one", async () => {
  const { answers } = await runCells([
    "let kept = 1; let lost = 2",
    "kept = 3; lost = new WeakMap()",
    "[kept, typeof lost]",
  ]);
  expect(answers[1]!.unsaved).toEqual([{ name: "lost", reason: expect.any(String) }]);
  expect(answers[2]!.value).toBe('[3, "undefined"]');
});
