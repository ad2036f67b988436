/** Capabilities as cells run them: what comes back, what they may reach, and what is told of them. */
import { describe, expect, it } from "vitest";
import type { CellAnswer } from "../../src/contract/cell.ts";
import { draft, keep, usesOf } from "../support/capabilities.ts";
import { effects } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { get, runCells, submit } from "../support/runs.ts";
import { task } from "../support/tasks.ts";

const result = async (name: string, code: string, more: object = {}): Promise<unknown> => {
  const run = await submit(scripted(name, [{ code }]), more);
  return (
    run.result ?? run.failure ?? (await get<{ items: { answer: CellAnswer }[] }>(`/v1/goals/${run.id}/cells`)).items
  );
};
const caught = (call: string): string =>
  `done(await ${call}.catch((e) => ({ kind: e.kind, message: e.message, data: e.data })))`;
const NUMBERS = { type: "array", items: { type: "number" } } as const;

describe("a capability", () => {
  it("runs by its name in every way there is to call it, warm", async () => {
    await keep(draft("sum-numbers", "export default (input: number[]) => input.reduce((a, b) => a + b, 0);"));
    const code = `done([await library.run("sum-numbers", [1, 2]), await tools.call("sum-numbers", [3, 4]),
      await tools["sum-numbers"]([5, 6]), await tools.library.run({ name: "sum-numbers", input: [7] })])`;
    expect(await result("ways", code)).toEqual([3, 7, 11, 7]);
  });

  it("tells the library of each use, with the goal's own words", async () => {
    await keep(
      draft("halve-even", `export default (n: number) => { if (n % 2) throw new Error("odd"); return n / 2; };`),
    );
    const code = `done([await library.run("halve-even", 4), await library.run("halve-even", 3).catch(() => "failed")])`;
    const run = await submit(scripted("halve some numbers", [{ code }]));
    expect(run.result).toEqual([2, "failed"]);
    const uses = await usesOf("halve-even");
    expect(uses).toEqual([
      { name: "halve-even", version: 1, ok: true, ms: expect.any(Number), caller: run.id, goal: run.goal },
      {
        name: "halve-even",
        version: 1,
        ok: false,
        error: "odd",
        ms: expect.any(Number),
        caller: run.id,
        goal: run.goal,
      },
    ]);
  });

  it("fails with the place in its own source", async () => {
    await keep(draft("thrower", `const f = () => {\n  throw new RangeError("no");\n};\nexport default () => f();`));
    expect(await result("place", caught(`library.run("thrower", 1)`))).toMatchObject({
      kind: "capability-failed",
      message: "thrower version 1 failed (line 2): RangeError: no",
      data: {
        name: "thrower",
        version: 1,
        cause: { kind: "thrown", message: "RangeError: no", line: 2, hint: expect.any(String) },
      },
    });
  });

  it("is stopped when it does not stop, and the cell goes on", async () => {
    await keep(draft("endless", "export default () => { for (;;) {} };"));
    expect(await result("endless", caught(`library.run("endless", 1)`))).toMatchObject({
      kind: "capability-failed",
      data: { cause: { kind: "fuel" } },
    });
  });

  it("is not run with an input that does not fit, and that is no failure of its", async () => {
    await keep(draft("total", "export default (input) => input.length;", { input: NUMBERS }));
    expect(await result("input", caught(`library.run("total", [1, "2"])`))).toMatchObject({
      kind: "bad-arguments",
      message: expect.stringContaining("/1: must be number, is string"),
    });
    expect(await usesOf("total")).toEqual([]);
  });

  it("fails when its output does not fit", async () => {
    await keep(draft("liar", `export default () => ["1"];`, { output: NUMBERS }));
    expect(await result("output", caught(`library.run("liar", 1)`))).toMatchObject({
      kind: "capability-failed",
      data: { cause: { kind: "output", message: expect.stringContaining("/0: must be number, is string") } },
    });
    expect(await usesOf("liar")).toMatchObject([{ ok: false }]);
  });

  it("runs in the version that is asked for", async () => {
    await keep(draft("versioned", "export default () => 1;"));
    await keep(draft("versioned", "export default () => 2;"));
    const code = `done([await library.run("versioned", 0), await library.run("versioned", 0, { version: 1 }),
      await library.run("versioned", 0, { version: 3 }).catch((e) => e.kind)])`;
    expect(await result("versions", code)).toEqual([2, 1, "unknown-version"]);
  });

  it("runs fifty times at once, each with its own input", async () => {
    await keep(
      draft(
        "slow-double",
        `export default async (n: number) => { await tools.test.read({ label: "slow" + n, ms: 5 }); return 2 * n; };`,
        { needs: ["test.read"] },
      ),
    );
    const code = `done(await Promise.all(Array.from({ length: 50 }, (_, n) => library.run("slow-double", n))))`;
    expect(await result("fifty", code)).toEqual(Array.from({ length: 50 }, (_, n) => 2 * n));
    expect(await usesOf("slow-double")).toHaveLength(50);
  });

  it("counts its calls among those of the run", async () => {
    await keep(
      draft(
        "two-calls",
        `export default async () => { await tools.test.read({ label: "c1" }); await tools.test.read({ label: "c2" }); };`,
        { needs: ["test.read"] },
      ),
    );
    const run = await submit(scripted("counted", [{ code: `await library.run("two-calls", 1); done(1)` }]));
    expect(run.usage.calls).toBe(3);
    const spent = await submit(scripted("spent", [{ code: caught(`library.run("two-calls", 2)`) }]), {
      budget: { calls: 2 },
    });
    expect(spent).toMatchObject({
      result: { kind: "capability-failed", message: expect.stringContaining("budget of 2 calls") },
    });
  });
});

