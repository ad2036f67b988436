import { SELF } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { CellErrorKind, CellView } from "../../src/contract/cell.ts";
import { DeskTarget } from "../../src/kernel/desk-target.ts";
import { cellApi } from "../../src/kernel/guest/api.ts";
import { Clock } from "../../src/kernel/guest/clock.ts";
import { Stopper } from "../../src/kernel/guest/stop.ts";
import { CELL_LIMITS } from "../../src/kernel/job.ts";
import { scripted } from "../support/goal-script.ts";
import { begin, get, runCells, submit, waitFor, waitForEnd } from "../support/runs.ts";

const MOST_MS = 2_000; // K2: a cell that does not stop is stopped by then

const isHealthy = async (): Promise<boolean> => {
  const at = Date.now();
  const response = await SELF.fetch("http://localhost/healthz");
  return response.status === 200 && Date.now() - at < MOST_MS;
};

/** Runs the cell, then an innocent one in the same kernel, and answers how the first one ended and how long it took. */
async function stopped(cell: string): Promise<{ kind: CellErrorKind | undefined; message: string; ms: number }> {
  const { run, answers } = await runCells([cell, "1 + 1"]);
  expect(await isHealthy()).toBe(true);
  expect(answers[1]).toEqual({ value: "2" });
  const { items } = await get<{ items: CellView[] }>(`/v1/goals/${run.id}/cells`);
  const [first] = items;
  const { kind, message = "" } = answers[0]?.error ?? {};
  return { kind, message, ms: Date.parse(first?.endedAt ?? "") - Date.parse(first?.startedAt ?? "") };
}

