import { describe, expect, it } from "vitest";
import type { CellAnswer, CellError } from "../../src/contract/cell.ts";
import { effects } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { get, runCells, submit } from "../support/runs.ts";

/** Whatever a cell did, one in another session computes and calls as ever. */
async function expectUnharmed(): Promise<void> {
  const { answers } = await runCells(["const a = new Map([[1, await tools.test.read({ label: 'well' })]]); a.get(1)"]);
  expect(answers).toEqual([{ value: "well", variables: [expect.objectContaining({ name: "a" })] }]);
}

type Row = [trick: string, cells: string[], last: { value: string } | (Partial<CellError> & { message: string })];

const isInert = (rows: Row[]): void => {
  it.each(rows)("%s", async (_, cells, last) => {
    const { run, answers } = await runCells(cells);
    expect(run).toMatchObject({ status: "succeeded", result: "end" });
    const answer = answers.at(-1);
    if ("value" in last) expect(answer?.error ?? answer?.value).toBe(last.value);
    else expect(answer?.error).toMatchObject({ ...last, message: expect.stringContaining(last.message) });
    await expectUnharmed();
  });
};

describe("K3: there is no way out but the desk", () => {
  const refused = { kind: "thrown" as const, message: "not permitted to access the internet" };
  isInert([
    ["fetch", ["await fetch('http://127.0.0.1:1/')"], refused],
    ["fetch of data that needs no network", ["await (await fetch('data:text/plain,hi')).text()"], { value: "hi" }],
    ["WebSocket", ["new WebSocket('ws://127.0.0.1:1/')"], refused],
    [
      "a beacon",
      ["navigator.sendBeacon('http://127.0.0.1:1/', 'x'); await tools.test.read({ label: 'sent' })"],
      { value: "sent" },
    ],
    [
      "sockets by import",
      ["const { connect } = await import('cloudflare:sockets')"],
      { kind: "forbidden", message: "import" },
    ],
    [
      "sockets by a static import",
      ["import { connect } from 'cloudflare:sockets'"],
      { kind: "forbidden", message: "import" },
    ],
    [
      "caches, process, EventSource",
      ["[typeof caches, typeof process, typeof EventSource, typeof require, typeof Cloudflare, typeof module]"],
      { value: '["undefined", "undefined", "undefined", "undefined", "undefined", "undefined"]' },
    ],
    [
      "what hides on the prototype of the global object",
      [
        "const g = Object.getPrototypeOf(globalThis); [g.process, g.EventSource, g.setInterval === setInterval, g.caches]",
      ],
      { value: "[undefined, undefined, true, undefined]" },
    ],
    [
      "eval by another name",
      ["const e = globalThis['ev' + 'al']; e('1')"],
      { kind: "thrown", message: "Code generation from strings" },
    ],
    [
      "constructor.constructor",
      ["[].constructor.constructor('return 1')()"],
      { kind: "thrown", message: "Code generation from strings" },
    ],
    [
      "the constructor of async generators",
      ["(async function* () {}).constructor('yield 1')"],
      { kind: "thrown", message: "Code generation from strings" },
    ],
    [
      "a timer that is given text",
      ["setTimeout('globalThis.x = 1', 0)"],
      { kind: "thrown", message: "takes a function" },
    ],
    [
      "WebAssembly",
      ["new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]))"],
      { kind: "thrown", message: "disallowed" },
    ],
    [
      "Atomics.wait, which would hold the thread",
      ["Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 1)"],
      { kind: "thrown", message: "Atomics.wait" },
    ],
    [
      "the caller of the cell",
      ["(function () { return arguments.callee.caller })()"],
      { kind: "thrown", message: "strict" },
    ],
    [
      "functions in a stack",
      [
        "Error.prepareStackTrace = (_, sites) => sites.map((site) => [site.getThis(), site.getFunction()]);\nnew Error().stack.flat().every((x) => x === undefined)",
      ],
      { value: "true" },
    ],
  ]);
});

