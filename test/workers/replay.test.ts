/** A cell that was interrupted goes on as if nothing had happened (J1 to J3, J6). */
import { env } from "cloudflare:test";
import { beforeAll, describe, expect, it } from "vitest";
import type { CellView } from "../../src/contract/cell.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { executions, type Point } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { finish, type Goal, interrupt, recordedKeys, timesExecuted, waitForHalt } from "../support/interruption.ts";
import { begin, eventsOf, get, submit, waitForEnd } from "../support/runs.ts";

interface Ending {
  result: unknown;
  variables: Record<string, unknown>;
  executed: number;
}

async function endingOf(run: RunView): Promise<Ending> {
  const list = await get<{ items: { name: string }[] }>(`/v1/goals/${run.id}/variables`);
  const variables: Record<string, unknown> = {};
  for (const { name } of list.items)
    variables[name] = (await get<{ value: unknown }>(`/v1/goals/${run.id}/variables/${name}`)).value;
  delete variables["at"];
  const executed = executions.filter(({ key }) => key.includes(run.id)).length;
  return { result: run.result, variables, executed };
}

/** Every kind of waiting there is. The variable \`at\` keeps the labels of one run apart from those of another. */
const BUSY = `
  const order: unknown[] = [];
  const call = (effect: string, label: string, more: object = {}) =>
    tools.call("test." + effect, { label: at + label, value: label, ...more });
  const first = await call("idempotent", "first");
  const fan = await Promise.all(["a", "b", "c"].map(async (label, i) => {
    order.push(await call("read", label, i < 2 ? { after: at + "bc"[i] } : {}));
    return [label, await call("idempotent", label + "2", { value: { from: label, i } })];
  }));
  const slow = call("read", "slow", { after: at + "last" });
  const timer = new Promise((resolve) => setTimeout(() => resolve("timer"), 1));
  const winner = await Promise.race([slow, call("read", "fast")]);
  const second = await Promise.race([slow, timer]);
  let sum = 0;
  for (let i = 0; i < 3; i++) sum += (await call("read", "loop", { value: i + 1 })) as number;
  const same = await Promise.all([1, 2].map(() => call("idempotent", "same")));
  let sent: unknown;
  try { sent = await call("once", "sent"); await tools.test.fail({ kind: "sorry" }); } catch (error) { sent = [sent, error.kind]; }
  const seen = new Map<unknown, unknown>([[winner, second], ["last", await call("read", "last")]]);
  order.push(await slow);
  done({ first, fan, winner, second, sum, same, sent, order });`;
const EFFECTS = 16; // of one run of that cell
let runs = 0;
const busy = (): Goal => ({ goal: scripted(`busy ${++runs}`, [{ code: BUSY }]), inputs: { at: `busy-${runs}-` } });

describe("a cell with loops, parallel calls, races and timers", () => {
  let whole: Ending;
  beforeAll(async () => {
    const { goal, inputs } = busy();
    whole = await endingOf(await submit(goal, { inputs }));
  });

  it("runs through without an interruption", () => {
    expect(whole).toMatchObject({
      executed: EFFECTS,
      result: {
        fan: [
          ["a", { from: "a", i: 0 }],
          ["b", { from: "b", i: 1 }],
          ["c", { from: "c", i: 2 }],
        ],
        winner: "fast",
        second: "timer",
        sum: 6,
        sent: ["sent", "sorry"],
        order: ["c", "b", "a", "slow"],
      },
      variables: { seen: { fast: "timer", last: "last" } },
    });
  });

  const points = Array.from({ length: EFFECTS }, (_, i): Point[] => [{ effect: i + 1 }, { reply: i + 1 }]).flat();
  it.each(points)("J2, J3: ends the same when its object is reset at %o", async (point) => {
    const { id, recorded } = await interrupt(busy(), point);
    const { run } = await finish(id, () => "approve");
    const { result, variables } = await endingOf(run);
    expect(result).toEqual(whole.result);
    expect(variables).toEqual(whole.variables);
    expect(recorded.length).toBeGreaterThanOrEqual("reply" in point ? point.reply : 0);
    for (const key of recorded) expect(timesExecuted(key), key).toBeLessThanOrEqual(1);
    // One recorded result for each call there was, and no call that the whole run did not make.
    const effects = (await recordedKeys(id)).filter((key) => timesExecuted(key) > 0);
    expect(effects).toHaveLength(EFFECTS);
  });
});

