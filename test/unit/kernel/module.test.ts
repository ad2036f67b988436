import { parse } from "acorn";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { analyseCell } from "../../../src/kernel/compile.ts";
import { emitModule, moduleCell } from "../../../src/kernel/module.ts";
import { emitted, runModule } from "./module-host.ts";

const refusal = (source: string) => {
  const result = emitModule(source);
  if (result.ok) throw new Error(`compiled:\n${result.value.module}`);
  return result.error;
};

describe("a module's default function is run with the input", () => {
  it.each([
    ["an arrow function", "export default async (input) => input.n + 1"],
    ["an arrow function with types", "export default async (input: { n: number }): Promise<number> => input.n + 1;"],
    ["in brackets", "export default (async (input) => input.n + 1)"],
    ["in brackets with a cast", "export default (async (input) => input.n + 1) satisfies (input: any) => unknown"],
    ["a function that is not async", "export default (input) => input.n + 1"],
    ["a destructured parameter", "export default async ({ n }: { n: number }) => n + 1"],
    ["an anonymous function", "export default async function (input) { return input.n + 1 }"],
    ["a named function", "export default async function run(input) { return input.n + 1 }"],
    ["a function expression", "export default (async function run(input) { return input.n + 1 })"],
    ["a name, declared before", "const run = async (input) => input.n + 1;\nexport default run;"],
    ["a name, declared after", "export default run\nasync function run(input) { return input.n + 1 }"],
    ["a name with a cast", "function run(input) { return input.n + 1 }\nexport default run as unknown;"],
    ["keywords apart", "export /* a */\n// b\n default\n\n async (input) => input.n + 1"],
    ["helpers after it", "export default async (input) => add(input.n)\nconst one = 1\nconst add = (n) => n + one"],
    [
      "types beside it",
      "interface In { n: number }\ntype Out = number\nexport default async (input: In): Promise<Out> => input.n + 1",
    ],
    [
      "an enum and a class",
      "enum E { One = 1 }\nclass A { add(n) { return n + E.One } }\nexport default (input) => new A().add(input.n)",
    ],
    [
      "the name that would be given to it",
      "const capability = 1, capability2 = 0;\nexport default (input) => input.n + capability + capability2",
    ],
    ["an inner name `done`", "export default (input) => { let done = input.n; done++; return done }"],
    ["a directive and empty statements", '"use strict";;\nexport default (input) => input.n + 1;;'],
    ["a comment at its end", "export default (input) => input.n + 1 // end"],
    ["no line feed but others", "export default (input) =>\r\n input.n\r + 1"],
    ["top-level await", "const one = await Promise.resolve(1);\nexport default (input) => input.n + one"],
    ["a function next to brackets", "export default function (input) { return input.n + 1 }\nconst unused = 1;"],
    [
      "a previous line without its semicolon",
      "const one = 1\nexport default function f(input) { return input.n + one }",
    ],
  ])("%s", async (_, source) => {
    expect(await runModule(source, { n: 41 })).toEqual({ outputs: [42], error: undefined, kept: [] });
  });

  it("keeps no state of its own between two runs of one module", async () => {
    const source = "let runs = 0;\nexport default () => ++runs;";
    expect((await runModule(source, null)).outputs).toEqual([1]);
    expect((await runModule(source, null)).outputs).toEqual([1]);
  });

  it("lets what it throws through, and gives no output then", async () => {
    const { outputs, error } = await runModule('export default () => { throw new Error("no") }', {});
    expect(outputs).toEqual([]);
    expect(error).toMatchObject({ message: "no" });
  });
});

describe("a module's lines", () => {
  const source =
    "// a comment\nconst f = (x: string) => { throw new Error(x) };\n\nexport default async (input: { a: string }) => f(input.a);\n";

  it("are those of the cell, and one more follows", () => {
    const cell = moduleCell(source);
    if (!cell.ok) throw new Error(cell.error.message);
    expect(cell.value.source.split("\n").slice(0, 3)).toEqual(source.split("\n").slice(0, 3));
    expect(cell.value.source.split("\n").length).toBe(source.split("\n").length + 1);
    expect(cell.value.source).toMatch(/\n;done\(await capability\(input\)\)$/);
    expect(analyseCell(cell.value.source).ok).toBe(true);
  });

  it("are found again from the emitted module, columns too", () => {
    const { module, locate } = emitted(source);
    const lines = module.split("\n");
    const row = lines.findIndex((line) => line.includes("throw new Error"));
    expect(locate(row + 1, lines[row]!.indexOf("throw") + 1)).toEqual({ line: 2, column: 28 });
    const last = lines.findIndex((line) => line.includes("f(input.a)"));
    expect(locate(last + 1, lines[last]!.indexOf("f(input.a)") + 1)).toEqual({ line: 4, column: 48 });
    const added = lines.findIndex((line) => line.includes("await capability"));
    expect(locate(added + 1, 3)).toBeUndefined();
  });
});

