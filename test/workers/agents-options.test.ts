import { describe, expect, it } from "vitest";
import type { AgentView } from "../../src/contract/agent.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { scripted } from "../support/goal-script.ts";
import { eventsOf, get, submit } from "../support/runs.ts";
import { task, WORKER } from "../support/tasks.ts";

const agentsOf = async (run: string): Promise<AgentView[]> =>
  (await get<{ items: AgentView[] }>(`/v1/goals/${run}/agents?limit=200`)).items;
const done = (code: string, more: object = {}): Promise<RunView> => submit(scripted("options", [{ code }]), more);
/** Fails as long as the run's workspace has no such file, which it then writes: fails once, that is. */
const failsOnce = (name: string): string =>
  task(name, [
    {
      code: `const before = await files.list(); if (!before.some((f) => f.path === "${name}")) { await files.write("${name}", "x"); throw new Error("first time"); } done("second time")`,
    },
    { refuse: true, why: "gave up" },
  ]);

describe("retry", () => {
  it("tries again with a new agent, as often as it says", async () => {
    const run = await done(`done(await agents.call(${WORKER}, { task: ${failsOnce("flaky")}, retry: 2 }))`);
    expect(run.result).toBe("second time");
    expect((await agentsOf(run.id)).map(({ attempt, status }) => [attempt, status])).toEqual([
      [1, "failed"],
      [2, "succeeded"],
    ]);
  });

  it("gives the last failure when all tries failed", async () => {
    const never = task("never", [{ refuse: true, why: "no" }]);
    const run = await done(`done(await agents.call(${WORKER}, { task: ${never}, retry: 2 }))`);
    expect(run).toMatchObject({ result: { failure: { kind: "model-refused" } }, usage: { agents: 3 } });
  });
});

describe("timeout", () => {
  it("ends each attempt by itself, so that a retry has its own time", async () => {
    const slow = task("slow", [{ code: "await new Promise((r) => setTimeout(r, 30_000)); done(1)" }]);
    const run = await done(`done(await agents.call(${WORKER}, { task: ${slow}, timeout: 0.3, retry: 1 }))`);
    expect(run.result).toMatchObject({ failure: { kind: "timed-out" } });
    expect((await agentsOf(run.id)).map(({ failure }) => failure?.kind)).toEqual(["timed-out", "timed-out"]);
  });
});

describe("fallback", () => {
  const broken = task("broken", [{ refuse: true }]);

  it("is another agent", async () => {
    const other = `{ name: "other", role: "Does it instead.", maxTurns: 2 }`;
    const flaky = failsOnce("for another");
    const run = await done(`done(await agents.call(${WORKER}, { task: ${flaky}, fallback: ${other} }))`);
    expect(run.result).toBe("second time");
    expect((await agentsOf(run.id)).map(({ name }) => name)).toEqual(["worker", "other"]);
  });

  it("is another tier of the same", async () => {
    const run = await done(
      `done(await agents.call({ name: "cheap", role: "r", tier: "small" }, { task: ${broken}, fallback: { tier: "large" } }))`,
    );
    expect(run.result).toMatchObject({ failure: { kind: "model-refused" } });
    expect((await agentsOf(run.id)).map(({ name, tier }) => [name, tier])).toEqual([
      ["cheap", "small"],
      ["cheap", "large"],
    ]);
  });
});

describe("quorum", () => {
  /** Answers by the number of files there were: each copy leaves one. */
  const varying = (name: string, answers: string): string =>
    task(name, [
      {
        code: `const mine = crypto.randomUUID(); await files.write("${name}/" + mine, "x"); let n = 0; while ((n = (await files.list("${name}")).length) < 3) await tools.time.sleep({ ms: 20 }); const order = (await files.list("${name}")).map((f) => f.path).sort().indexOf("${name}/" + mine); done(${answers}[order])`,
      },
    ]);

  it("takes the answer that enough copies gave", async () => {
    const run = await done(
      `done(await agents.call(${WORKER}, { task: ${varying("agreeing", '[{ a: 1, b: 2 }, "odd", { b: 2, a: 1 }]')}, quorum: 2 }))`,
    );
    expect(run).toMatchObject({ result: { a: 1, b: 2 }, usage: { agents: 3 } });
  });

  it("says so when there is none", async () => {
    const run = await done(
      `done(await agents.call(${WORKER}, { task: ${varying("differing", '["x", "y", "z"]')}, quorum: { agree: 2, of: 3 } }))`,
    );
    expect(run.result).toMatchObject({ failure: { kind: "no-quorum", message: expect.stringContaining("2 of 3") } });
  });
});

