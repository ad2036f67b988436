/** J4: what happens to a call that was started and has no result. */
import { abortAllDurableObjects, runInDurableObject, SELF } from "cloudflare:test";
import { afterEach, describe, expect, it, vi } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import { effects, goOn, held, stopAt } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { coordinatorOf, decide, finish, interrupt, recordedKeys, reset, waitForHalt } from "../support/interruption.ts";
import { begin, eventsOf, get, submit, waitFor, waitForEnd } from "../support/runs.ts";

const PATIENCE = { interval: 2, timeout: 10_000 };
const effectsOf = (label: string): string[] => effects.filter((effect) => effect.split(":")[1] === label);
const cancel = async (id: string): Promise<RunView> =>
  (await SELF.fetch(`http://localhost/v1/goals/${id}/cancel`, { method: "POST" })).json();
const view = (id: string): Promise<RunView> => get(`/v1/goals/${id}`);
/** Begins a goal and resets its object when all these calls have had their effect and none has a reply. */
async function interruptAll(goal: string, labels: string[]): Promise<string> {
  const before = labels.map((label) => effectsOf(label).length);
  for (const label of labels) held.add(label);
  const id = await begin(goal);
  await vi.waitUntil(() => labels.every((label, i) => effectsOf(label).length > before[i]!), PATIENCE);
  await reset();
  for (const label of labels) held.delete(label);
  return id;
}
/** A whole other run: longer than a cell that could go on would need to. */
const meanwhile = (): Promise<RunView> =>
  submit(scripted("other", [{ code: `done(await tools.test.read({ label: "other", ms: 50 }))` }]));

afterEach(goOn);

describe("a call that may be repeated", () => {
  it("runs again when it only reads", async () => {
    const { id } = await interrupt(
      scripted("read", [{ code: `done(await tools.test.read({ label: "read-again" }))` }]),
      { effect: 1 },
    );
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: "read-again" });
    expect(effectsOf("read-again")).toHaveLength(2);
  });

  it("runs again with the key it had when it is idempotent", async () => {
    const code = `done(await Promise.all(["key-1", "key-2"].map((label) => tools.test.idempotent({ label }))))`;
    const id = await interruptAll(scripted("idempotent", [{ code }]), ["key-1", "key-2"]);
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: ["key-1", "key-2"] });
    const [first, second] = [effectsOf("key-1"), effectsOf("key-2")];
    expect(first).toEqual([first[0], first[0]]);
    expect(second).toEqual([second[0], second[0]]);
  });
});