describe("K2: a cell that computes for ever is stopped in time, and the server goes on", () => {
  it.each<[loop: string, cell: string]>([
    ["an empty loop", "while (true) {}"],
    ["a loop without a block", "for (;;) ;"],
    ["do while", "do {} while (true)"],
    ["for of over a generator", "function* g() { for (;;) yield 1 }\nfor (const x of g()) ;"],
    ["a generator that is spread", "function* g() { let i = 0; for (;;) yield i++ }\n[...g()]"],
    ["an async generator", "async function* g() { for (;;) yield 1 }\nfor await (const x of g()) ;"],
    ["for (;;) await 0", "for (;;) await 0"],
    ["a chain of promises", "const next = () => Promise.resolve().then(next);\nawait next()"],
    ["recursion that doubles", "const f = (n) => n === 0 ? 1 : f(n - 1) + f(n - 1);\nf(100)"],
    [
      "mutual recursion",
      "const a = (n) => n === 0 ? 1 : b(n - 1) + b(n - 1);\nconst b = (n) => n === 0 ? 1 : a(n - 1) + a(n - 1);\na(100)",
    ],
    ["a sort comparator that never ends", "[3, 1, 2].sort(() => { for (;;) {} })"],
    [
      "a sort that is repeated",
      "const a = Array.from({ length: 20_000 }, (_, i) => (i * 7919) % 20_011);\nfor (;;) a.toSorted()",
    ],
    ["a getter that loops", "const o = { get x() { while (true) {} } };\no.x"],
    ["a setter, a proxy and a toString that loop", "const p = new Proxy({}, { get() { for (;;) {} } });\n`${p}`"],
    ["a Symbol.toPrimitive that never ends", "const o = { [Symbol.toPrimitive]() { for (;;) ; } };\n+o"],
    ["a callback of map", "[1].map(() => { for (;;) ; })"],
    ["a replacer", "'x'.replace(/x/, () => { for (;;) ; })"],
    ["a reviver", "JSON.parse('[1]', () => { for (;;) ; })"],
    ["toJSON", "JSON.stringify({ toJSON() { for (;;) ; } })"],
    ["a static block", "class A { static { for (;;) ; } }"],
    ["a field", "const spin = () => { for (;;) ; };\nclass A { x = spin() }\nnew A()"],
    ["a default value", "const f = (x = (() => { for (;;) ; })()) => x;\nf()"],
    ["a tagged template", "const t = () => { for (;;) ; };\nt`x`"],
    [
      "an iterator of its own",
      "const it2 = { [Symbol.iterator]: () => ({ next: () => ({ done: false }) }) };\nfor (const x of it2) ;",
    ],
    ["a loop in a timer's callback", "await new Promise((resolve) => setTimeout(() => { for (;;) ; }, 1))"],
    ["holes without end", "const a = []; a.length = 4e9;\na.forEach(() => {})"],
    [
      "built-ins that are called again and again",
      "const a = Array.from({ length: 1e5 }, (_, i) => i);\nfor (;;) a.indexOf(-1)",
    ],
    [
      "Object.keys of a large object, again and again",
      "const o = Object.fromEntries(Array.from({ length: 5e4 }, (_, i) => ['k' + i, i]));\nfor (;;) Object.keys(o)",
    ],
    [
      "JSON, again and again",
      "const a = Array.from({ length: 1e5 }, (_, i) => i);\nfor (;;) JSON.parse(JSON.stringify({ a }))",
    ],
    ["a list that grows", "const a = [];\nfor (;;) a.push({ a: 1 })"],
    ["loops that swallow what stops them", "for (;;) { try { for (;;) {} } catch {} }"],
    ["a loop that swallows with finally", "for (;;) { try { for (;;) {} } finally { continue } }"],
    [
      "a million callbacks that swallow",
      "try { for (;;) ; } catch {}\nawait Promise.allSettled(Array.from({ length: 1e5 }, async () => 1))",
    ],
  ])("%s", async (_, cell) => {
    const { kind, ms } = await stopped(cell);
    expect(kind).toBe("fuel");
    expect(ms).toBeLessThan(MOST_MS);
  });

  it("a stop that was swallowed fails the cell all the same, and it can't be done", async () => {
    const run = await submit(
      scripted("swallow", [{ code: "try { for (;;) ; } catch {}\ndone('got away')" }, { text: "end" }]),
    );
    expect(run).toMatchObject({ status: "succeeded", result: "end" });
  });

  it("what was assigned before the stop is kept", async () => {
    const { answers } = await runCells(["let n = 0; const list = ['kept']; for (;;) n++", "[n > 1000, list]"]);
    expect(answers[0]?.error).toMatchObject({ kind: "fuel", line: 1 });
    expect(answers[1]?.value).toBe('[true, ["kept"]]');
  });

  it("health is answered while a loop runs", async () => {
    const id = await begin(scripted("busy", [{ code: "for (;;) ;" }, { code: "for (;;) await 0" }, { text: "end" }]));
    await waitFor(id, ({ type }) => type === "cell-started");
    expect(await Promise.all([isHealthy(), isHealthy()])).toEqual([true, true]);
    expect(await isHealthy()).toBe(true);
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded" });
  });

  it("work of an honest size is not stopped", async () => {
    const { answers } = await runCells([
      "const rows = Array.from({ length: 50_000 }, (_, i) => ({ id: i, group: i % 100, text: 'Row ' + i }));",
      "const groups = new Map(); for (const row of rows) groups.set(row.group, [...(groups.get(row.group) ?? []).slice(-5), row.id]); groups.size",
      "const pages = []; for (let i = 0; i < rows.length; i += 100) pages.push(rows.slice(i, i + 100)); pages.length",
      "rows.filter((row) => row.text.toLowerCase().includes('99')).map((row) => row.id).sort((a, b) => b - a)[0]",
      "const sieve = new Uint8Array(500_000); let primes = 0; for (let i = 2; i < sieve.length; i++) { if (sieve[i]) continue; primes++; for (let j = i * 2; j < sieve.length; j += i) sieve[j] = 1 } primes",
      "const text = 'word and word, '.repeat(20_000); let at = 0, n = 0; while ((at = text.indexOf('word', at)) >= 0) { n++; at++ } [n, text.split(' ').length, text.replace(/and/g, '&').length]",
      "const queue = Array.from({ length: 20_000 }, (_, i) => i); let sum = 0; while (queue.length) sum += queue.shift(); sum",
    ]);
    expect(answers.map(({ error, value }) => error ?? value)).toEqual([
      undefined,
      "100",
      "500",
      "49999",
      "41538",
      "[40000, 60001, 260000]",
      "199990000",
    ]);
  });
});

describe("a cell that takes too much memory", () => {
  it.each<[what: string, cell: string]>([
    ["repeat", "'x'.repeat(400_000_000)"],
    ["repeat, kept again and again", "const a = []; for (;;) a.push('abc'.repeat(1_000_000))"],
    ["repeat with a number that changes its mind", "let n = 0; 'xy'.repeat({ valueOf: () => n++ ? 1 : 4e8 })"],
    ["Array(n).fill", "Array(60_000_000).fill(0)"],
    ["new Array, again and again", "const a = []; for (;;) a.push(new Array(1_000_000))"],
    ["Array.from", "Array.from({ length: 50_000_000 })"],
    ["a typed array", "new Float64Array(50_000_000)"],
    ["typed arrays just below the mark", "const a = []; for (;;) a.push(new Uint8Array(1_000_000))"],
    ["an ArrayBuffer", "new ArrayBuffer(300_000_000)"],
    ["padStart", "'x'.padStart(300_000_000)"],
    ["padEnd", "'x'.padEnd(5e8, 'ab')"],
    ["a split into single characters", "'x'.repeat(100_000_000).split('')"],
    ["concat that doubles", "let a = [1]; for (;;) a = a.concat(a)"],
  ])("%s", async (_, cell) => {
    const { kind, message, ms } = await stopped(cell);
    expect([kind, message]).toEqual(["memory", expect.stringContaining("268435456 bytes")]);
    expect(ms).toBeLessThan(MOST_MS);
  });
});