describe("the circuit", () => {
  it("stops spawning an agent that keeps failing alike, says so, and lets others go on", async () => {
    const broken = task("always broken", [{ refuse: true, why: "broken" }]);
    const fine = task("fine", [{ code: "done('fine')" }]);
    const run = await done(
      `const kinds = []; for (let i = 0; i < 8; i++) kinds.push((await agents.call(${WORKER}, { task: ${broken}, data: i })).failure.kind); const last = await agents.call(${WORKER}, { task: ${broken}, data: "last" }); done({ kinds, says: last.failure.message, other: await agents.call({ name: "another", role: "r" }, { task: ${fine} }) })`,
    );
    expect(run.result).toEqual({
      kinds: [...Array<string>(5).fill("model-refused"), ...Array<string>(3).fill("circuit-open")],
      says: expect.stringContaining("failed alike"),
      other: "fine",
    });
    const opened = [];
    for await (const event of eventsOf(run.id)) if (event.type === "circuit-opened") opened.push(event);
    expect(opened.length).toBeGreaterThan(0);
  });
});

describe("llm.spawn", () => {
  it("asks a model in the background under a subtask address", async () => {
    const prompt = JSON.stringify(scripted("in the background", [{ text: "blue" }]));
    const run = await done(
      `const { uri } = await llm.spawn(${prompt}); done({ uri, value: await agents.result(uri), status: (await agents.status(uri)).status })`,
    );
    expect(run.result).toMatchObject({ value: "blue", status: "succeeded" });
    const { uri } = run.result as { uri: string };
    expect(await get(`/v1/subtasks/${uri.slice("subtask://".length)}`)).toMatchObject({ kind: "llm", result: "blue" });
  });
});

describe("many calls that wait", () => {
  it("keep no other call of the cell waiting", async () => {
    const slow = task("takes a while", [{ code: "await new Promise((r) => setTimeout(r, 30_000)); done(1)" }]);
    const run = await done(
      `const us = []; for (let i = 0; i < 70; i++) us.push(await agents.spawn(${WORKER}, { task: ${slow}, data: i })); const all = Promise.all(us.map((u) => agents.result(u))); await Promise.all(us.map((u) => agents.cancel(u))); done((await all).filter((r) => r.failure.kind === "cancelled").length)`,
    );
    expect(run.result).toBe(70);
  });
});

describe("a result over the message limit", () => {
  it("can't be seen or forged by another agent of the run", async () => {
    const big = task("big secret", [{ code: "done('z'.repeat(5_000_000))" }]);
    const forger = (file: string): string =>
      `const seen = (await files.list()).map((f) => f.path); const read = await files.read(${file}).catch((e) => e.kind); await files.write(${file}, "FORGED"); done({ seen, read })`;
    const run = await done(
      `const r = await agents.call(${WORKER}, { task: ${big} }); const other = await agents.call(${WORKER}, { task: ${task("forger", [{ code: forger("data") }])}, data: r.file }); done({ other, length: JSON.parse(await files.read(r.file)).length })`,
    );
    expect(run.result).toEqual({ other: { seen: [], read: "no-file" }, length: 5_000_000 });
  });

  it("stays in the workspace and is passed by reference", async () => {
    const big = task("big", [{ code: "done('y'.repeat(5_000_000))" }]);
    const run = await done(
      `const r = await agents.call(${WORKER}, { task: ${big} }); const text = JSON.parse(await files.read(r.file)); done({ file: r.file, chars: r.chars, length: text.length })`,
    );
    expect(run.result).toMatchObject({ file: expect.stringMatching(/^agents\//), chars: 5_000_002, length: 5_000_000 });
  });
});