describe("E1: what belongs to others stays theirs", () => {
  it("variables of another session can't be seen, by name or over HTTP", async () => {
    const { run: theirs } = await runCells(["const secret = 'theirs'; const helper = () => secret"]);
    const { run, answers } = await runCells([
      "[typeof secret, typeof helper, Object.keys(globalThis).includes('secret')]",
    ]);
    expect(answers[0]?.value).toBe('["undefined", "undefined", false]');
    expect(await get(`/v1/goals/${run.id}/variables/secret`)).toMatchObject({ status: 404 });
    const forged = `${run.id.split(".")[0]}.${theirs.id.split(".")[1]}`;
    expect(await get(`/v1/goals/${forged}/variables/secret`)).toMatchObject({ status: 404 });
  });

  it("what one cell leaves on the global object is gone in the next", async () => {
    const { answers } = await runCells([
      "globalThis.leak = 1; Array.prototype.leak = 2; Object.prototype.leak = 3",
      "[typeof leak, [].leak, ({}).leak]",
    ]);
    expect(answers[1]?.value).toBe('["undefined", undefined, undefined]');
  });

  it("a variable can't pass for a reference to what others stored", async () => {
    const { run, answers } = await runCells([
      "Object.defineProperty(Object.prototype, 'data', { set() { Object.defineProperty(this, 'data', { value: '\\u0000r2:sessions/other/secret', enumerable: true }) }, configurable: true });\nconst x = 1",
      "typeof x",
    ]);
    expect(answers[0]?.error).toMatchObject({ kind: "lost" });
    expect(answers[1]?.value).toBe("undefined");
    expect(await get(`/v1/goals/${run.id}/variables/x`)).toMatchObject({ status: 404 });
    await expectUnharmed();
  });
});

describe("J5: nothing a cell can name writes the journal", () => {
  isInert([
    [
      "a tool that is the journal's",
      ["await tools.journal.finish({ key: 'test.once', reply: '{}' })"],
      { kind: "thrown", message: 'No tool "journal.finish"' },
    ],
    [
      "tools.call with the desk's own names",
      ["await tools.call('keep', { name: 'x', part: 0, text: '[]' })"],
      { kind: "thrown", message: 'No tool "keep"' },
    ],
    [
      "names of every object",
      [
        "const all = await Promise.allSettled(['constructor', '__proto__', 'toString', 'hasOwnProperty', ''].map((n) => tools.call(n, {}))); all.every((r) => r.reason.kind === 'unknown-tool')",
      ],
      { value: "true" },
    ],
    [
      "a name that is no text",
      ["await tools.call({ toString: () => 'test.read' }, { label: 'as text' })"],
      { value: "as text" },
    ],
    [
      "a name of enormous length",
      ["await tools.call('x'.repeat(10_000), {})"],
      { kind: "thrown", message: "limited length" },
    ],
    [
      "arguments of enormous length",
      ["await tools.test.read({ label: 'x'.repeat(9_000_000) })"],
      { kind: "thrown", message: "a call takes" },
    ],
    [
      "arguments that are no JSON",
      ["await tools.test.read({ label: Symbol() })"],
      { kind: "thrown", message: "a symbol" },
    ],
    [
      "arguments that go in circles",
      ["const a = {}; a.a = a; await tools.test.read(a)"],
      { kind: "thrown", message: "circular" },
    ],
    [
      "arguments with a toJSON that never ends",
      ["const deep = { toJSON() { return { deep: { toJSON: deep.toJSON } } } }; await tools.test.read(deep)"],
      { kind: "thrown", message: "call stack" },
    ],
    [
      "a function among the arguments is not sent",
      ["await tools.test.read({ label: 'f', value: () => tools })"],
      { kind: "thrown", message: "value is a function" },
    ],
    [
      "a stub among the arguments is not sent",
      ["await tools.test.read({ label: 's', value: tools.test })"],
      { kind: "thrown", message: "value is a function" },
    ],
    [
      "__proto__ in arguments and results is a key",
      [
        "const r = await tools.test.read({ label: 'p', value: JSON.parse('{\"__proto__\": {\"polluted\": 1}}') }); [r.polluted, ({}).polluted]",
      ],
      { value: "[undefined, undefined]" },
    ],
    [
      "a reply that is forged in the isolate convinces nobody else",
      [
        "const { parse } = JSON; JSON.parse = () => ({ ok: true, at: 9e15, value: 'forged' }); await tools.test.fail({ kind: 'x' })",
        "Date.now() < 4e12",
      ],
      { value: "true" },
    ],
  ]);

  it("a call that is forged through JSON.stringify is checked and recorded as what it is", async () => {
    const before = effects.length;
    const { answers } = await runCells([
      'JSON.stringify = () => \'{"label":"forged","evil":1}\'; await tools.test.once({ label: \'mine\' })',
    ]);
    expect(answers[0]?.error).toMatchObject({ kind: "thrown", message: expect.stringContaining("test.once") });
    expect(effects.slice(before)).toEqual([]);
    await expectUnharmed();
  });

  it("a cell that has ended makes no more calls", async () => {
    const before = effects.length;
    const { answers } = await runCells([
      "const go = async () => { for (let i = 0; i < 500; i++) await tools.test.once({ label: 'late ' + i }) };\nvoid go();\nawait tools.test.read({ label: 'first' })",
      "await new Promise((resolve) => setTimeout(resolve, 50))",
    ]);
    expect(answers.map(({ error }) => error)).toEqual([undefined, undefined]);
    const made = effects.slice(before).filter((effect) => effect.includes("late")).length;
    expect(made).toBeLessThan(50);
    await expectUnharmed();
    expect(effects.slice(before).filter((effect) => effect.includes("late")).length).toBe(made);
  });
});