describe("a module is refused, with line and hint,", () => {
  it.each([
    ["an import", '\nimport x from "y"; export default () => 1', "import", 2],
    ["an import of types", 'import type { X } from "y"; export default () => 1', "import", 1],
    ["an import call", 'export default () => import("x")', "import", 1],
    ["import.meta", "export default () => import.meta.url", "import", 1],
    ["another export", "export default () => 1\nexport const a = 1", 'Only "export default"', 2],
    ["an exported type", "export type A = 1\nexport default () => 1", 'Only "export default"', 1],
    ["an export list", "const f = () => 1\nexport { f as default }", 'Only "export default"', 2],
    ["an export of all", 'export * from "x"\nexport default () => 1', 'Only "export default"', 1],
    ["no default export", "const f = () => 1", "no default export", 1],
    ["nothing", "", "no default export", 1],
    ["an object", "export default { run() {} }", "not a function", 1],
    ["a class", "\nexport default class A {}", "not a function", 2],
    ["an interface", "export default interface A {}", "not a function", 1],
    ["a call", "export default wrap(() => 1)", "not a function", 1],
    ["the name of a class", "class A {}\nexport default A", "not a function", 2],
    ["the name of a number", "const a = 1\nexport default a", "not a function", 2],
    ["a name of the API", "export default tools", '"tools" is not declared', 1],
    ["a generator", "export default function* () {}", "generator", 1],
    ["two parameters", "export default (input, more) => 1", "one parameter", 1],
    ["the name of a function of two", "const f = (a, b) => 1\nexport default f", "one parameter", 1],
    ["a statement at the top", "export default () => 1\nconsole.log(1)", "Only declarations", 2],
    ["a return at the top", "export default () => 1\nreturn 5", "Only declarations", 2],
    ["a return in a block at the top", "export default () => 1\n{ return 5 }", "Only declarations", 2],
    ["a loop at the top", "for (;;) {}\nexport default () => 1", "Only declarations", 1],
    ["`done` declared", "const done = () => 1\nexport default done", '"done"', 1],
    ["`done` as the function's name", "export default function done() {}", '"done"', 1],
    ["`done` called", "export default () => { done(1); return 2 }", '"done" is not for a capability', 1],
    ["`done` handed on", "const f = done; export default () => f(1)", '"done" is not for a capability', 1],
    ["`input` declared", "const input = 5\nexport default (a) => a", '"input" cannot be declared', 1],
    [
      "`input` by destructuring",
      "var { a: [input] } = { a: [5] }\nexport default (a) => a",
      '"input" cannot be declared',
      1,
    ],
    [
      "`input` as the function's name",
      "export default function input(a) { return a }",
      '"input" cannot be declared',
      1,
    ],
    ["`input` from outside", "const f = () => input.a\nexport default (a) => f()", '"input" is not defined', 1],
    ["`input` assigned", "export default (a) => { input = 5 }", '"input" is not defined', 1],
    ["a reserved name", "export default ($px) => 1", "reserved", 1],
    ["the mark of the instrumentation", "export default () => 1 /*$px*/", "reserved", 1],
    ["eval", 'export default () => eval("1")', "eval", 1],
    ["a brace too many", "export default () => { } }\n{", "Unexpected token", 1],
    ["a brace too few", "export default () => {", "Unexpected end", 1],
    ["an open comment", "export default () => 1 /*", "comment", 1],
    ["an open template", "export default () => `", "template", 1],
    ["a second default", "export default () => 1\nexport default () => 2", "default", 2],
    ["a namespace with values", "namespace N { export const a = 1 }\nexport default () => 1", "Namespaces", 1],
    ["too much text", `export default () => 1${" ".repeat(256 * 1024)}`, "too long", 1],
  ])("for %s", (_, source, message, line) => {
    const error = refusal(source);
    expect(error.message.toLowerCase()).toContain(message.toLowerCase());
    expect(error).toMatchObject({ line, hint: expect.stringMatching(/\w+/) });
  });
});

