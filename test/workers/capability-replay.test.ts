/** J1 to J4 inside a capability: what it did is not done again, and what it asks a person about makes its caller wait. */
import { runInDurableObject } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import { done } from "../support/approval-tools.ts";
import { draft, keep, quarantine, usesOf } from "../support/capabilities.ts";
import { effects, goOn } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import {
  coordinatorOf,
  decide,
  finish,
  interrupt,
  reset,
  timesExecuted,
  waitForHalt,
} from "../support/interruption.ts";
import { begin, get, waitForEnd } from "../support/runs.ts";
import { task } from "../support/tasks.ts";

const effectsOf = (label: string): string[] => effects.filter((effect) => effect.split(":")[1] === label);
const timesDone = (label: string): number => done.filter((call) => call === `test.careful:${label}`).length;
const view = (id: string): Promise<RunView> => get(`/v1/goals/${id}`);
const NEEDS = ["test.read", "test.once", "test.idempotent", "test.careful", "human.ask", "agents.call"];
const capability = (name: string, body: string): Promise<void> =>
  keep(draft(name, `export default async (input) => {\n${body}\n};`, { needs: NEEDS }));
const goal = (name: string, code: string): string => scripted(name, [{ code }]);

afterEach(goOn);

describe("a reset while a capability runs", () => {
  const STEPS = `const at = Date.now(), dice = Math.random();
    const first = await tools.test.once({ label: input + "-1", value: [at, dice] });
    const both = await Promise.all([tools.test.idempotent({ label: input + "-2" }), tools.test.once({ label: input + "-3" })]);
    return [first.join() === [at, dice].join(), ...both, await tools.test.read({ label: input + "-4" })];`;

  it("J2: costs no finished call, and clock and dice are what they were (J6)", async () => {
    await capability("steps", STEPS);
    const { id, recorded } = await interrupt(
      goal("steps", `const before = await library.run("steps", "s0"); done(await library.run("steps", "s1"))`),
      { reply: 7 },
    );
    const run = await waitForEnd(id);
    expect(run).toMatchObject({
      status: "succeeded",
      result: [true, "s1-2", "s1-3", "s1-4"],
    });
    for (const label of ["s0-1", "s0-3", "s1-1", "s1-3"]) expect([label, effectsOf(label).length]).toEqual([label, 1]);
    expect(recorded.length).toBeGreaterThan(5);
    for (const key of recorded) expect(timesExecuted(key)).toBeLessThanOrEqual(1);
    expect(await usesOf("steps")).toHaveLength(2);
  });

  it.each([1, 2, 3, 4, 5])("ends as if nothing had happened, after reply %i", async (reply) => {
    await capability(`same-${reply}`, STEPS);
    const { id } = await interrupt(
      goal(
        `same ${reply}`,
        `done([await tools.call("same-${reply}", "q${reply}"), await tools.test.read({ label: "q${reply}-last" })])`,
      ),
      { reply },
    );
    const { run } = await finish(id, () => "approve");
    const label = `q${reply}`;
    expect(run).toMatchObject({
      status: "succeeded",
      result: [[true, `${label}-2`, `${label}-3`, `${label}-4`], `${label}-last`],
    });
    expect(await usesOf(`same-${reply}`)).toHaveLength(1);
  });

  it("J4: asks about a call inside that may not be repeated, and goes on with the answer", async () => {
    await capability(
      "once-inside",
      `const kind = await tools.test.once({ label: input }).catch((e) => e.kind);\nreturn ["after", kind];`,
    );
    for (const decision of ["approve", "reject"] as const) {
      const label = `inside-${decision}`;
      const { id } = await interrupt(goal(label, `done(await library.run("once-inside", "${label}"))`), { effect: 1 });
      const run = await waitForHalt(id);
      expect(run.status).toBe("waiting");
      expect(run.waitingOn).toMatchObject([{ on: "interrupted-call", tool: "test.once", args: { label } }]);
      expect((await decide(id, "d1", { decision })).status).toBe(200);
      expect(await waitForEnd(id)).toMatchObject({
        result: ["after", decision === "approve" ? label : "call-rejected"],
      });
      expect(effectsOf(label)).toHaveLength(decision === "approve" ? 2 : 1);
    }
  });

  it("goes on with the version it began with, whatever the library offers by then", async () => {
    await capability(
      "moving",
      `await tools.test.once({ label: "moving" });\nreturn [1, await tools.test.read({ label: "moving-2" })];`,
    );
    const { id } = await interrupt(goal("moving", `done(await library.run("moving", 1))`), { reply: 1 });
    // The object goes on by itself; what is offered now must not matter to it.
    await keep(draft("moving", "export default () => 2;"));
    await quarantine("moving");
    const { run } = await finish(id, () => "reject");
    expect(run).toMatchObject({ status: "succeeded", result: [1, "moving-2"] });
    expect(effectsOf("moving")).toHaveLength(1);
  });

  it("holds two levels deep", async () => {
    await capability(
      "level-two",
      `return [await tools.test.once({ label: input }), await tools.test.read({ label: input + "-read" })];`,
    );
    await keep(
      draft(
        "level-one",
        `export default async (input) => ["one", await tools.call("level-two", input), await tools.test.read({ label: input + "-end" })];`,
        { needs: ["level-two", "test.read"] },
      ),
    );
    const { id } = await interrupt(goal("levels", `done(await library.run("level-one", "lv"))`), { reply: 1 });
    expect(await waitForEnd(id)).toMatchObject({ result: ["one", ["lv", "lv-read"], "lv-end"] });
    expect(effectsOf("lv")).toHaveLength(1);
    const other = await interrupt(goal("levels asked", `done(await library.run("level-one", "lw"))`), { effect: 1 });
    expect((await waitForHalt(other.id)).waitingOn).toMatchObject([{ tool: "test.once", args: { label: "lw" } }]);
    await decide(other.id, "d1", { decision: "approve" });
    expect(await waitForEnd(other.id)).toMatchObject({ result: ["one", ["lw", "lw-read"], "lw-end"] });
  });
});

