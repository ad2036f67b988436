import { describe, expect, it } from "vitest";
import { OutOfFuel, runCell } from "./cell-host.ts";

const FUEL = 200_000;

const endless: [what: string, source: string][] = [
  ["while (true) {}", "while (true) {}"],
  ["while (true);", "while (true);"],
  ["do while", "do {} while (true)"],
  ["do while without braces", "let i = 0; do i++; while (true)"],
  ["for (;;) {}", "for (;;) {}"],
  ["for (;;) with the work in its head", "let n = 0; for (; n++, true; ) ;"],
  ["a loop over an endless generator", "function* g() { while (true) yield 1 } for (const x of g()) ;"],
  [
    "a loop over an endless iterator",
    "const it = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }; for (const x of it) ;",
  ],
  [
    "spreading an endless iterator",
    "const it = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) }; Math.max(...it)",
  ],
  ["awaiting for ever", "for (;;) await 0"],
  ["for await over an endless generator", "async function* g() { for (;;) yield 1 } for await (const x of g()) ;"],
  ["a loop that catches", "for (;;) { try { for (;;) {} } catch {} }"],
  ["a loop that goes on from finally", "for (;;) try { while (true); } finally { continue }"],
  ["a labelled loop that goes on", "outer: for (;;) { for (;;) continue outer }"],
  [
    "mutual recursion that swallows",
    "const a = () => { try { b() } catch {} finally { b() } }; const b = () => { try { a() } catch {} finally { a() } }; a()",
  ],
  ["recursion in brackets", "const f = () => (f(), f()); for (;;) try { f() } catch {}"],
  ["promises that follow each other", "const f = () => Promise.resolve().then(f); await f()"],
  ["async recursion", "const f = async () => { await 0; return f() }; await f()"],
  ["a comparator", "[2, 1].sort((a, b) => { while (true); })"],
  ["a callback", "[1].map(() => { for (;;) ; })"],
  ["callbacks of callbacks", "const a = [1]; const f = () => { a.forEach(f) }; for (;;) try { f() } catch {}"],
  ["a replacer", "'a'.replace(/a/, () => { for (;;); })"],
  ["a getter", "const o = { get x() { for (;;); } }; o.x"],
  ["a setter", "const o = { set x(v) { for (;;); } }; o.x = 1"],
  ["a getter of a class", "class A { static get x() { for (;;); } } A.x"],
  ["toString", "const o = { toString() { while (1); } }; `${o}`"],
  ["valueOf", "const o = { valueOf: () => { while (1); } }; o + 1"],
  ["toJSON", "JSON.stringify({ toJSON() { while (1); } })"],
  ["a proxy trap", "new Proxy({}, { get() { while (1); } }).x"],
  ["a constructor", "class A { constructor() { while (1); } } new A()"],
  ["a static block", "class A { static { while (1); } }"],
  ["a field", "class A { x = (() => { while (1); })() } new A()"],
  ["a default parameter", "const f = (a = (() => { while (1); })()) => a; f()"],
  ["a tagged template", "const t = () => { while (1); }; t`x`"],
  [
    "an iterator that never returns",
    "const it = { [Symbol.iterator]: () => ({ next: () => ({ done: true }), return() { while (1); } }) }; for (;;) for (const x of it) break",
  ],
  ["a thenable", "await { then(ok) { while (1); } }"],
  ["a loop with a type for its body", "while (true) type T = 1"],
  ["a loop with an enum in its body", "while (true) { enum E { A } }"],
  ["a loop in a parameter property's class", "class A { constructor(private x = 1) { for (;;); } } new A()"],
  ["classes that double the work", doubling()],
];

/** 40 classes without a loop or a function; the last makes 2 ** 40 objects. */
function doubling(): string {
  const classes = ["class A0 {}"];
  for (let n = 1; n <= 40; n++) classes.push(`class A${n} { a = new A${n - 1}(); b = new A${n - 1}() }`);
  return `${classes.join("\n")}\nnew A40()`;
}

describe("K2: a cell that does not end is stopped", () => {
  it.each(endless)("%s", async (_what, source) => {
    const ran = await runCell(source, { fuel: FUEL });
    expect(ran.error).toBeInstanceOf(OutOfFuel);
    expect(ran.fuelLeft).toBeLessThan(0);
  });
});

describe("what fuel is spent on", () => {
  const spent = async (source: string): Promise<number> => {
    const { fuelLeft, error } = await runCell(source, { fuel: FUEL });
    expect(error).toBeUndefined();
    return FUEL - fuelLeft;
  };

  it("is nothing in a cell without loops and calls", async () => {
    expect(await spent("const a = { b: [1] }; a.b[0]")).toBe(0);
  });

  it("is at least one per pass", async () => {
    expect(await spent("for (let i = 0; i < 1000; i++);")).toBeGreaterThanOrEqual(1000);
  });

  const dearer: [what: string, dear: string, cheap: string, factor: number][] = [
    ["an object", "({})", "0", 10],
    ["an array", "[]", "0", 10],
    ["a template", "`${i}`", "0", 10],
    ["a regular expression", "/a/", "0", 10],
    ["a function", "(() => 0)", "0", 10],
    ["await", "await 0", "[]", 2],
    ["a call", "Math.abs(1)", "i", 2],
    ["a long expression", "i + i * i - i / i + i * i + i + i * i - i / i + i * i", "i", 2],
  ];

  it.each(dearer)("is more for %s", async (_what, dear, cheap, factor) => {
    const loop = (body: string): string => `for (let i = 0; i < 100; i++) ${body};`;
    expect(await spent(loop(dear))).toBeGreaterThanOrEqual(factor * (await spent(loop(cheap))));
  });

  it("counts an inner loop by its own passes", async () => {
    const never = await spent("for (let i = 0; i < 100; i++) { for (;false;) { [{}, {}, {}, {}] } }");
    expect(never).toBeLessThan(500);
  });

  it("counts what a loop runs over once", async () => {
    const once = await spent("for (const x of [[1], [2], [3]].map(([x]) => [x])) x;");
    expect(once).toBeLessThan(150);
  });
});
