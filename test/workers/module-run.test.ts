/** A capability's module in an isolate that stays warm. */
import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { encode } from "../../src/kernel/codec.ts";
import type { DeskBackend } from "../../src/kernel/desk-target.ts";
import { CELL_LIMITS } from "../../src/kernel/job.ts";
import { emitModule, type EmittedModule } from "../../src/kernel/module.ts";
import { moduleId, type ModuleRun, runModule } from "../../src/kernel/module-run.ts";
import { NearRunner } from "../../src/kernel/runner.ts";

const runner = new NearRunner(env.LOADER, {
  run: () => Promise.reject(new Error("not more than three at once here")),
});
const emitted = (source: string): EmittedModule => {
  const module = emitModule(source);
  if (!module.ok) throw new Error(module.error.message);
  return module.value;
};
const ECHO: DeskBackend = {
  call: async (tool, args) => JSON.stringify({ ok: true, value: [tool, JSON.parse(args)], at: 2_000 }),
  log: () => {},
};

let tenants = 0;
/** A module in an isolate of its own; each call of what it answers is one run. */
function stored(
  source: string,
): (input: unknown, more?: { backend?: DeskBackend; fuel?: number }) => Promise<ModuleRun> {
  const module = emitted(source);
  const id = moduleId(`tenant${++tenants}`, module);
  return (input, { backend = ECHO, fuel = CELL_LIMITS.fuel } = {}) =>
    runModule({
      module,
      id,
      input: encode(input).data,
      startedAt: 1_000,
      seed: "00112233445566778899aabbccddeeff",
      backend,
      runner,
      limits: { ...CELL_LIMITS, fuel },
    });
}
const output = (run: ModuleRun): unknown => (run.ok ? run.output : run.error);

describe("a module's run", () => {
  it("answers what its default function gives, each time for its own input", async () => {
    const run = stored("export default async (input: { a: number; b: number }) => ({ sum: input.a + input.b });");
    expect(output(await run({ a: 1, b: 2 }))).toEqual({ sum: 3 });
    expect(output(await run({ a: 40, b: 2 }))).toEqual({ sum: 42 });
  });

  it("answers plain data", async () => {
    const run = stored("export default () => new Map([['when', new Date(0)]]);");
    expect(output(await run(null))).toEqual({ when: "1970-01-01T00:00:00.000Z" });
    expect(output(await stored("export default () => undefined;")(null))).toBe(null);
  });

  it("reaches tools through the desk it was given, and has the clock of its run", async () => {
    const run = stored("export default async (input) => [Date.now(), await tools.some.tool({ input }), Date.now()];");
    expect(output(await run(7))).toEqual([1_000, ["some.tool", { input: 7 }], 2_000]);
  });

  it("says where in its source an error was thrown", async () => {
    const run = stored(
      "const half = (n: number) => {\n  if (n % 2) throw new TypeError('odd');\n  return n / 2;\n};\nexport default (n) => half(n);",
    );
    expect(output(await run(4))).toBe(2);
    expect(output(await run(3))).toMatchObject({ kind: "thrown", message: "TypeError: odd", line: 2 });
  });

  it("is stopped when it computes without end, and its isolate serves the next run", async () => {
    const run = stored("export default (n: number) => { let i = 0; while (i < n) i++; return i; };");
    expect(output(await run(1e9, { fuel: 100_000 }))).toMatchObject({ kind: "fuel" });
    expect(output(await run(10))).toBe(10);
  });

  it("has the same limits of size as a cell", async () => {
    const run = stored("export default (n: number) => 'x'.repeat(n);");
    expect(output(await run(9 * 1024 * 1024))).toMatchObject({ kind: "output" });
  });

  it("takes input of any size", async () => {
    const run = stored("export default (text: string) => text.length;");
    expect(output(await run("x".repeat(10_000_000)))).toBe(10_000_000);
  });
});

describe("what a run leaves behind", () => {
  /** Runs `leave`, then asks the next run of the same isolate for what `find` gives. */
  async function leak(leave: string, find: string): Promise<unknown> {
    const run = stored(`export default (isFirst: boolean) => {
      if (!isFirst) return ${find};
      try { ${leave} } catch (error) { return "refused: " + error.name; }
      return "left";
    };`);
    return [output(await run(true)), output(await run(false))];
  }

  it.each([
    ["a global", "globalThis.secret = 1", "globalThis.secret"],
    ["a property of a built-in object", "Math.secret = 1", "Math.secret"],
    ["a property of a built-in function", "parseInt.secret = 1", "parseInt.secret"],
    ["a property of a method", "[].map.secret = 1", "[].map.secret"],
    ["a property of a prototype", "Array.prototype.secret = 1", "[].secret"],
    ["a property of the root of all objects", "Object.prototype.secret = 1", "({}).secret"],
    [
      "a hidden prototype",
      "Object.getPrototypeOf(function* () {}).secret = 1",
      "Object.getPrototypeOf(function* () {}).secret",
    ],
    ["a class of errors", "RangeError.prototype.secret = 1", "new RangeError().secret"],
    ["the global's own prototype", "Object.getPrototypeOf(globalThis).secret = 1", "globalThis.secret"],
    ["the console", "console.secret = 1", "console.secret"],
    [
      "a method in place of a built-in one",
      "Array.prototype.map = () => 'mine'",
      "[1].map(String)[0] === '1' ? undefined : 1",
    ],
    [
      "a method in place of an inherited one",
      "Object.prototype.toString = () => 'mine'",
      "String({}) === '[object Object]' ? undefined : 1",
    ],
    [
      "a built-in in place of another",
      "globalThis.JSON = { parse: () => 1 }",
      "typeof JSON.stringify === 'function' ? undefined : 1",
    ],
  ])("is not %s", async (_, leave, find) => {
    expect(await leak(leave, find)).toEqual(["refused: TypeError", null]);
  });

  it("is not what its last pattern matched", async () => {
    expect(await leak("/s.*/.test('secret')", "RegExp.$_ ?? RegExp['$&'] ?? RegExp.lastMatch")).toEqual(["left", null]);
  });

  it("is no listener", async () => {
    expect(await leak("addEventListener('ask', () => {})", "typeof dispatchEvent")).toEqual([
      "refused: TypeError",
      "undefined",
    ]);
  });

  it("is no top-level variable: each run has its own", async () => {
    const run = stored("let count = 0;\nexport default () => ++count;");
    expect([output(await run(null)), output(await run(null))]).toEqual([1, 1]);
  });

  it("does not keep ordinary code from shadowing what it inherits", async () => {
    const run =
      stored(`class Odd extends Error { constructor(m) { super(m); this.name = "Odd"; this.message = m + "!"; } }
      export default () => {
        const o = {}; o.toString = () => "mine"; o.constructor = 1;
        function F() {} F.prototype.toString = () => "F"; F.name2 = 1;
        const e = new Odd("x"); const list = [3, 1]; list.extra = 1;
        return [String(o), String(new F()), e.name, e.message, String(e), [...list].sort(), Object.keys(o)];
      };`);
    expect(output(await run(null))).toEqual(["mine", "F", "Odd", "x!", "Odd: x!", [1, 3], ["toString", "constructor"]]);
  });
});