describe("a call that may not be repeated", () => {
  /** A run that waits for a decision about one such call. */
  const waiting = async (
    label: string,
    code = `done(await tools.test.once({ label: "${label}" }))`,
  ): Promise<RunView> => {
    const { id } = await interrupt(scripted(label, [{ code }]), { effect: 1 });
    const run = await waitForHalt(id);
    expect(run.status).toBe("waiting");
    return run;
  };

  it("makes the run wait, and says for what and what each answer does", async () => {
    const run = await waiting("asked", `done(await tools.test.once({ label: "asked", value: { to: "you" } }))`);
    expect(run.waitingOn).toEqual([
      {
        id: "d1",
        on: "interrupted-call",
        tool: "test.once",
        args: { label: "asked", value: { to: "you" } },
        why: expect.stringContaining("may have happened or not"),
        choices: {
          approve: expect.stringContaining("again"),
          reject: expect.stringContaining("failed"),
          expire: expect.stringContaining("expiresAt"),
        },
        digest: expect.any(String),
        askedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    const { items } = await get<{ items: unknown[] }>(`/v1/goals/${run.id}/approvals`);
    expect(items).toEqual(run.waitingOn);
    expect(effectsOf("asked")).toHaveLength(1);
  });

  it("runs again when that is approved", async () => {
    const run = await waiting("approved");
    expect((await decide(run.id, "d1", { decision: "approve" })).status).toBe(200);
    expect(await waitForEnd(run.id)).toMatchObject({ status: "succeeded", result: "approved" });
    expect(effectsOf("approved")).toHaveLength(2);
  });

  it("fails for the cell when it is rejected", async () => {
    const run = await waiting(
      "rejected",
      `try { await tools.test.once({ label: "rejected" }) } catch (error) { done([error.name, error.kind, error.message]) }`,
    );
    await decide(run.id, "d1", { decision: "reject", note: "it arrived" });
    const [name, kind, message] = (await waitForEnd(run.id)).result as string[];
    expect([name, kind]).toEqual(["ToolError", "call-rejected"]);
    expect(message).toContain("it arrived");
    expect(effectsOf("rejected")).toHaveLength(1);
  });

  it("keeps a rejection over a reset: it is a result like any other", async () => {
    const run = await waiting(
      "refused",
      `const kind = await tools.test.once({ label: "refused" }).catch((error) => error.kind);
       await tools.test.read({ label: "after-refusal" });
       done(kind)`,
    );
    const isReached = stopAt({ effect: 1 });
    await decide(run.id, "d1", { decision: "reject" });
    await vi.waitUntil(isReached, PATIENCE);
    await reset();
    expect((await waitForEnd(run.id)).result).toBe("call-rejected");
    expect(effectsOf("refused")).toHaveLength(1);
  });

  it("is still pending, as the same decision, after another reset", async () => {
    const run = await waiting("patient");
    await reset();
    expect(await view(run.id)).toMatchObject({ status: "waiting", waitingOn: run.waitingOn });
    await decide(run.id, "d1", { decision: "approve" });
    expect((await waitForEnd(run.id)).result).toBe("patient");
    expect(effectsOf("patient")).toHaveLength(2);
  });

  it("is decided once: another answer comes too late", async () => {
    const run = await waiting("twice");
    expect((await decide(run.id, "d2", { decision: "approve" })).status).toBe(404);
    held.add("twice");
    expect((await decide(run.id, "d1", { decision: "approve" })).status).toBe(200);
    const second = await decide(run.id, "d1", { decision: "reject" });
    held.delete("twice");
    expect(second.status).toBe(409);
    expect(await second.json()).toMatchObject({ type: expect.stringContaining("already-decided") });
    expect((await waitForEnd(run.id)).result).toBe("twice");
  });

  it("is asked about again when it is interrupted again: an approval is for one attempt", async () => {
    const run = await waiting("again", `done(await tools.test.once({ label: "again" }).catch((error) => error.kind))`);
    const isReached = stopAt({ effect: 1 });
    await decide(run.id, "d1", { decision: "approve" });
    await vi.waitUntil(isReached, PATIENCE);
    await reset();
    await waitFor(run.id, ({ type, id }) => type === "run-waiting" && id > 7);
    expect((await view(run.id)).waitingOn).toMatchObject([{ id: "d2", tool: "test.once" }]);
    expect(effectsOf("again")).toHaveLength(2);
    await decide(run.id, "d2", { decision: "reject" });
    expect((await waitForEnd(run.id)).result).toBe("call-rejected");
    expect(effectsOf("again")).toHaveLength(2);
  });

  it("is asked about together with all others that were interrupted", async () => {
    const code = `
      const send = (label: string) => tools.test.once({ label }).catch((error) => error.kind);
      done(await Promise.all(["all-1", "all-2", "all-3"].map(send)))`;
    const id = await interruptAll(scripted("all", [{ code }]), ["all-1", "all-2", "all-3"]);
    const run = await waitForHalt(id);
    expect(run.waitingOn?.map(({ args }) => args)).toEqual([1, 2, 3].map((n) => ({ label: `all-${n}` })));
    await decide(id, "d1", { decision: "approve" });
    expect(await view(id)).toMatchObject({ status: "waiting", waitingOn: [{ id: "d2" }, { id: "d3" }] });
    await decide(id, "d2", { decision: "reject" });
    await decide(id, "d3", { decision: "approve" });
    expect((await waitForEnd(id)).result).toEqual(["all-1", "call-rejected", "all-3"]);
    expect([1, 2, 3].map((n) => effectsOf(`all-${n}`).length)).toEqual([2, 1, 2]);
  });

  it("is asked about even when the cell does not await it", async () => {
    const code = `tools.test.once({ label: "floating" }); await tools.test.read({ label: "anchor" }); done("end")`;
    const id = await interruptAll(scripted("floating", [{ code }]), ["floating", "anchor"]);
    expect((await waitForHalt(id)).waitingOn).toMatchObject([{ args: { label: "floating" } }]);
    expect((await finish(id, () => "reject")).run).toMatchObject({ status: "succeeded", result: "end" });
    expect(effectsOf("floating")).toHaveLength(1);
  });
});

describe("a run that waits", () => {
  const hold = async (label: string, code: string, session?: string): Promise<string> => {
    const { id } = await interrupt(
      { goal: scripted(label, [{ code }]), ...(session ? { session } : {}) },
      { effect: 1 },
    );
    expect((await waitForHalt(id)).status).toBe("waiting");
    return id;
  };

  it("has no effect: the attempt it abandoned gets nothing more done", async () => {
    const id = await hold(
      "abandoned",
      `for (let i = 0; i < 3; i++) await tools.test.once({ label: "abandoned-" + i }).catch(() => {}); done("end")`,
    );
    await meanwhile();
    await cancel(id);
    expect([0, 1, 2].map((i) => effectsOf(`abandoned-${i}`).length)).toEqual([1, 0, 0]);
    expect(await recordedKeys(id)).toEqual([]);
  });

  it("can be cancelled, and then takes no decision", async () => {
    const id = await hold("called off", `done(await tools.test.once({ label: "called-off" }))`);
    expect(await cancel(id)).toMatchObject({ status: "cancelled" });
    expect((await decide(id, "d1", { decision: "approve" })).status).toBe(409);
    expect(effectsOf("called-off")).toHaveLength(1);
  });

  it("spends none of its seconds", async () => {
    const label = "slow-answer";
    const code = `done(await tools.test.once({ label: "${label}" }))`;
    const { id } = await interrupt({ goal: scripted(label, [{ code }]), budget: { seconds: 60 } }, { effect: 1 });
    await waitForHalt(id);
    await runInDurableObject(coordinatorOf(id), (_, { storage }) => {
      // An hour passes.
      storage.sql.exec("UPDATE runs SET started_at = started_at - 3600000, waits_since = waits_since - 3600000");
    });
    await decide(id, "d1", { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: label });
  });

  it("holds back the goals behind it, which start when it has ended", async () => {
    const session = "held-back";
    const first = await hold("first", `const box = [await tools.test.once({ label: "front" })]; done(box)`, session);
    const second = await begin(scripted("second", [{ code: `box.push("second"); done(box)` }]), { session });
    const third = await begin(scripted("third", [{ code: `box.push("third"); done(box)` }]), { session });
    expect([(await view(second)).status, (await view(third)).status]).toEqual(["queued", "queued"]);
    await decide(first, "d1", { decision: "approve" });
    expect((await waitForEnd(third)).result).toEqual(["front", "second", "third"]);
    expect((await view(second)).result).toEqual(["front", "second"]);
  });

  it("lets the next goal start when it is cancelled", async () => {
    const session = "let-go";
    const first = await hold("blocks", `done(await tools.test.once({ label: "blocks" }))`, session);
    const second = await begin(scripted("free", [{ code: `done("free")` }]), { session });
    await cancel(first);
    expect((await waitForEnd(second)).result).toBe("free");
  });
});

describe("a run that is cancelled", () => {
  it("makes no further call", async () => {
    held.add("tick-0");
    const code = `for (let i = 0; i < 5; i++) await tools.test.once({ label: "tick-" + i }).catch(() => {});`;
    const id = await begin(scripted("tick", [{ code }]));
    await vi.waitUntil(() => effectsOf("tick-0").length === 1, PATIENCE);
    expect(await cancel(id)).toMatchObject({ status: "cancelled" });
    held.delete("tick-0");
    await meanwhile();
    expect([0, 1, 2, 3, 4].map((i) => effectsOf(`tick-${i}`).length)).toEqual([1, 0, 0, 0, 0]);
    const types: string[] = [];
    for await (const { type } of eventsOf(id)) types.push(type);
    expect(types.at(-1)).toBe("run-ended");
  });

  it("stays so over a reset", async () => {
    const id = await begin(scripted("over", [{ code: `await tools.test.read({ label: "over", ms: 5_000 })` }]));
    await vi.waitUntil(() => effectsOf("over").length === 1, PATIENCE);
    await cancel(id);
    await abortAllDurableObjects();
    expect(await waitForEnd(id)).toMatchObject({ status: "cancelled" });
    expect(effectsOf("over")).toHaveLength(1);
  });
});