describe("a cell that turns the harness in its isolate upside down harms itself alone", () => {
  // Each is one statement; then the cell computes 1 + 2, logs, declares a variable and calls a tool.
  it.each([
    "JSON.stringify = () => '[]'",
    "JSON.parse = () => { throw 1 }",
    "globalThis.JSON = null",
    "Promise.prototype.then = () => {}",
    "Promise.all = Promise.allSettled = Promise.race = () => { throw 1 }",
    "globalThis.Promise = null",
    "Array.prototype.push = Array.prototype.map = null",
    "Array.prototype.push = function () { return 0 }",
    "Array.prototype[Symbol.iterator] = function* () { yield 'evil' }",
    "Object.keys = Object.entries = () => ['evil']",
    "Object.defineProperty = Object.getPrototypeOf = () => { throw 1 }",
    "Object.prototype.toJSON = () => 'evil'",
    "Object.prototype.then = () => {}",
    "Object.prototype.value = Object.prototype.done = '[42,[]]'",
    "Object.prototype.error = { kind: 'hung', name: 'x', message: 'y', stack: '' }",
    "Object.prototype.kind = 'hung'",
    "Object.prototype.parts = 1",
    "Object.defineProperty(Object.prototype, 'saved', { get() { throw 1 } })",
    "Object.defineProperty(Object.prototype, 'name', { set() { throw 1 }, get() { return {} } })",
    "Object.defineProperty(Object.prototype, '0', { set() { throw 1 } })",
    "Function.prototype.toString = () => 'while (true) {}'",
    "Function.prototype.call = Function.prototype.apply = () => 'evil'",
    "Map.prototype.get = Map.prototype.set = () => 'evil'",
    "Set.prototype.add = null",
    "String.prototype.slice = () => 'x'.repeat(1e6)",
    "RegExp.prototype.test = RegExp.prototype.exec = () => true",
    "Reflect.apply = Reflect.construct = () => ({})",
    "globalThis.Symbol = globalThis.Proxy = globalThis.Reflect = null",
    "globalThis.Error = globalThis.Date = globalThis.Map = null",
    "globalThis.console = { log() { throw 1 } }",
    "delete globalThis.Object",
    "Object.freeze(Object.prototype); Object.freeze(globalThis)",
    "for (const name of Object.getOwnPropertyNames(globalThis)) try { globalThis[name] = undefined } catch {}",
    "Error.prepareStackTrace = () => { throw 1 }",
    "Error.stackTraceLimit = Infinity",
    "Number.isFinite = Object.is = () => false",
    "Object.setPrototypeOf(Array.prototype, null)",
  ])("%s", async (patch) => {
    const { run, answers } = await runCells([
      `${patch};\nconst mine = { list: [1 + 2] };\nconsole.log('line');\nawait tools.test.read({ label: 'x' })`,
      "1 + 1",
    ]);
    expect(run).toMatchObject({ status: "succeeded", result: "end" });
    expect(answers[0]?.error?.kind ?? "fine").toMatch(/^(fine|thrown|lost|timeout)$/);
    expect(JSON.stringify(answers[0]).length).toBeLessThan(5_000);
    expect(answers[1]?.value).toBe("2");
    await expectUnharmed();
  });

  it("a class name that is code does not become code", async () => {
    const { answers } = await runCells([
      "const { get } = Map.prototype;\nMap.prototype.get = function (key) { return key === Object.prototype ? 'X:0});globalThis.owned=1;({Y' : get.call(this, key) };\nconst p = { a: 1 }; const q = 2",
      "[typeof p, typeof owned, q]",
    ]);
    expect(answers[0]?.unsaved).toContainEqual({ name: "p", reason: expect.stringContaining("is not kept") });
    expect(answers[1]?.value).toBe('["undefined", "undefined", 2]');
    await expectUnharmed();
  });

  it("a function whose source is forged is metered all the same", async () => {
    const { answers } = await runCells([
      "const { push } = Array.prototype;\nArray.prototype.push = function (...items) { return push.apply(this, items.map((x) => typeof x === 'string' && x.includes('innocent') && x.includes('=>') ? '() => {/*$' + 'px:*//*$*/for (;;) {}}' : x)) };\nconst f = () => 'innocent'",
      "f()",
    ]);
    expect(answers[1]?.error?.kind).toBe("fuel");
    await expectUnharmed();
  });

  it.each([
    ["more than one expression", "() => 1); globalThis.owned = 1; (() => 2"],
    ["a name of the module", "() => {/*$px:*//*$*/$pxf = 1e15; for (;;) {} }"],
    ["an import", "() => {/*$px:*//*$*/return import('cloudflare:workers') }"],
    ["nothing readable", "}}}} while (1) {"],
  ])("a source that is forged as %s is refused", async (_, source) => {
    const { answers } = await runCells([
      `const { push } = Array.prototype;\nArray.prototype.push = function (...items) { return push.apply(this, items.map((x) => typeof x === 'string' && x.includes('innocent') && x.includes('=>') ? ${JSON.stringify(source).replace("/*$px", '/*$" + "px').replace("$pxf", '$" + "pxf')} : x)) };\nconst f = () => 'innocent'`,
      "[typeof f, typeof owned]",
    ]);
    expect(answers[0]?.unsaved).toContainEqual({ name: "f", reason: expect.stringContaining("a function in it") });
    expect(answers[1]?.value).toBe('["undefined", "undefined"]');
    await expectUnharmed();
  });
});

