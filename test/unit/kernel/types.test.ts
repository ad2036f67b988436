import { describe, expect, it } from "vitest";
import { runCell } from "./cell-host.ts";

type Row = [fact: string, source: string, value: unknown];

const tables: Record<string, Row[]> = {
  "types are stripped from": [
    ["variables", "const a: number = 1; let b!: string; let c: { x: number }[] = []; [a, b, c]", [1, undefined, []]],
    ["destructuring", "const { a, b }: { a: number; b: string } = { a: 1, b: 'x' }; [a, b]", [1, "x"]],
    [
      "parameters and results",
      "function f(a: number, b?: string, ...c: any[]): number { return a + c.length } f(1, 'x', 2)",
      2,
    ],
    ["optional parameters without a type", "const f = (a?, b? : number) => [a, b]; f(1)", [1, undefined]],
    ["this parameters", "function f(this: { a: number }, b: number) { return this.a + b } f.call({ a: 1 }, 2)", 3],
    ["a lone this parameter", "function f(this: { a: number }) { return this.a } f.call({ a: 1 })", 1],
    ["casts", "const a = 1 as unknown as string; a", 1],
    ["satisfies", "const a = { x: 1 } satisfies Record<string, number>; a.x", 1],
    ["const casts", "const a = ['x', 'y'] as const; a.length", 2],
    ["casts in brackets", "const a = (('x') as any).length; a", 1],
    ["casts of assignment targets", "let a: any = 1; (a as number) = 2; a! += 1; (<any>a)++; a", 4],
    ["non-null marks", "const o: any = { a: { b: [1] } }; o!.a!.b![0]!", 1],
    ["non-null marks in a chain", "const o: any = undefined; o?.a!.b", undefined],
    ["angle casts", "const a = <number>(<unknown>'x'); a", "x"],
    ["angle casts of an object in an arrow function", "const f = () => <any>{ a: 1 }; f()", { a: 1 }],
    ["angle casts that begin a statement", "const o: any = {};\n<any>o.a", undefined],
    [
      "generic functions",
      "function id<T extends object = {}>(x: T): T { return x } id<{ a: number }>({ a: 1 })",
      { a: 1 },
    ],
    [
      "generic arrow functions",
      "const id = <T,>(x: T): T => x; const two = <T extends number>(x: T) => x * 2; two(id<number>(2))",
      4,
    ],
    ["async generic arrow functions", "const f = async <T>(x: T): Promise<T> => x; await f(3)", 3],
    ["nested type arguments", "new Map<string, Array<Map<string, number>>>().size", 0],
    ["tagged templates", "const t = (s: TemplateStringsArray) => s[0]; t<string>`x`", "x"],
    ["instantiations", "const f = <T,>(x: T) => x; const g = f<string>; g('a')", "a"],
    [
      "type predicates",
      "const isS = (x: unknown): x is string => typeof x === 'string'; function as(x: any): asserts x is string {} isS('a')",
      true,
    ],
    [
      "interfaces, aliases and declarations",
      "interface A { x: number }\ntype B = A | null;\ndeclare const zzz: number;\ndeclare function q(): void;\ndeclare module 'm' { }\n1",
      1,
    ],
    ["type-only namespaces", "namespace N { export type A = 1; export interface B {} }\n1", 1],
    [
      "overloads",
      "function f(a: string): string;\nfunction f(a: number): number;\nfunction f(a: any) { return a }\nf(1)",
      1,
    ],
    ["catch variables", "let r; try { throw 1 } catch (e: unknown) { r = e } r", 1],
    [
      "for of heads",
      "let s = 0; for (const x of [1, 2] as number[]) s += x; for (let i: number = 0 as number; i < 2; i++) s++; s",
      5,
    ],
    ["comparisons that are none", "const a = 1, b = 2, c = 0; [a < b, a < b && b > c]", [true, true]],
    [
      "object methods",
      "const o = { m<T>(x: T): T { return x }, async *g(): AsyncGenerator<number> {}, get v(): number { return 1 } }; o.m(o.v)",
      1,
    ],
    ["template and tuple types", "type T = `a${string}`; let x: [a: T, b?: number] = ['ax']; x.length", 1],
    ["function types over lines", "let f: (\n  a: number,\n) => number\nf = (a) => a\nf(2)", 2],
    ["typeof import", "let x: typeof import('m') | undefined; x", undefined],
  ],
  "classes keep their meaning without": [
    [
      "modifiers",
      "class B { d = 0 } class A extends B { private a = 1; protected readonly b = 2; public static c: number = 3; override d = 4 } const a: any = new A(); [a.a, a.b, A.c]",
      [1, 2, 3],
    ],
    [
      "heritage types",
      "interface I<T> {} class B<T> { x = 1 } class C<T> extends B<T> implements I<T>, I<string> { } new C<number>().x",
      1,
    ],
    ["implements after brackets", "interface I {} class B { x = 1 } class C extends (B) implements I { } new C().x", 1],
    ["implements without a name", "interface I {} const C = class implements I { x = 2 }; new C().x", 2],
    [
      "abstract members",
      "abstract class A { abstract x: number; abstract m(): number; n() { return this.m() } } class B extends A { x = 1; m() { return this.x } } new B().n()",
      1,
    ],
    ["declared fields", "class A { x = 1 } class B extends A { declare x: number } new B().x", 1],
    ["index signatures", "class A { [k: string]: any; x = 1 } new A().x", 1],
    [
      "overloaded methods",
      "class A { m(a: string): void; m(a: number): void; m(a: any) { return a } constructor(); constructor(a?: any) {} } new A().m(1)",
      1,
    ],
    [
      "definite fields and optional methods",
      "class A { x!: number; ['y']?: string; m?() { return 3 } } new A().m!()",
      3,
    ],
    [
      "generic methods",
      "class A { m<T>(x: T): T { return x } static s = <T,>(x: T) => x } new A().m<number>(A.s(2))",
      2,
    ],
    ["accessor", "class A { accessor x = 1; static accessor y = 2 } [new A().x, A.y]", [1, 2]],
    [
      "private generic members",
      "class A { #x?: number = 1; #m<T>(a: T): T { return a } m() { return this.#m(this.#x) } } new A().m()",
      1,
    ],
  ],
  "parameter properties": [
    [
      "become fields",
      "class A { constructor(private x: number, readonly y = 2, z?: number) {} } const a: any = new A(1); [a.x, a.y, 'z' in a]",
      [1, 2, false],
    ],
    ["are set before the body", "class A { z; constructor(public x: number) { this.z = this.x + 1 } } new A(1).z", 2],
    [
      "are set after super",
      "class A { a = 1 } class B extends A { constructor(public x: number) { super(); this.a += this.x } } new B(2).a",
      3,
    ],
    [
      "are set after super without a semicolon",
      "class A {} class B extends A {\n constructor(public x: number) {\n super()\n }\n}\nnew B(2).x",
      2,
    ],
  ],
  enums: [
    ["count from zero and map back", "enum E { A, B } [E.A, E.B, E[0], E[1]]", [0, 1, "A", "B"]],
    ["go on from a number", "enum E { A = 5, B, C = 1, D } [E.A, E.B, E.C, E.D]", [5, 6, 1, 2]],
    ["hold texts without mapping back", "enum E { A = 'x', B = `y` } E", { A: "x", B: "y" }],
    ["compute from members", "enum E { R = 1 << 0, W = 1 << 1, RW = R | W } [E.RW, E[3]]", [3, "RW"]],
    ["compute texts from members", "enum E { A = 'a', B = A + 'b' } E", { A: "a", B: "ab" }],
    ["compute from code", "const f = () => 4; enum E { A = f(), B } [E.A, E.B, E[5]]", [4, 5, "B"]],
    ["have quoted members", "enum E { 'a b' = 1, 'c' } [E['a b'], E[2]]", [1, "c"]],
    ["may be const", "const enum E { A = 'x' } E.A", "x"],
    ["may be declared away", "declare enum E { A }\ntypeof E", "undefined"],
    ["span lines with comments", "enum E {\n  // first\n  A = 1, // one\n  /* second */ B,\n}\nE.B", 2],
    ["stand in functions", "function f() { enum E { A = 3 } return E.A } f()", 3],
    ["may be empty", "enum E {} Object.keys(E).length", 0],
    ["see a shorthand member", "enum E { A = 2, B = ((o) => o.A)({ A }) } E.B", 2],
    ["can have values in brackets", "enum E { A = (1 + 2), B = (A) } E.B", 3],
  ],
  "statements stay apart": [
    ["after a cast, before a bracket", "const f = (x: any) => x\nconst a = f as any\n(1)\na === f", true],
    ["after a cast, before an array", "let x: any = [1, 2]\nlet y = x as any\n[0].length\ny.length", 2],
    ["after a cast, before a template", "const s = 'a' as string\n`b`.length\ns", "a"],
    ["around an alias", "const a = 'x'\ntype T = string\n;(1)\na", "x"],
    ["around an alias without semicolons", "const a = 'x'\ntype T = string\n[1].length\na", "x"],
    ["around an interface", "const a = 'x'\ninterface T {}\n(1)\na", "x"],
    ["in classes, before a computed field", "const k = 'b'; class A {\n a = 'x' as any\n [k] = 2\n}\nnew A().b", 2],
    [
      "in classes, where a modifier was",
      "const k = 'b'; class A {\n a = 'x'\n private [k] = 2\n}\n(new A() as any).b",
      2,
    ],
    ["in classes, before a generator", "class A {\n a = 1\n public *g() { yield 1 }\n}\n[...new A().g()]", [1]],
    ["in classes, after a field called get", "class A {\n get: number\n foo() { return 1 }\n}\nnew A().foo()", 1],
    [
      "in classes, around an abstract member",
      "abstract class A {\n a = 1\n abstract b: number\n ['c'] = 2\n}\nnew (A as any)().c",
      2,
    ],
    ["in a returned cast", "const f = (x: any) => {\n return x as any\n (2)\n}\nf(1)", 1],
    ["when a cast ends a loop's only statement", "let n: any = 0; for (const x of [1, 2]) n = x as any\nn", 2],
    ["when generics of an arrow function span lines", "const f = () => {\n return <T,\n U>(x: T) => x\n}\nf()(1)", 1],
    ["when generics of an async arrow function span lines", "const f = async <\n  T,\n>(x: T) => x\nawait f(2)", 2],
    ["when a result type spans lines", "const f = (x: number): {\n  a: number\n} => ({ a: x })\nf(1).a", 1],
    [
      "when a result type without parameters spans lines",
      "const f = async (): Promise<\n number\n> => 1\nawait f()",
      1,
    ],
    ["when an angle cast spans lines", "const f = (x: any) => {\n return <\n any>x\n}\nf(1)", 1],
    ["where a cast ended an operand", "const x: any = 2; 1 + x as number * 3", 9],
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
