import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { get, runCells } from "../support/runs.ts";

describe("a value is in the next cell what it was in the last", () => {
  // Each is made in one cell as `v`, and the test of the next one is true.
  it.each<[value: string, make: string, test: string]>([
    ["undefined", "let v = undefined", "v === undefined"],
    ["null", "const v = null", "v === null"],
    ["NaN", "const v = NaN", "Number.isNaN(v)"],
    ["-0", "const v = -0", "Object.is(v, -0)"],
    ["Infinity", "const v = [Infinity, -Infinity]", "v[0] === Infinity && v[1] === -Infinity"],
    [
      "a number with all its digits",
      "const v = [0.1 + 0.2, Number.MAX_SAFE_INTEGER, 5e-324]",
      "v[0] === 0.1 + 0.2 && v[1] === 9007199254740991 && v[2] === 5e-324",
    ],
    ["a BigInt", "const v = -123456789012345678901234567890n", "v === -123456789012345678901234567890n"],
    ["an empty text", "const v = ''", "v === ''"],
    [
      "text with NUL, quotes, emoji and lone surrogates",
      "const v = '\\0\"\\\\ \\u{1F600} \\uD800 \\u2028'",
      "v === '\\0\"\\\\ \\u{1F600} \\uD800 \\u2028'",
    ],
    [
      "text that looks like the codec's own",
      `const v = '["@",0]'; const w = [["@", 0], ["u"], "\\u0000r2:x"]`,
      `v === '["@",0]' && w[0][0] === "@" && w[1][0] === "u" && w[2] === "\\u0000r2:x"`,
    ],
    ["a registered symbol", "const v = Symbol.for('px')", "v === Symbol.for('px')"],
    [
      "a Map with keys of all kinds, in order",
      "const k = {}; const v = new Map([[k, 1], [NaN, 2], ['a', k], [1n, 3]])",
      "[...v.keys()][0] === v.get('a') && v.get(NaN) === 2 && [...v.keys()][3] === 1n",
    ],
    [
      "a Map with a key that has no text",
      "const v = new Map([[Object.create(null), { a: 1 }]])",
      "[...v.values()][0].a === 1",
    ],
    ["a Set", "const v = new Set([3, 1, 3, 'x'])", "v.size === 3 && [...v].join() === '3,1,x'"],
    ["a Date", "const v = new Date('2024-02-29T12:00:00.123Z')", "v.toISOString() === '2024-02-29T12:00:00.123Z'"],
    ["an invalid Date", "const v = new Date(NaN)", "v instanceof Date && Number.isNaN(v.getTime())"],
    [
      "a RegExp with flags and position",
      "const v = /a(?<x>b)/giu; v.lastIndex = 3",
      "v.source === 'a(?<x>b)' && v.flags === 'giu' && v.lastIndex === 3",
    ],
    [
      "an ArrayBuffer",
      "const v = new Uint8Array([1, 2, 255]).buffer",
      "v instanceof ArrayBuffer && new Uint8Array(v)[2] === 255",
    ],
    [
      "typed arrays of all kinds",
      "const v = [new Int8Array([-1]), new Uint8ClampedArray([300]), new Int16Array([-2]), new Uint32Array([7]), new Float32Array([0.5]), new Float64Array([Math.PI]), new BigInt64Array([-5n])]",
      "v.map((a) => a.constructor.name + a[0]).join() === 'Int8Array-1,Uint8ClampedArray255,Int16Array-2,Uint32Array7,Float32Array0.5,Float64Array3.141592653589793,BigInt64Array-5'",
    ],
    [
      "two views of one buffer",
      "const b = new ArrayBuffer(8); const v = { all: new Uint8Array(b), part: new Uint16Array(b, 2, 2), data: new DataView(b, 4) }",
      "(v.part[0] = 258, v.all[2] === 2 && v.all[3] === 1 && v.part.buffer === v.all.buffer && v.part.length === 2 && v.data.byteOffset === 4)",
    ],
    ["a cycle through an object", "const v = { a: {} }; v.a.up = v", "v.a.up === v"],
    [
      "a cycle through a list, a Map and a Set",
      "const v = []; v.push(new Map([['set', new Set([v])]]))",
      "v[0].get('set').has(v)",
    ],
    ["one object in two places", "const s = {}; const v = [s, s, {}]", "v[0] === v[1] && v[0] !== v[2]"],
    ["a list with holes", "const v = [1, , 3, ,]", "v.length === 4 && !(1 in v) && !(3 in v) && v[2] === 3"],
    [
      "a list with a hole and a name",
      "const v = [1, , 3]; v.note = 'n'",
      "!(1 in v) && v.note === 'n' && v.length === 3",
    ],
    ["an empty list of some length", "const v = new Array(5)", "v.length === 5 && Object.keys(v).length === 0"],
    [
      "an object without a prototype",
      "const v = Object.create(null); v.a = 1",
      "Object.getPrototypeOf(v) === null && v.a === 1",
    ],
    [
      "keys in their order, odd ones too",
      "const v = { b: 1, 2: 2, a: 3, '': 4, 'x y': 5 }",
      "JSON.stringify(Object.keys(v)) === JSON.stringify(['2', 'b', 'a', '', 'x y'])",
    ],
    [
      "a key that is __proto__",
      'const v = JSON.parse(\'{"__proto__": {"x": 1}, "constructor": 2}\')',
      "Object.hasOwn(v, '__proto__') && v.x === undefined && v.constructor === 2",
    ],
    [
      "errors with their names, causes and extras",
      "const v = new RangeError('far', { cause: new Error('root') }); v.code = 7",
      "v instanceof RangeError && v.message === 'far' && v.cause.message === 'root' && v.code === 7 && typeof v.stack === 'string' && Object.keys(v).join() === 'code'",
    ],
    [
      "an AggregateError",
      "const v = new AggregateError([new Error('a')], 'all')",
      "v.message === 'all' && v.errors[0].message === 'a' && v.name === 'AggregateError'",
    ],
    [
      "a tool's error",
      "const v = await tools.test.fail({ kind: 'odd' }).catch((e) => e)",
      "v instanceof Error && v.kind === 'odd' && v.data.kind === 'odd'",
    ],
    [
      "a DOMException, as an error",
      "const v = new DOMException('gone', 'AbortError')",
      "v.name === 'AbortError' && v.message === 'gone'",
    ],
    [
      "a URL and its parameters",
      "const v = [new URL('http://h/p?a=1#x'), new URLSearchParams('q=a+b')]",
      "v[0].hash === '#x' && v[1].get('q') === 'a b'",
    ],
    [
      "boxed primitives",
      "const v = [new Number(NaN), new String('s'), new Boolean(false)]",
      "Number.isNaN(v[0].valueOf()) && v[1] instanceof String && v[1] == 's' && v[2].valueOf() === false",
    ],
    [
      "functions in objects, lists and Maps",
      "const v = { f: (x) => x + 1, list: [function two() { return 2 }], m: new Map([['g', async () => 3]]), meth() { return this.f(1) } }",
      "v.f(1) === 2 && v.list[0]() === 2 && (await v.m.get('g')()) === 3 && v.meth() === 2",
    ],
    ["one function in two places", "const g = () => 1; const v = [g, g]", "v[0] === v[1]"],
    [
      "a getter, as its value",
      "const v = { get x() { return 5 } }",
      "Object.getOwnPropertyDescriptor(v, 'x').value === 5",
    ],
    [
      "a nesting of 10,000",
      "let v = null; for (let i = 0; i < 10_000; i++) v = { v }",
      "(() => { let n = 0; for (let x = v; x; x = x.v) n++; return n === 10_000 })()",
    ],
    [
      "a list of 100,000 objects",
      "const v = Array.from({ length: 100_000 }, (_, i) => ({ i, s: 'row ' + i }))",
      "v.length === 100_000 && v[99_999].s === 'row 99999'",
    ],
    [
      "a text of 5 million characters",
      "const v = 'é☂'.repeat(2_500_000)",
      "v.length === 5_000_000 && v.endsWith('é☂')",
    ],
    [
      "a text of 12 million characters",
      "const v = 'abc'.repeat(4_000_000)",
      "v.length === 12_000_000 && v.slice(-4) === 'cabc'",
    ],
    ["bytes of 6 MB", "const v = new Uint8Array(6_000_000).fill(7)", "v.length === 6_000_000 && v[5_999_999] === 7"],
  ])("%s", async (_, make, test) => {
    const { answers } = await runCells([make, test]);
    expect(answers.flatMap(({ error, unsaved }) => [error, unsaved]).filter(Boolean)).toEqual([]);
    expect(answers[1]?.value).toBe("true");
  });

  it("also when it is only read: nothing is stored again", async () => {
    const make =
      "const v = { m: new Map([[1, new Date(5)]]), f: (x) => x, e: new Error('x'), h: [, 1], n: -0 }; class P { x = 1 }; const p = new P()";
    const { answers } = await runCells([make, "v; p; P; 1", "v.n = 1; p.x; 2"]);
    expect(answers.map(({ variables }) => variables?.map(({ name }) => name))).toEqual([
      ["v", "P", "p"],
      undefined,
      ["v"],
    ]);
  });

  it("many large ones at once come and go in parts, and the largest lie in R2", async () => {
    const names = ["a", "b", "c", "d", "e", "f"];
    const { run, answers } = await runCells([
      names.map((name) => `const ${name} = '${name}'.repeat(3_500_000)`).join(";"),
      `[${names.join()}].map((s) => s[0] + s.length).join()`,
      "const big = a + b",
    ]);
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined, undefined]);
    expect(answers[1]?.value).toBe(names.map((name) => `${name}3500000`).join());
    expect(await get(`/v1/goals/${run.id}/variables`)).toMatchObject({
      items: expect.arrayContaining([
        expect.objectContaining({ name: "big", size: expect.toSatisfy((n: number) => n > 7e6) }),
      ]),
    });
    const { objects } = await env.BUCKET.list();
    expect(objects.some(({ size }) => size > 7_000_000)).toBe(true);
  });
});