describe("what a capability may reach (L4)", () => {
  const reader = (name: string, needs: string[]) =>
    draft(name, `export default async (label: string) => await tools.test.read({ label });`, { needs });

  it("is what it needs", async () => {
    await keep(reader("named-need", ["test.read"]));
    await keep(reader("unnamed-need", ["test.once"]));
    expect(await result("needs", `done(await library.run("named-need", "n1"))`)).toBe("n1");
    expect(await result("no needs", caught(`library.run("unnamed-need", "n2")`))).toMatchObject({
      kind: "capability-failed",
      message: expect.stringContaining("unnamed-need may not call test.read: it is not in its needs"),
    });
    expect(effects).not.toContain("read:n2");
  });

  it("is not a family whose name a need looks like", async () => {
    await keep(reader("family-need", ["test"]));
    expect(await result("family", caught(`library.run("family-need", "n3")`))).toMatchObject({
      kind: "capability-failed",
    });
  });

  const asAgent = (tools: string[], code: string): string =>
    `done(await agents.call({ name: "worker", role: "Works.", tools: ${JSON.stringify(tools)} }, { task: ${task("run it", [{ code }])} }))`;

  it("is not more than the agent that runs it may reach", async () => {
    await keep(reader("beyond", ["test.read"]));
    const code = caught(`library.run("beyond", "n4")`);
    expect(await result("agent without", asAgent(["library"], code))).toMatchObject({
      kind: "capability-failed",
      message: expect.stringContaining("may not call test.read"),
    });
    expect(effects).not.toContain("read:n4");
    expect(
      await result("agent with", asAgent(["library", "test.read"], `done(await library.run("beyond", "n5"))`)),
    ).toBe("n5");
  });

  it("needs the agent to have the library at all", async () => {
    await keep(reader("closed-off", ["test.read"]));
    expect(await result("no library", asAgent(["test"], caught(`tools.call("closed-off", "n6")`)))).toMatchObject({
      kind: "not-granted",
    });
    expect(
      await result(
        "hidden",
        asAgent(["test"], `done((await tools.search("does what closed-off says")).map(({ name }) => name))`),
      ),
    ).not.toContain("closed-off");
  });

  it("is another capability when it names that one, which has its own needs", async () => {
    await keep(reader("inner-reader", ["test.read"]));
    await keep(
      draft(
        "outer-caller",
        `export default async (label: string) => ["outer", await tools.call("inner-reader", label)];`,
        { needs: ["inner-reader"] },
      ),
    );
    await keep(
      draft("outer-stranger", `export default async (label: string) => await library.run("inner-reader", label);`, {
        needs: ["library.run"],
      }),
    );
    expect(await result("nested", `done(await library.run("outer-caller", "n7"))`)).toEqual(["outer", "n7"]);
    expect(await result("not named", caught(`library.run("outer-stranger", "n8")`))).toMatchObject({
      message: expect.stringContaining("outer-stranger may not run inner-reader: it is not in its needs"),
    });
  });

  it("ends at a depth: one that calls itself is stopped", async () => {
    await keep(
      draft("deeper", `export default async (n: number) => n + (await tools.call("deeper", n + 1));`, {
        needs: ["deeper"],
      }),
    );
    expect(await result("depth", caught(`library.run("deeper", 1)`))).toMatchObject({
      kind: "capability-failed",
      message: expect.stringContaining("5 may run inside one another"),
    });
  });
});