describe("J1: a call", () => {
  it("is on disk before it has an effect, and its result before the cell goes on", async () => {
    const code = `await tools.test.once({ label: "disk-1" }); await tools.test.once({ label: "disk-2" }); done(1)`;
    const { id, recorded } = await interrupt(scripted("disk", [{ code }]), { effect: 2 });
    expect(recorded.map((key) => key.slice(key.indexOf("test.")))).toEqual([`test.once {"label":"disk-1"} 0`]);
    // The object is new: what it knows of the second call was written before that call had its effect.
    expect((await waitForHalt(id)).waitingOn).toMatchObject([{ args: { label: "disk-2" } }]);
  });

  it("in the last cell its budget allows is not forbidden by its own first attempt", async () => {
    const code = `done(await tools.test.read({ label: "last-cell" }))`;
    const { id } = await interrupt(
      { goal: scripted("last cell", [{ code }]), budget: { cells: 1, turns: 1 } },
      { effect: 1 },
    );
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: "last-cell" });
  });
});

describe("J6: clock and dice", () => {
  const look = `(() => ({ now: Date.now(), date: new Date().toISOString(), elapsed: performance.now(),
    random: [Math.random(), Math.random()], uuid: crypto.randomUUID(), bytes: [...crypto.getRandomValues(new Uint8Array(4))] }))()`;
  type Look = { now: number; date: string; elapsed: number; random: number[]; uuid: string; bytes: number[] };

  it("show a replayed cell what they showed it before", async () => {
    const code = `
      const first = ${look};
      await tools.test.read({ label: "clock-1", value: first, ms: 20 });
      const second = ${look};
      await tools.test.read({ label: "clock-2", value: second, ms: 20 });
      done([first, second, ${look}])`;
    const { id } = await interrupt(scripted("clock", [{ code }]), { effect: 2 });
    const run = await waitForEnd(id);
    const [first, second, third] = run.result as [Look, Look, Look];
    const shown = executions.filter(({ key }) => key.includes(id)).map(({ value }) => value);
    expect(shown).toEqual([first, second, second]); // the second call ran again, with the same arguments
    expect(await recordedKeys(id)).toHaveLength(2);
    expect(new Set([first, second, third].flatMap(({ random, uuid }) => [...random, uuid])).size).toBe(9);
    expect(second.now - first.now).toBeGreaterThanOrEqual(19); // timers may be a millisecond early
    expect(third.now).toBeGreaterThan(second.now);
    expect(second.elapsed).toBe(second.now - first.now);
    expect(new Date(second.now).toISOString()).toBe(second.date);
  });

  it("are not moved by a refused call when it is replayed", async () => {
    const code = `
      const kinds = [];
      for (const call of [() => tools.no.such({}), () => tools.test.read({ lable: "x" })]) await call().catch((e) => kinds.push(e.kind));
      const late = new Promise((resolve) => setTimeout(resolve, 30, "late"));
      await tools.test.read({ label: "refused-1", ms: 5 });
      const winner = await Promise.race([late, tools.no.other({}).catch((e) => e.kind)]);
      await late;
      await tools.test.read({ label: "refused-2", value: [Date.now(), winner, ...kinds] });
      done("end")`;
    const { id } = await interrupt(scripted("refused", [{ code }]), { effect: 2 });
    await waitForEnd(id);
    const [before, after, ...more] = executions
      .filter(({ key }) => key.includes(id) && key.includes("refused-2"))
      .map(({ value }) => value);
    expect(before).toEqual([expect.any(Number), "unknown-tool", "unknown-tool", "bad-arguments"]);
    expect(after).toEqual(before);
    expect(more).toEqual([]);
  });
});