describe("K4: what can't be stored is named with the reason, and the rest is kept", () => {
  it.each<[what: string, make: string, reason: string]>([
    ["a Promise", "const bad = Promise.resolve(1)", "a Promise can't be stored: await it"],
    ["a WeakMap", "const bad = new WeakMap()", "a WeakMap can't be stored"],
    ["a WeakRef", "const bad = { deep: [new WeakRef({})] }", "a WeakRef can't be stored (at .deep[0])"],
    ["a symbol", "const bad = { s: Symbol('mine') }", "a symbol can't be stored (at .s)"],
    [
      "a closure over a local",
      "function outer() { const secret = 1; return () => secret }\nconst bad = outer()",
      'closes over the local "secret"',
    ],
    [
      "a closure over a parameter, deep in a value",
      "const make = (n) => ({ add: (x) => x + n });\nconst bad = make(5)",
      'closes over the local "n"',
    ],
    [
      "a bound function",
      "const bad = function () { return this.x }.bind({ x: 1 })",
      "a native or bound function can't be stored",
    ],
    ["a native function", "const bad = { log: Math.max }", "a native or bound function can't be stored (at .log)"],
    ["the tools", "const bad = tools", "a native or bound function can't be stored"],
    ["one tool", "const bad = { t: tools.test.read }", "a native or bound function can't be stored (at .t)"],
    ["a generator object", "const bad = (function* () { yield 1 })()", "a Generator can't be stored"],
    ["an iterator", "const bad = [1].values()", "can't be stored"],
    [
      "an instance with private fields",
      "class Secret { #x = 1; get x() { return this.#x } }\nconst bad = new Secret()",
      "private fields",
    ],
    [
      "an instance of a class that is no variable",
      "const bad = (() => { class Local {} return new Local() })()",
      "a Local can't be stored",
    ],
    [
      "an instance of a class that closes over a local",
      "const make2 = (n) => class { get() { return n } };\nconst Klass = make2(1);\nconst bad = new Klass()",
      "its class Klass is not kept",
    ],
    [
      "an instance of a class that extends Map",
      "class M2 extends Map {}\nconst bad = new M2()",
      "which extends a built-in",
    ],
    ["a getter that throws", "const bad = { get x() { throw new Error('not now') } }", "not now"],
    [
      "a getter that never ends",
      "const deeper = () => ({ get next() { return deeper() } });\nconst bad = deeper()",
      "longer than",
    ],
    ["a text that is too long", "const bad = ['x'.repeat(2e7), 'y'.repeat(2e7)]", "longer than 33554432 characters"],
    ["a Response", "const bad = new Response('x')", "a Response can't be stored"],
    ["globalThis", "const bad = globalThis", "can't be stored"],
    ["a function that uses super of its object", "const bad = { f() { return super.toString() } }", "super"],
    [
      "a thousand and one functions",
      "const bad = []; for (let i = 0; i <= 1000; i++) bad.push(() => 1)",
      "1001 functions",
    ],
  ])("%s", async (_, make, reason) => {
    const { answers } = await runCells([
      `const good = new Map([[1, 2]]);\n${make};\nlet after = [3]`,
      "[good.get(1), after[0], typeof bad]",
    ]);
    expect(answers[0]?.error).toBeUndefined();
    expect(answers[0]?.unsaved).toContainEqual({ name: "bad", reason: expect.stringContaining(reason) });
    expect(answers[1]?.value).toBe('[2, 3, "undefined"]');
  });

  it("names of enormous length and paths of enormous depth are told in short", async () => {
    const { answers } = await runCells([
      `const ${"n".repeat(300)} = 1; const ok = 1; let bad = Symbol('x'); for (let i = 0; i < 5_000; i++) bad = { ['key' + i]: bad }`,
      "ok",
    ]);
    expect(answers[0]?.unsaved?.map(({ name, reason }) => [name.slice(0, 3), reason.slice(0, 30)])).toEqual([
      ["nnn", "its name is too long"],
      ["bad", "a symbol can't be stored (at …"],
    ]);
    expect(JSON.stringify(answers[0]).length).toBeLessThan(3_000);
    expect(answers[1]?.value).toBe("1");
  });

  it("a key of 10,000 characters is no obstacle", async () => {
    const { answers } = await runCells(["const o = { ['k'.repeat(10_000)]: 1 }", "Object.keys(o)[0].length"]);
    expect(answers[0]?.variables?.[0]?.fields?.[0]).toHaveLength(100);
    expect(answers[1]?.value).toBe("10000");
  });

  it("more variables than a cell may change: as many as fit are kept, and it is said", async () => {
    const names = Array.from({ length: 2_100 }, (_, i) => `v${i}=${i}`).join();
    const { run, answers } = await runCells([`let ${names}`, "[v0, v1999, typeof v2099]"]);
    expect(answers[0]?.unsaved).toContainEqual({ name: "v2000", reason: expect.stringContaining("2000 variables") });
    expect(answers[1]?.value).toBe('[0, 1999, "undefined"]');
    expect((await get<{ items: object[] }>(`/v1/goals/${run.id}/variables`)).items).toHaveLength(2_000);
  });
});