describe("a cell that waits for ever", () => {
  it.each([
    ["a promise nobody settles", "await new Promise(() => {})"],
    ["a thenable that never answers", "await { then() {} }"],
    ["a race of nothing", "await Promise.race([])"],
    [
      "a lock against itself",
      "let free; const lock = new Promise((r) => { free = r });\nasync function f() { await lock; free() }\nawait f()",
    ],
  ])("%s is told so at once", async (_, cell) => {
    const { kind, ms } = await stopped(cell);
    expect(kind).toBe("timeout");
    expect(ms).toBeLessThan(MOST_MS);
  });
});

describe("a cell that says too much", () => {
  it("in its result", async () => {
    const { kind, message } = await stopped("done('x'.repeat(9_000_000))");
    expect([kind, message]).toEqual(["output", expect.stringContaining("8388608")]);
  });

  it("in a result that has no end", async () => {
    expect(await stopped("const deeper = () => ({ get next() { return deeper() } });\ndone(deeper())")).toMatchObject({
      kind: "output",
    });
  });

  it.each([
    ["one line after another", "for (;;) console.log('x')"],
    ["long lines", "for (;;) console.log('x'.repeat(10_000))"],
    ["large objects", "const o = Array.from({ length: 1e4 }, (_, i) => ({ i })); for (;;) console.log(o)"],
    ["and swallows the stop", "for (let i = 0; i < 1_000; i++) try { console.error('y'.repeat(500)) } catch {}"],
  ])("in its logs: %s", async (_, cell) => {
    const { kind } = await stopped(cell);
    expect(kind).toBe("logs");
  });

  it("in its value: it is cut, and the cell goes on", async () => {
    const { answers } = await runCells([
      "'x'.repeat(1_000_000)",
      "Array.from({ length: 1e5 }, () => ({ k: 'v'.repeat(1000) }))",
      "new Error('z'.repeat(100_000))",
    ]);
    for (const { value, error } of answers) {
      expect(error).toBeUndefined();
      expect(value!.length).toBeLessThanOrEqual(2_000);
    }
  });
});

describe("a cell that calls too often", () => {
  it("is stopped at the limit, in the isolate and again at the desk", async () => {
    const limits = { ...CELL_LIMITS, calls: 2 };
    const made: string[] = [];
    const desk = new DeskTarget(
      { call: async (tool) => (made.push(tool), JSON.stringify({ ok: true, value: 1, at: 0 })), log: () => {} },
      limits,
      new Map(),
    );
    const stopper = new Stopper();
    stopper.stopped.catch(() => {});
    const { call } = cellApi({ desk, clock: new Clock(0), stopper, limits, done: () => {} });
    expect(await Promise.all([call("a.b", {}), call("a.c", {})])).toEqual([1, 1]);
    expect(() => call("a.d", {})).toThrow("more than 2 calls");
    expect(stopper.reason?.kind).toBe("calls");
    await expect(desk.call("a.e", "{}")).rejects.toThrow("too many calls");
    expect(made).toEqual(["a.b", "a.c"]);
  });

  it("a few hundred at once are fine", async () => {
    const { answers } = await runCells([
      "(await Promise.all(Array.from({ length: 300 }, (_, i) => tools.test.read({ label: 'many', value: i })))).reduce((a, b) => a + b)",
    ]);
    expect(answers[0]?.value).toBe("44850");
  });
});

describe("a flood", () => {
  it.each([
    ["of calls nobody waits for", "for (;;) tools.crypto.uuid()", "calls"],
    ["of logs", "for (;;) console.log('x')", "logs"],
    [
      "of recursion that recovers from every overflow",
      "function f() { try { f() } catch { f() } finally { f() } } f()",
      "fuel",
    ],
    ["of text", "let s = ''; for (;;) s += 'x'", "fuel"],
  ])("%s ends by its own kind", async (_what, cell, kind) => {
    const { answers } = await runCells([cell, "1 + 1"]);
    expect([answers[0]!.error?.kind, answers[1]!.value]).toEqual([kind, "2"]);
  });
});