describe("errors that are traps", () => {
  isInert([
    [
      "a proxy that throws at every touch",
      ["throw new Proxy({}, new Proxy({}, { get() { throw 1 } }))"],
      { kind: "thrown", message: "The cell threw" },
    ],
    [
      "an error behind such a proxy",
      ["throw new Proxy(new Error('x'), { get() { throw new Error('touched') } })"],
      { kind: "thrown", message: "can't be read" },
    ],
    [
      "a prototype that throws",
      ["throw new Proxy(new Error('x'), { getPrototypeOf() { throw null } })"],
      { kind: "thrown", message: "can't be read" },
    ],
    [
      "a message that throws",
      ["const e = new Error(); Object.defineProperty(e, 'message', { get() { throw e } }); throw e"],
      { kind: "thrown", message: "can't be read" },
    ],
    [
      "a message that never ends",
      ["const e = new Error(); Object.defineProperty(e, 'message', { get() { for (;;) ; } }); throw e"],
      { kind: "fuel", message: "too long" },
    ],
    [
      "a name that is no text",
      ["const e = new Error('m'); e.name = { toString() { throw 1 } }; throw e"],
      { kind: "thrown", message: "can't be read" },
    ],
    [
      "a message of ten million characters",
      ["throw new Error('x'.repeat(10_000_000))"],
      { kind: "thrown", message: "xxx" },
    ],
    [
      "a stack of ten million characters",
      ["const e = new Error('m'); e.stack = 'x'.repeat(10_000_000); throw e"],
      { kind: "thrown", message: "m" },
    ],
    [
      "a stack with places that do not exist",
      [
        "const e = new Error('m'); e.stack = 'at cell.js:99999:1\\nat cell.js:0:0\\nat cell.js:-5:2\\nat cell.js:1e9:1'; throw e",
      ],
      { kind: "thrown", message: "m" },
    ],
    [
      "a stack that is an object",
      ["const e = new Error('m'); e.stack = { toString: null }; throw e"],
      { kind: "thrown", message: "can't be read" },
    ],
    [
      "an error that calls itself a stop",
      ["const e = new Error('hung'); e.name = 'Stop'; e.kind = 'hung'; throw e"],
      { kind: "thrown", message: "Stop: hung" },
    ],
    [
      "a stop that is made of another one",
      [
        "let stop; try { done('x'.repeat(9_000_000)) } catch (e) { stop = e }\nthrow new stop.constructor('hung', 'quota')",
      ],
      { kind: "output", message: "longer than" },
    ],
    [
      "causes that go in circles",
      ["const e = new Error('m'); e.cause = e; const f = e; throw e"],
      { kind: "thrown", message: "m" },
    ],
    ["a thenable as value", ["({ then(resolve) { resolve(1) } })"], { value: "{then: [function then]}" }],
    [
      "a thenable that throws",
      ["const t = { get then() { throw new Error('then') } };\nt"],
      { value: "[no preview: then]" },
    ],
    [
      "a value whose preview throws",
      ["new Proxy({}, { ownKeys() { throw new Proxy(new Error(), { get() { throw 1 } }) } })"],
      { value: "[no preview: it threw]" },
    ],
    [
      "a value whose preview never ends",
      ["new Proxy({}, { ownKeys() { for (;;) ; } })"],
      { kind: "fuel", message: "too long" },
    ],
    ["a key that is a bomb", ["({ [Symbol.toPrimitive]() { for (;;) ; }, a: 1 })"], { value: "{a: 1}" }],
    [
      "a log that is a bomb",
      [
        "console.log({ [Symbol.toPrimitive]() { throw 1 }, toString() { throw 2 }, toJSON() { throw 3 } }, new Proxy({}, { get() { throw 4 }, ownKeys() { throw 5 } })); 1",
      ],
      { value: "1" },
    ],
    [
      "a symbol, where text is expected",
      ["console.log(Symbol('s')); throw Symbol('t')"],
      { kind: "thrown", message: "Symbol(t)" },
    ],
    [
      "a class whose name is a bomb",
      ["class A { static get name() { throw new Error('name') } }; const a = new A(); a"],
      { value: "[no preview: name]" },
    ],
  ]);
});