describe("a result too long for a row", () => {
  it.each([
    { where: "several rows", chars: 300_000, inBucket: 0 },
    { where: "the bucket", chars: 6_000_000, inBucket: 1 },
  ])("is kept in $where and replayed from there", async ({ chars, inBucket }) => {
    const before = (await env.BUCKET.list()).objects.length;
    const code = `
      const text = await tools.test.big({ chars: ${chars}, fill: "abc" });
      const sum = text.length + ":" + text.slice(-4);
      await tools.test.read({ label: "big-${chars}", value: sum });
      done(sum)`;
    const { id, recorded } = await interrupt(scripted(`big ${chars}`, [{ code }]), { effect: 1 });
    expect((await env.BUCKET.list()).objects.length).toBe(before + inBucket);
    const run = await waitForEnd(id);
    expect(run).toMatchObject({ status: "succeeded", result: `${chars}:${"x".padEnd(chars, "abc").slice(-4)}` });
    expect(recorded.map(timesExecuted)).toEqual([1]);
  });

  it("has every character it had, wherever a row ends", async () => {
    // Odd, then pairs of halves: any even boundary falls between two halves of a character.
    const code = `
      const text = await tools.test.big({ chars: 1_200_001, fill: "😀" });
      await tools.test.read({ label: "emoji" });
      done([text.length, text.includes("\\uFFFD"), [...text].length])`;
    const { id } = await interrupt(scripted("emoji", [{ code }]), { effect: 1 });
    expect((await waitForEnd(id)).result).toEqual([1_200_001, false, 600_001]);
  });
});

describe("what a cell logs", () => {
  it("is told once, however often it is replayed", async () => {
    const code = `
      console.log("one"); await tools.test.read({ label: "log-1" });
      console.log("two"); await tools.test.read({ label: "log-2" });
      console.log("three"); done(1)`;
    const { id } = await interrupt(scripted("logs", [{ code }]), { effect: 2 });
    await waitForEnd(id);
    const { items } = await get<{ items: CellView[] }>(`/v1/goals/${id}/cells`);
    expect(items[0]!.answer!.logs).toEqual(["one", "two", "three"]);
    const told: string[] = [];
    for await (const event of eventsOf(id)) if (event.type === "cell-logged") told.push(event.text);
    expect(told).toEqual(["one", "two", "three"]);
  });
});

describe("replies", () => {
  it("come in the order in which they were recorded, whatever each starts", async () => {
    // Even ones go on at once, odd ones after many microtasks: only the order of the replies may decide.
    const code = `
      const order: number[] = [];
      await Promise.all(Array.from({ length: 60 }, async (_, i) => {
        await tools.test.read({ label: "in-order", value: i, ms: (i * 7) % 11 });
        for (let k = 0; k < (i % 2) * 50; k++) await null;
        order.push(i);
      }));
      await tools.test.read({ label: "ordered", value: order });
      done(order)`;
    const { id } = await interrupt(scripted("order", [{ code }]), { effect: 61 });
    const run = await waitForEnd(id);
    const shown = executions.filter(({ key }) => key.includes(id) && key.includes("ordered")).map(({ value }) => value);
    expect(shown).toEqual([run.result, run.result]);
  });
});

describe("a run of several cells", () => {
  it("goes on from the cell it was in, with the variables of those before", async () => {
    const id = await begin(
      scripted("cells", [
        {
          code: `const kept = new Map([["n", await tools.test.idempotent({ label: "cells-1", value: 1 })]]); let n = 0`,
        },
        {
          code: `for (const add of [10, 20]) { n += add; kept.set("n" + n, await tools.test.read({ label: "cells-2", value: n })); }`,
        },
        { code: `done([...kept, n])` },
      ]),
    );
    expect((await waitForEnd(id)).result).toEqual([["n", 1], ["n10", 10], ["n30", 30], 30]);
  });
});
