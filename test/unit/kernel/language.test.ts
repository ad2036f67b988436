import { describe, expect, it } from "vitest";
import { runCell } from "./cell-host.ts";

type Row = [fact: string, source: string, value: unknown];

const tables: Record<string, Row[]> = {
  "a cell's value": [
    ["is its last expression", "1 + 1", 2],
    ["needs no semicolon after it", "const a = 2\na * 2", 4],
    ["may stand in brackets", "(1, 2)", 2],
    ["may be an object in brackets", "({ a: 1 })", { a: 1 }],
    ["may be awaited", "await Promise.resolve(7)", 7],
    ["may be an assignment", "let x; x = 5", 5],
    ["is kept past empty statements", "3;;", 3],
    ["is kept past a type", "3\ntype T = number", 3],
    ["is none after a declaration", "1; const a = 2", undefined],
    ["is none after a block", "{ 5 }", undefined],
    ["is none for an empty cell", "", undefined],
    ["is none for a comment", "// nothing", undefined],
    ["may be followed by a comment", "4 // four", 4],
    ["may be a string that looks like a directive", "'use strict'", "use strict"],
    ["may be a called function expression", "(function () { return 6 })()", 6],
    ["may be a called arrow function", "(() => 6)()", 6],
    ["may be a template", "`a${1 + 1}b`", "a2b"],
    ["may be a conditional", "true ? 1 : 2", 1],
    ["may span lines", "[\n  1,\n  2,\n]", [1, 2]],
    ["may begin with a bracket after a full statement", "const a = [1];\n[...a, 2]", [1, 2]],
    ["may be returned", "return 8", 8],
    ["may be returned in brackets over lines", "return (\n  9\n)", 9],
    ["may be returned early", "if (true) return 1\n2", 1],
    ["may be returned from a loop", "for (const x of [1, 2, 3]) if (x > 1) return x", 2],
    ["may be returned from a loop without braces", "while (true) return 3", 3],
    ["may be a returned sequence in brackets", "return (1, 2)", 2],
    ["is none for an empty return", "return; 5", undefined],
    ["is not what a function returns", "function f() { return 1 }\nf(); const x = 1", undefined],
    ["passes through finally", "try { return 1 } finally { 2 }", 1],
  ],
  declarations: [
    ["const", "const a = 1; a", 1],
    ["let without a value", "let a; a", undefined],
    ["var is hoisted", "const before = typeof a; var a = 1; before", "undefined"],
    ["var leaves its block", "{ var a = 3 } a", 3],
    ["functions are hoisted", "const r = f(); function f() { return 2 } r", 2],
    ["a function in a block stays there", "{ function f() {} } typeof f", "undefined"],
    ["const cannot be assigned", "const a = 1; let r = ''; try { a = 2 } catch (e) { r = e.name } r", "TypeError"],
    ["let is dead before its line", "let r; try { a } catch (e) { r = e.name } let a = 1; r", "ReferenceError"],
    [
      "object destructuring",
      "const { a, b: { c = 3 }, ...rest } = { a: 1, b: {}, d: 4 }; [a, c, rest]",
      [1, 3, { d: 4 }],
    ],
    ["array destructuring", "const [a, , b = 5, ...c] = [1, 2, undefined, 4]; [a, b, c]", [1, 5, [4]]],
    ["computed keys", "const k = 'x'; const { [k]: v } = { x: 9 }; v", 9],
    ["destructuring assignment", "let a = 1, b = 2; [a, b] = [b, a]; [a, b]", [2, 1]],
    ["object destructuring assignment", "let a; ({ a = 4 } = {}); a", 4],
    ["classes", "class A { x = 1 } new A().x", 1],
    ["async functions", "async function f() { return 1 } await f()", 1],
    ["names of the language's soft keywords", "let type = 1, of = 2, async = 3, get = 4; type + of + async + get", 10],
    ["a label and a variable of one name", "let a = 1; a: for (;;) { a++; break a } a", 2],
    [
      "using disposes at the end of its block",
      "const l = []; { using r = { [Symbol.dispose]() { l.push('gone') } }; l.push('here') } l",
      ["here", "gone"],
    ],
  ],
  functions: [
    ["default parameters", "const f = (a, b = a + 1) => [a, b]; f(1)", [1, 2]],
    ["rest parameters", "const f = (...a) => a.length; f(1, 2)", 2],
    ["destructured parameters", "const f = ({ a }, [b]) => a + b; f({ a: 1 }, [2])", 3],
    ["closures", "const add = (a) => (b) => a + b; add(1)(2)", 3],
    ["object bodies in brackets", "const f = () => ({ a: 1 }); f()", { a: 1 }],
    ["a name taken from the variable", "const f = () => 1; const g = function () {}; [f.name, g.name]", ["f", "g"]],
    ["recursion", "function fact(n) { return n < 2 ? 1 : n * fact(n - 1) } fact(5)", 120],
    ["a named function expression", "const f = function g(n) { return n ? g(n - 1) : 'end' }; f(2)", "end"],
    ["arguments", "function f() { return arguments.length } f(1, 2)", 2],
    ["this of a method", "const o = { a: 1, m() { return this.a } }; o.m()", 1],
    ["new.target", "function F() { return { made: new.target === F } } new F().made", true],
    ["generators", "function* g() { yield 1; yield* [2, 3] } [...g()]", [1, 2, 3]],
    [
      "values sent to generators",
      "function* g() { const x = yield 1; yield x * 2 } const i = g(); i.next(); i.next(4).value",
      8,
    ],
    [
      "async generators",
      "async function* g() { yield 1; yield 2 } const r = []; for await (const x of g()) r.push(x); r",
      [1, 2],
    ],
    ["async arrow functions", "await (async (x) => x * 2)(2)", 4],
    [
      "methods of every kind",
      "const o = { async a() { return 1 }, *b() { yield 2 }, async *c() { yield 3 }, get d() { return 4 }, set d(v) {} }; [await o.a(), [...o.b()], o.d]",
      [1, [2], 4],
    ],
    [
      "mutual recursion",
      "const even = (n) => n === 0 || odd(n - 1); const odd = (n) => n !== 0 && even(n - 1); even(10)",
      true,
    ],
    ["an arrow function whose body is an arrow function", "((a) => (b) => ({ a, b }))(1)(2)", { a: 1, b: 2 }],
    ["an arrow function in a conditional", "const f = true ? (x) => x : (y) => -y; f(2)", 2],
    ["brackets before an arrow function's colon", "const a = 0, b = 1; const f = a ? (b) : c => c + 1; f(1)", 2],
  ],
  classes: [
    ["inheritance", "class A { m() { return 1 } } class B extends A { m() { return super.m() + 1 } } new B().m()", 2],
    ["statics", "class A { static n = 2; static m() { return this.n } } A.m()", 2],
    ["static blocks", "class A { static n; static { this.n = 5 } } A.n", 5],
    ["a comment before a static block's brace", "class A { static n; static /* { */ { this.n = 5 } } A.n", 5],
    [
      "private members",
      "class A { #x = 1; get x() { return this.#x } #m() { return 2 } m() { return this.#m() } } [new A().x, new A().m()]",
      [1, 2],
    ],
    ["private checks", "class A { #x; static is(o) { return #x in o } } [A.is(new A()), A.is({})]", [true, false]],
    [
      "accessors",
      "class A { #v = 1; get v() { return this.#v } set v(x) { this.#v = x } } const a = new A(); a.v = 3; a.v",
      3,
    ],
    [
      "computed members",
      "const k = 'm'; class A { [k]() { return 1 } static [k + '2'] = 2 } [new A().m(), A.m2]",
      [1, 2],
    ],
    ["fields that call", "let n = 0; class A { x = ++n; y = String(this.x) } new A(); new A().y", "2"],
    [
      "fields that are functions keep their name",
      "class A { f = () => 1; g = class {} } const a = new A(); [a.f.name, a.g.name]",
      ["f", "g"],
    ],
    ["fields without semicolons", "class A {\n a = 1\n b = this.a + 1\n}\nnew A().b", 2],
    ["class expressions", "const A = class B { me() { return B.name } }; [A.name, new A().me()]", ["B", "B"]],
    [
      "a constructor that calls super late",
      "class A { constructor(x) { this.x = x } } class B extends A { constructor() { const y = 2; super(y); } } new B().x",
      2,
    ],
    ["generator methods and symbols", "class A { *[Symbol.iterator]() { yield 1 } } [...new A()]", [1]],
    [
      "errors",
      "class E extends Error { name = 'E' } let r; try { throw new E('m') } catch (e) { r = String(e) } r",
      "E: m",
    ],
  ],
  statements: [
    ["for", "let s = 0; for (let i = 0; i < 4; i++) s += i; s", 6],
    ["for without a body", "let i = 0; for (; i < 3; i++); i", 3],
    ["for of with a pattern", "const r = []; for (const [k, v] of Object.entries({ a: 1 })) r.push(k + v); r", ["a1"]],
    ["for in", "const r = []; for (const k in { a: 1, b: 2 }) r.push(k); r", ["a", "b"]],
    ["while with one statement", "let i = 0; while (i < 3) i++; i", 3],
    ["do with one statement", "let i = 0; do i++; while (i < 3); i", 3],
    ["do without semicolons", "let i = 0\ndo i++\nwhile (i < 3)\ni", 3],
    ["loops in else", "let i = 0; if (false) i = 9; else while (i < 2) i++; i", 2],
    ["a loop before else", "let i = 0; if (true) for (; i < 2; ) i++; else i = 9; i", 2],
    ["nested loops without braces", "let n = 0; for (const a of [1, 2]) for (const b of [1, 2]) n += a * b; n", 9],
    [
      "continue to a label",
      "const r = []; outer: for (let i = 0; i < 3; i++) { for (;;) { if (i === 1) continue outer; r.push(i); break } } r",
      [0, 2],
    ],
    ["break to a label", "let n = 0; a: for (;;) b: while (true) { n++; break a } n", 1],
    ["a labelled block", "let r = 1; a: { r = 2; break a; r = 3 } r", 2],
    [
      "switch",
      "let r; switch (2) { case 1: r = 'a'; break; case 2: { let x = 'b'; r = x } default: r += 'c' } r",
      "bc",
    ],
    [
      "try, catch, finally",
      "const r = []; try { throw 1 } catch { r.push('c') } finally { r.push('f') } r",
      ["c", "f"],
    ],
    [
      "closures of a loop have their own variable",
      "const f = []; for (let i = 0; i < 3; i++) f.push(() => i); f.map((g) => g())",
      [0, 1, 2],
    ],
    ["for await over promises", "const r = []; for await (const x of [Promise.resolve(1), 2]) r.push(x); r", [1, 2]],
    [
      "optional chaining",
      "const o = { a: { f: () => 1 } }; [o?.a?.f?.(), o.b?.c.d, o.b?.[0]]",
      [1, undefined, undefined],
    ],
    ["logical assignment", "let a = null, b = 1, c = 0; a ??= 1; b &&= 2; c ||= 3; [a, b, c]", [1, 2, 3]],
    ["tagged templates", "const t = (s, ...v) => s.raw.join('|') + v.join(); t`a${1}b${2}c`", "a|b|c1,2"],
    ["regular expressions", "'a1b2'.replace(/\\d/g, (d) => `<${d}>`)", "a<1>b<2>"],
    ["big integers and separators", "2n ** 64n === 18_446_744_073_709_551_616n", true],
    [
      "spread",
      "const a = [1]; const o = { x: 1 }; [[...a, 2], { ...o, y: 2 }, Math.max(...a, 5)]",
      [[1, 2], { x: 1, y: 2 }, 5],
    ],
    ["Promise.all", "await Promise.all([1, 2].map(async (x) => x * 2))", [2, 4]],
    ["characters outside the basic plane", "const naïve = '😀'; naïve.length", 2],
    ["line separators of every kind", "const a = 1\r\nconst b = 2\rconst c = `x\u2028y`\na + b + c.length", 6],
    ["strict mode", "(function () { return this })()", undefined],
    ["no this outside functions", "this", undefined],
  ],
  "automatic semicolons": [
    ["are not put before a template", "let r; try { const a = 1\n`x`.length } catch (e) { r = e.name } r", "TypeError"],
    ["before ++", "let a = 1, b = 1\na\n++b\nb", 2],
    ["after return", "const f = () => {\n  return\n  1\n}\nf()", undefined],
    ["before a line that starts with a bracket, after an arrow block", "const f = () => {}\n(1)", 1],
    ["after a class", "class A {}\n[1, 2].length", 2],
    ["after a do loop on one line", "let i = 0; do { i++ } while (i < 2) i", 2],
  ],
};