describe("an approval inside a capability", () => {
  it("makes the run wait, over a reset, and is used once", async () => {
    await capability(
      "careful-inside",
      `const before = await tools.test.once({ label: input + "-before" });\nreturn [before, await tools.test.careful({ label: input })];`,
    );
    const id = await begin(
      goal(
        "careful",
        `const r = await library.run("careful-inside", "ca"); done([r, await tools.test.read({ label: "ca-after" })])`,
      ),
    );
    const run = await waitForHalt(id);
    expect(run).toMatchObject({
      status: "waiting",
      waitingOn: [{ on: "approval", tool: "test.careful", args: { label: "ca" } }],
    });
    expect(await usesOf("careful-inside")).toEqual([]);
    await reset();
    expect((await view(id)).status).toBe("waiting");
    expect(timesDone("ca")).toBe(0);
    expect((await decide(id, "d1", { decision: "approve" })).status).toBe(200);
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: [["ca-before", "did ca"], "ca-after"] });
    expect([timesDone("ca"), effectsOf("ca-before").length]).toEqual([1, 1]);
    expect(await usesOf("careful-inside")).toMatchObject([{ ok: true }]);
  });

  it("takes edited arguments, and a rejection as an error inside", async () => {
    await capability("careful-caught", `return await tools.test.careful({ label: input }).catch((e) => e.kind);`);
    const edited = await begin(goal("edited", `done(await library.run("careful-caught", "ce"))`));
    await waitForHalt(edited);
    await decide(edited, "d1", { decision: "approve", args: { label: "ce-edited" } });
    expect(await waitForEnd(edited)).toMatchObject({ result: "did ce-edited" });
    const rejected = await begin(goal("rejected", `done(await library.run("careful-caught", "cr"))`));
    await waitForHalt(rejected);
    await decide(rejected, "d1", { decision: "reject" });
    expect(await waitForEnd(rejected)).toMatchObject({ result: "call-rejected" });
    expect(timesDone("cr")).toBe(0);
  });

  it("is asked together with those beside it, and each is done once", async () => {
    await capability("careful-each", `return await tools.test.careful({ label: input });`);
    const id = await begin(
      goal(
        "each",
        `done(await Promise.all([...["e1", "e2", "e3"].map((label) => library.run("careful-each", label)), tools.test.careful({ label: "e4" })]))`,
      ),
    );
    const { run, approved } = await finish(id, () => "approve");
    expect(run.result).toEqual(["did e1", "did e2", "did e3", "did e4"]);
    expect(approved).toBe(4);
    expect(["e1", "e2", "e3", "e4"].map(timesDone)).toEqual([1, 1, 1, 1]);
  });

  it("holds the run also when the cell does not wait for the capability", async () => {
    await capability("careful-alone", `return await tools.test.careful({ label: input });`);
    const id = await begin(
      goal(
        "alone",
        `library.run("careful-alone", "al"); await tools.test.read({ label: "al-beside", ms: 50 }); done("end")`,
      ),
    );
    expect(await waitForHalt(id)).toMatchObject({ status: "waiting" });
    await decide(id, "d1", { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: "end" });
  });

  it("is a question, too", async () => {
    await capability("asker", `return "Hello " + (await human.ask("Your name?"));`);
    const id = await begin(goal("asker", `done(await library.run("asker", 1))`));
    await waitForHalt(id);
    await decide(id, "d1", { answer: "Ada" });
    expect(await waitForEnd(id)).toMatchObject({ result: "Hello Ada" });
  });
});

describe("a capability that waits for an agent", () => {
  it("waits as long as that one takes, also for a person", async () => {
    await capability("delegates", `return await agents.call({ name: "worker", role: "Works." }, { task: input });`);
    const inner = task("careful worker", [{ code: `done(await tools.test.careful({ label: "ag" }))` }]);
    const id = await begin(goal("delegates", `done(await library.run("delegates", ${inner}))`));
    await vi.waitUntil(async () => (await view(id)).waitingOn?.length === 1, { interval: 10, timeout: 15_000 });
    const [pending] = (await view(id)).waitingOn!;
    expect(pending).toMatchObject({ tool: "test.careful", args: { label: "ag" } });
    await decide(id, pending!.id, { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: "did ag" });
    expect(timesDone("ag")).toBe(1);
  });
});

describe("what is kept of a capability's run", () => {
  it("is no cell of the run, and its calls are under a number of their own", async () => {
    await capability("kept", `return await tools.test.read({ label: "kept" });`);
    const id = await begin(goal("kept", `done(await library.run("kept", 1))`));
    await waitForEnd(id);
    const { items } = await get<{ items: unknown[] }>(`/v1/goals/${id}/cells`);
    expect(items).toHaveLength(1);
    const rows = await runInDurableObject(coordinatorOf(id), (_, { storage }) =>
      storage.sql
        .exec<{ cell: number; tool: string; ordinal: number }>(
          "SELECT cell, tool, ordinal FROM calls WHERE run = ? ORDER BY cell",
          id,
        )
        .toArray(),
    );
    expect(rows).toEqual([
      { cell: 1, tool: "library.run", ordinal: 1 },
      { cell: 1_000_000_000_001, tool: "test.read", ordinal: 1 },
    ]);
  });
});