it("a module nested without end is refused, by the parser or by the walk after it", () => {
  const depths = [500, 2_000, 10_000, 50_000];
  const messages = depths.map((depth) => {
    const result = emitModule(`export default () => ${"[".repeat(depth)}${"]".repeat(depth)}`);
    return result.ok ? "compiled" : result.error.message;
  });
  expect(messages[0]).toBe("compiled");
  expect(messages.at(-1)).toMatch(/nested too deeply|stack space/);
});

describe("a module's facts", () => {
  const facts = (source: string) => emitted(source).facts;

  it("name what it calls as the desk sees it", () => {
    const source = `export default async (input) => {
  await tools.http.get({ url: input.url });
  await tools["http"].post({}); await tools.call("sum-orders", {}); await tools?.call(\`data.json\`, {});
  await tools.search("x"); await files.read("a"); await llm("hi"); await library.run("tidy-names", {});
  await human.ask("?"); await tools.http.get({ url: input.url });
  return agents.call("x", {});
}`;
    expect(facts(source).calls).toEqual([
      { name: "http.get", line: 2 },
      { name: "http.post", line: 3 },
      { name: "sum-orders", line: 3 },
      { name: "data.json", line: 3 },
      { name: "tools.search", line: 4 },
      { name: "files.read", line: 4 },
      { name: "llm.call", line: 4 },
      { name: "library.run", line: 4 },
      { name: "tidy-names", line: 4 },
      { name: "human.ask", line: 5 },
      { name: "agents.call", line: 6 },
    ]);
    expect(facts(source).dynamic).toBe(false);
    expect(emitted(source).api).toEqual(["agents", "files", "human", "library", "llm", "tools"]);
  });

  it.each([
    ["a computed tool", "export default (input) => tools[input.a].b({})"],
    ["a tool called by a variable", "export default (input) => tools.call(input.tool, {})"],
    ["the API handed on", "const f = (t) => t.http.get({}); export default () => f(tools)"],
    ["a family taken apart", "const { http } = tools; export default () => http.get({})"],
  ])("say that %s is dynamic", (_, source) => {
    expect(facts(source)).toMatchObject({ calls: [], dynamic: true });
  });

  it("take a local of the same name for what it is", () => {
    expect(facts("export default ({ tools }) => tools.http.get({})")).toEqual({ calls: [], dynamic: false, texts: [] });
  });

  it("hold its texts, not those of types, comments and directives", () => {
    const source =
      '"use strict"; type A = "type"; // "comment"\nconst a = "one"\nexport default (input) => `b${a}c` + \'d\'';
    expect(facts(source).texts).toEqual([
      { text: "one", line: 2 },
      { text: "b\u0000c", line: 3 },
      { text: "d", line: 3 },
    ]);
  });
});

describe("any text", () => {
  // prettier-ignore
  const PIECES = ["export default", "async", "(input) =>", "function", "f", "(input)", "{", "}", "(", ")", "[", "]", "return", "done", "input", ";", "\n", "//", "/*", "*/", "`", "${", "const", "=", "1", "type", "interface", "A", "class", "as", "<", ">", ":", "export", "import", "await", "enum", ",", "=>", "?", "\"x\"", "tools.a.b"];

  it("is refused or becomes one JavaScript module whose only export is the cell, and never throws", () => {
    let compiled = 0;
    const piece = fc.constantFrom(...PIECES);
    const whole = fc.constantFrom(
      "export default (input) => 1;",
      "const a = 1;",
      "type A = { a: string }\n",
      "function f(input) { return 2 }",
      "export default f\n",
      "class A {}",
      "",
    );
    fc.assert(
      fc.property(fc.array(fc.oneof(piece, whole), { maxLength: 12 }), whole, (parts, last) => {
        const result = emitModule(`${parts.join(" ")}\n${last}`);
        if (!result.ok) {
          expect(result.error.hint).not.toBe("");
          return;
        }
        compiled++;
        const { body } = parse(result.value.module, { ecmaVersion: "latest", sourceType: "module" });
        expect(body.map(({ type }) => type)).toEqual(["ExportDefaultDeclaration"]);
      }),
      { numRuns: 5_000, seed: 6 },
    );
    expect(compiled).toBeGreaterThan(50);
  });
});