for (const [subject, rows] of Object.entries(tables)) {
  describe(subject, () => {
    it.each(rows)("%s", async (_fact, source, value) => {
      const ran = await runCell(source);
      expect(ran.error).toBeUndefined();
      expect(ran.value).toEqual(value);
    });
  });
}

describe("what later cells see", () => {
  it("is read after the cell ended", async () => {
    const { scope } = await runCell("let a = 1; const f = () => a; a = 2; enum E { A }");
    expect(scope).toMatchObject({ a: 2, E: { A: 0 } });
    expect((scope["f"] as () => number)()).toBe(2); // the cell declares f as a function
  });

  it("leaves out what was not assigned before the cell failed", async () => {
    const { scope, error } = await runCell("const a = 1; throw new Error('x'); const b = 2");
    expect(scope).toEqual({ a: 1 });
    expect(error).toMatchObject({ message: "x" });
  });

  it("includes loaded variables, with what the cell assigned", async () => {
    const loads = [
      { name: "n", kind: "let" as const, functions: [], classes: [] },
      { name: "k", kind: "const" as const, functions: [], classes: [] },
    ];
    const ran = await runCell("n += k; n", { loads, values: { n: 1, k: 2 } });
    expect(ran.value).toBe(3);
    expect(ran.scope).toEqual({ n: 3, k: 2 });
    const failed = await runCell("k = 5", { loads, values: { n: 1, k: 2 } });
    expect(failed.error).toMatchObject({ message: "Assignment to constant variable." });
  });

  it("gives the cell the API names it uses and no others", async () => {
    expect((await runCell("[tools(), done()]")).value).toEqual(["tools", "done"]);
    expect((await runCell("1")).cell.module).not.toContain("$px.api");
  });
});
