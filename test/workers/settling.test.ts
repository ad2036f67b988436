/** J4 beside a person's decision: what was under way when a run began to wait, and what was approved when it was killed. */
import { runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import { openStores } from "../../durable-objects/stores.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { Desk } from "../../tool-bindings/desk.ts";
import { ask } from "../../tool-bindings/human.ts";
import { done } from "../support/approval-tools.ts";
import { EFFECT_TOOLS, effects, held } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { coordinatorOf, decide, interrupt, reset, waitForHalt } from "../support/interruption.ts";
import { begin, get, waitForEnd } from "../support/runs.ts";

const PATIENCE = { interval: 2, timeout: 10_000 };
const timesDone = (label: string): number => done.filter((call) => call.endsWith(`:${label}`)).length;
const timesHappened = (label: string): number => effects.filter((effect) => effect === `once:${label}`).length;
const view = (id: string): Promise<RunView> => get(`/v1/goals/${id}`);
const happened = (label: string): Promise<unknown> => vi.waitUntil(() => timesHappened(label) === 1, PATIENCE);
const asked = (id: string): Promise<unknown> =>
  vi.waitUntil(async () => ((await view(id)).waitingOn?.length ?? 0) > 0, PATIENCE);

describe("a call that is under way while another begins to wait for a person", () => {
  /** Two calls at once: one that takes its time, one that asks. */
  const beside = (label: string): string =>
    `const [sent, said] = await Promise.allSettled([tools.test.once({ label: "${label}" }), human.ask("Go on?")]);
     done([sent.value ?? sent.reason.kind, said.value])`;

  it("comes to its end first: nobody is asked about it, and it is made once", async () => {
    held.add("slow");
    const id = await begin(scripted("slow", [{ code: beside("slow") }]));
    await happened("slow");
    await asked(id);
    held.delete("slow");
    const run = await waitForHalt(id);
    expect(run.waitingOn?.map(({ on }) => on)).toEqual(["question"]);
    await decide(id, "d1", { answer: "yes" });
    expect((await waitForEnd(id)).result).toEqual(["slow", "yes"]);
    expect(timesHappened("slow")).toBe(1);
  });

  it("may be answered before the other has come to its end", async () => {
    held.add("early");
    const id = await begin(scripted("early", [{ code: beside("early") }]));
    await happened("early");
    await asked(id);
    expect((await decide(id, "d1", { answer: "yes" })).status).toBe(200);
    held.delete("early");
    expect((await waitForEnd(id)).result).toEqual(["early", "yes"]);
    expect(timesHappened("early")).toBe(1);
  });

  it("is asked about when the runtime went away under it, and rejected it is not made again", async () => {
    held.add("killed");
    const id = await begin(scripted("killed", [{ code: beside("killed") }]));
    await happened("killed");
    await asked(id);
    await reset();
    held.delete("killed");
    const run = await waitForHalt(id);
    expect(run.waitingOn?.map(({ id: decision, on }) => [decision, on])).toEqual([
      ["d1", "question"],
      ["d2", "interrupted-call"],
    ]);
    await decide(id, "d1", { answer: "yes" });
    await decide(id, "d2", { decision: "reject" });
    expect((await waitForEnd(id)).result).toEqual(["call-rejected", "yes"]);
    expect(timesHappened("killed")).toBe(1);
  });

  it("that was recorded is not made again when the runtime goes away while the run waits", async () => {
    held.add("kept");
    const id = await begin(scripted("kept", [{ code: beside("kept") }]));
    await happened("kept");
    await asked(id);
    held.delete("kept");
    await waitForHalt(id);
    await reset();
    expect((await view(id)).waitingOn?.map(({ on }) => on)).toEqual(["question"]);
    await decide(id, "d1", { answer: "yes" });
    expect((await waitForEnd(id)).result).toEqual(["kept", "yes"]);
    expect(timesHappened("kept")).toBe(1);
  });

  it("is waited for no longer than the desk's patience, and its result is kept all the same", async () => {
    held.add("endless");
    const id = await begin(scripted("bystander", [{ text: "done" }]));
    await waitForEnd(id);
    await runInDurableObject(coordinatorOf(id), async (_, { storage }) => {
      const stores = openStores(storage, { bucket: {} as R2Bucket, prefix: "", decisionTtlMs: 60_000 }); // nothing here is that long
      const desk = new Desk({
        cell: "bystander",
        tools: [...EFFECT_TOOLS, ask],
        host: {} as never, // these tools use none of it
        journal: stores.journal.of(id, 99),
        signal: new AbortController().signal,
        log: () => {},
        settleMs: 50,
      });
      void desk.call("test.once", JSON.stringify({ label: "endless" }));
      void desk.call("human.ask", JSON.stringify({ question: "Go on?" }));
      await desk.stuck;
      expect(await stores.journal.interrupted(id, 99)).toMatchObject([{ tool: "test.once" }]);
      desk.close();
      held.delete("endless");
      await vi.waitUntil(async () => (await stores.journal.interrupted(id, 99)).length === 0, PATIENCE);
    });
    expect(timesHappened("endless")).toBe(1);
  });
});

describe("a call that was approved and interrupted", () => {
  /** A call that was let go with this answer and was under way when the runtime went away. */
  async function killedUnderWay(label: string, answer: object, runs = label): Promise<RunView> {
    held.add(runs);
    const code = `done(await tools.test.careful({ label: "${label}" }).catch((error) => error.kind))`;
    const id = await begin(scripted(label, [{ code }]));
    await waitForHalt(id);
    expect((await decide(id, "d1", answer)).status).toBe(200);
    await vi.waitUntil(() => timesDone(runs) === 1, PATIENCE);
    await reset();
    held.delete(runs);
    await vi.waitUntil(async () => (await view(id)).waitingOn?.[0]?.id === "d2", PATIENCE);
    return view(id);
  }

  it("is asked about, although its tool was approved for the rest of the run", async () => {
    const run = await killedUnderWay("trusted", { decision: "approve", remember: "run" });
    expect(run.waitingOn).toMatchObject([{ id: "d2", on: "interrupted-call", args: { label: "trusted" } }]);
    expect(timesDone("trusted")).toBe(1);
    const bad = await decide(run.id, "d2", { decision: "approve", remember: "run" });
    expect(bad.status).toBe(400);
    await decide(run.id, "d2", { decision: "reject" });
    expect((await waitForEnd(run.id)).result).toBe("call-rejected");
    expect(timesDone("trusted")).toBe(1);
  });

  it("is asked about with the arguments that a person put in place, which then run", async () => {
    const run = await killedUnderWay("plain", { decision: "approve", args: { label: "edited" } }, "edited");
    const [asks] = run.waitingOn!;
    expect(asks).toMatchObject({ on: "interrupted-call", args: { label: "edited" } });
    expect((await decide(run.id, "d2", { decision: "approve", digest: asks!.digest })).status).toBe(200);
    expect((await waitForEnd(run.id)).result).toBe("did edited");
    expect([timesDone("plain"), timesDone("edited")]).toEqual([0, 2]);
  });

  it("is shown with all of its arguments, however long", async () => {
    const code = `done(await tools.test.once({ label: "long", value: "z".repeat(600_000) + "END" }).catch((error) => error.kind))`;
    const { id } = await interrupt(scripted("long", [{ code }]), { effect: 1 });
    const run = await waitForHalt(id);
    expect((run.waitingOn![0]!.args as { value: string }).value).toBe("z".repeat(600_000) + "END");
    await decide(id, "d1", { decision: "reject" });
    await waitForEnd(id);
  });
});