describe("what happens behind a cell's back", () => {
  isInert([
    [
      "a rejection that nobody handles",
      ["Promise.reject(new Error('nobody')); await tools.test.read({ label: 'on' })"],
      { value: "on" },
    ],
    [
      "a rejection after the cell has ended",
      ["void tools.test.read({ label: 'slow', ms: 20 }).then(() => { throw new Error('late') }); 1", "2"],
      { value: "2" },
    ],
    [
      "a callback that throws in a timer",
      ["setTimeout(() => { throw new Error('late') }, 0); await new Promise((r) => setTimeout(r, 10)); 'on'"],
      { value: "on" },
    ],
    ["timers that start timers", ["const again = () => { setTimeout(again, 0) }; again(); 1", "2"], { value: "2" }],
    ["a timer for a thousand years", ["setTimeout(() => {}, 3e13); 1"], { value: "1" }],
    [
      "odd delays",
      [
        "await Promise.all([NaN, -1, '5', null, undefined, {}].map((ms) => new Promise((r) => setTimeout(r, ms)))); 'all'",
      ],
      { value: "all" },
    ],
    ["finalizers", ["new FinalizationRegistry(() => { throw 1 }).register({}, 1); new WeakRef({}); 1"], { value: "1" }],
    [
      "a listener for errors",
      ["addEventListener('unhandledrejection', (e) => { e.preventDefault(); for (;;) ; }); Promise.reject(1); 1"],
      { value: "1" },
    ],
    ["reportError", ["reportError(new Error('x')); 1"], { value: "1" }],
    [
      "a stream that never ends",
      ["const s = new ReadableStream({ pull(c) { c.enqueue(new Uint8Array(10)) } }); for await (const x of s) ;"],
      { kind: "fuel", message: "" },
    ],
    [
      "a microtask that never lets go",
      ["const spin = () => queueMicrotask(spin); spin(); await 0; await new Promise(() => {})"],
      { kind: "fuel", message: "" },
    ],
  ]);
});