describe("an agent as a capability", () => {
  it("is called with the task and the data it is given", async () => {
    await keep({ name: "judge-text", description: "Judges a text.", agent: { name: "judge", role: "Judges." } });
    const code = `done(await library.run("judge-text", { task: ${task("judge", [{ code: "done([data.text, 'good'])" }])}, text: "hello" }))`;
    expect(await result("agent", code)).toEqual(["hello", "good"]);
    expect(await usesOf("judge-text")).toMatchObject([{ ok: true }]);
  });

  it("fails as a capability when the agent fails", async () => {
    await keep({
      name: "failing-agent",
      description: "Fails at whatever it is told.",
      agent: { name: "failing", role: "Fails.", maxTurns: 1 },
    });
    const code = caught(`library.run("failing-agent", { task: ${task("fail", [{ code: "1" }])} })`);
    expect(await result("agent fails", code)).toMatchObject({ kind: "capability-failed" });
  });
});

describe("the library from code", () => {
  it("saves, finds, shows and runs a capability", async () => {
    const { answers } = await runCells([
      `const saved = await library.save({ name: "shout-text", description: "Puts a text in capital letters.", input: { type: "string" }, output: { type: "string" },
        source: "export default (text: string) => text.toUpperCase();", tests: [{ input: "a", expect: "A" }, { input: 1, throws: true }] });
       const found = await library.search("capital letters of a text", { limit: 3 });
       const shown = await library.get("shout-text");
       [saved, found[0].name, shown.source, shown.state, shown.tests.length, await library.run("shout-text", "hi")]`,
      `await tools.describe("shout-text")`,
      `(await tools.search("capital letters of a text")).map(({ name }) => name).includes("shout-text")`,
    ]);
    expect(answers[0]!.value).toContain(
      '"shout-text", "export default (text: string) => text.toUpperCase();", "probation", 2, "HI"',
    );
    expect(answers[1]!.value).toContain('tools["shout-text"](input: string): Promise<string>');
    expect(answers[1]!.value).toContain('await tools.call("shout-text", "a") // "A"');
    expect(answers[2]!.value).toBe("true");
  });

  it("answers a refused draft as a value, with every reason", async () => {
    const { saved, reasons } = (await result("refused", `done(await library.save({ name: "Bad Name" }))`)) as {
      saved: boolean;
      reasons: { rule: string; problem: string }[];
    };
    expect(saved).toBe(false);
    expect(reasons.map(({ problem }) => problem.split(":")[0])).toEqual(
      expect.arrayContaining(["name", "description", "source", "tests"]),
    );
  });

  it("lets an agent hand on only what it may call itself", async () => {
    const save = `done(await library.save({ name: "fetch-title", description: "Fetches the title of a page.", input: { type: "string" }, output: {},
      source: "export default async (url: string) => (await tools.http.get({ url })).body.title;", needs: ["http.get"],
      tests: [{ input: "https://example.com", expect: "x", tools: { "http.get": { status: 200, headers: {}, body: { title: "x" } } } }, { input: "https://example.com/none", throws: true, tools: { "http.get": { $error: { kind: "unreachable", message: "away" } } } }] }))`;
    const asAgent = (tools: string): string =>
      `done(await agents.call({ name: "worker", role: "Works.", tools: ${tools} }, { task: ${task(`save with ${tools}`, [{ code: save }])} }))`;
    expect(await result("author without", asAgent(`["library"]`))).toMatchObject({
      saved: false,
      reasons: [{ rule: "needs", problem: expect.stringContaining("not granted to its author") }],
    });
    expect(await result("author with", asAgent(`["library", "http"]`))).toMatchObject({ saved: true, version: 1 });
  });

  it("names the nearest of tools and capabilities for a name that is neither", async () => {
    await submit(
      scripted("count", [
        {
          code: `done(await library.save({ name: "count-words", description: "Counts the words of a text.", input: { type: "string" }, output: { type: "number" },
            source: "export default (text: string) => text.split(' ').length;", tests: [{ input: "a b", expect: 2 }, { input: 1, throws: true }] }))`,
        },
      ]),
    );
    const code = `const why = (name) => tools.call(name, {}).catch((e) => [e.kind, e.data.nearest]);
      done([await why("count-wrods"), await why("count.words"), await why("text.summarise"), await library.run("count-wrods").catch((e) => [e.kind, e.data.nearest]),
        await tools.describe("count-word").catch((e) => e.data.nearest), await tools.http({}).catch((e) => e.message)])`;
    const [a, b, c, d, e, f] = (await result("nearest", code)) as [
      unknown,
      unknown,
      [string, string[]],
      unknown,
      string[],
      string,
    ];
    expect(a).toEqual(["unknown-tool", expect.arrayContaining(["count-words"])]);
    expect(b).toEqual(["unknown-tool", expect.arrayContaining(["count-words"])]);
    expect(c[0]).toBe("unknown-tool");
    expect(d).toEqual(["unknown-capability", ["count-words"]]);
    expect(e).toContain("count-words");
    expect(f).toContain('"http" is a family of tools. Call one: http.get');
  });
});