describe("done()", () => {
  it.each<[what: string, cell: string, result: unknown]>([
    [
      "keeps keys that are __proto__ or constructor",
      'done(JSON.parse(\'{"__proto__": 1, "constructor": 2}\'))',
      JSON.parse('{"__proto__": 1, "constructor": 2}'),
    ],
    ["shows cycles and depth as text", "const a = { b: [] }; a.b.push(a); done(a)", { b: ["[circular]"] }],
    ["takes instances as data", "class P { x = 1; #y = 2 }; done([new P()])", [{ x: 1 }]],
    ["bounds what doubles", "let v = ['x']; for (let i = 0; i < 50; i++) v = [v, v]; done(v)", "[too large]"],
    ["bounds what is all holes", "const v = []; v.length = 4e9; done(v)", "[too large]"],
    ["reads getters once", "let n = 0; done({ get x() { return ++n } })", { x: 1 }],
    ["takes undefined", "done()", null],
  ])("%s", async (_, code, result) => {
    expect(await submit(scripted("done", [{ code }]))).toMatchObject({ status: "succeeded", result });
  });

  it.each<[what: string, patch: string]>([
    ["by a polluted prototype", "Object.prototype.done = '[42,[]]'"],
    ["by JSON.stringify", "JSON.stringify = () => 'no JSON at all'"],
    ["by toJSON", "Array.prototype.toJSON = () => 'evil'"],
  ])("can't be forged %s into something the server can't read", async (_, patch) => {
    const run = await submit(scripted("forge", [{ code: `${patch}; done({ fine: true })` }, { text: "end" }]));
    expect([{ fine: true }, "end"]).toContainEqual(run.result);
    await expectUnharmed();
  });
});

describe("GET …/variables/:name of what a cell forged", () => {
  it.each([
    ["no JSON", "[not JSON"],
    ["rows of no kind", '[["@",0],[["?"]]]'],
    ["a class that is not there", '[["@",0],[["I","constructor"]]]'],
    ["a view of nothing", '[["@",0],[["V","Uint8Array",5,0,9]]]'],
    ["a length of no list", '[["@",0],[["H",-1]]]'],
    ["an expression that is none", '[["@",0],[["R","(",""]]]'],
    ["a URL that is none", '[["@",0],[["L","::"]]]'],
    ["a function by a name", '[["@",0],[["F","constructor","x",null]]]'],
  ])("%s is an answer, not a failure", async (_, data) => {
    const { run } = await runCells([
      `Object.defineProperty(Object.prototype, 'data', { set() { Object.defineProperty(this, 'data', { value: ${JSON.stringify(data)}, enumerable: true }) }, configurable: true });\nconst x = 1`,
    ]);
    const shown = await get<{ value: unknown; status?: number }>(`/v1/goals/${run.id}/variables/x`);
    expect(shown.status ?? shown.value).toBe("[unreadable]");
    await expectUnharmed();
  });

  it("a cell that loads it fails, and defining it again mends it", async () => {
    const { answers } = await runCells([
      "Object.defineProperty(Object.prototype, 'data', { set() { Object.defineProperty(this, 'data', { value: '[broken', enumerable: true }) }, configurable: true });\nconst x = 1",
      "x",
      "const x = 2",
      "x",
    ]);
    expect(answers.map((answer: CellAnswer) => answer.error?.kind ?? answer.value)).toEqual([
      undefined,
      "thrown",
      undefined,
      "2",
    ]);
  });
});
