import { abortAllDurableObjects, env, runInDurableObject, SELF } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { PendingDecision, RunView } from "../../src/contract/goal.ts";
import { done } from "../support/approval-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { coordinatorOf } from "../support/interruption.ts";
import { begin, get, submit, waitFor, waitForEnd } from "../support/runs.ts";

const timesDone = (label: string): number => done.filter((call) => call.endsWith(`:${label}`)).length;
const careful = (label: string): string => `tools.test.careful({ label: "${label}" })`;
const refused = ".catch((error) => error.kind)";

/** Begins a goal of one cell and waits until it waits. */
async function waiting(
  name: string,
  code: string,
  more: object = {},
): Promise<{ id: string; pending: PendingDecision[] }> {
  const id = await begin(scripted(name, [{ code }]), more);
  await waitFor(id, ({ type }) => type === "run-waiting");
  const run = await get<RunView>(`/v1/goals/${id}`);
  expect(run.status).toBe("waiting");
  return { id, pending: run.waitingOn! };
}
const answer = async (
  id: string,
  decision: string,
  body: object,
): Promise<{
  status: number;
  body: { type?: string; detail?: string; errors?: { field: string; problem: string }[] };
}> => {
  const response = await SELF.fetch(`http://localhost/v1/goals/${id}/approvals/${decision}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
};

describe("a call that needs a person", () => {
  it("makes the run wait with the tool, the arguments, why, and what each answer does; approved, it runs once", async () => {
    const { id, pending } = await waiting("approve", `done(await ${careful("a1")})`);
    expect(pending).toEqual([
      {
        id: "d1",
        on: "approval",
        tool: "test.careful",
        args: { label: "a1" },
        digest: expect.stringMatching(/^[0-9a-f]{16}$/),
        why: expect.stringContaining("test.careful"),
        choices: {
          approve: expect.any(String),
          remember: expect.stringContaining("rest of the run"),
          reject: expect.any(String),
          expire: expect.stringContaining("expiresAt"),
        },
        askedAt: expect.any(String),
        expiresAt: expect.any(String),
      },
    ]);
    expect(await get(`/v1/goals/${id}/approvals`)).toEqual({ items: pending });
    expect(timesDone("a1")).toBe(0);
    expect((await answer(id, "d1", { decision: "approve", digest: pending[0]!.digest })).status).toBe(200);
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: "did a1" });
    expect(timesDone("a1")).toBe(1);
  });

  it("never runs when it is rejected, and the cell is told why", async () => {
    const { id } = await waiting(
      "reject",
      `done(await ${careful("a2")}.catch((error) => [error.kind, error.message]))`,
    );
    await answer(id, "d1", { decision: "reject", note: "too risky" });
    expect(await waitForEnd(id)).toMatchObject({ result: ["call-rejected", expect.stringContaining("too risky")] });
    expect(timesDone("a2")).toBe(0);
  });

  it("runs with the arguments that a person put in place of its own", async () => {
    const { id } = await waiting("edit", `done(await ${careful("a3")})`);
    const bad = await answer(id, "d1", { decision: "approve", args: { label: "" } });
    expect([bad.status, bad.body.errors![0]!.field]).toEqual([400, "args.label"]);
    await answer(id, "d1", { decision: "approve", args: { label: "a3-edited" } });
    expect(await waitForEnd(id)).toMatchObject({ result: "did a3-edited" });
    expect([timesDone("a3"), timesDone("a3-edited")]).toEqual([0, 1]);
  });

  it("is approved for the rest of the run when a person says so, and in no other run", async () => {
    const { id } = await waiting("remember", `await ${careful("a4")}; await ${careful("a5")}; done("both")`);
    await answer(id, "d1", { decision: "approve", remember: "run" });
    expect(await waitForEnd(id)).toMatchObject({ result: "both" });
    const other = await waiting("other run", `done(await ${careful("a6")})`);
    expect(timesDone("a6")).toBe(0);
    await answer(other.id, "d1", { decision: "reject" });
  });

  it("asks about calls that were made together, together", async () => {
    const { id, pending } = await waiting(
      "together",
      `done(await Promise.all([${careful("a7")}, ${careful("a8")}${refused}]))`,
    );
    expect(pending.map(({ args }) => args)).toEqual([{ label: "a7" }, { label: "a8" }]);
    await answer(id, "d2", { decision: "reject" });
    expect((await get<RunView>(`/v1/goals/${id}`)).status).toBe("waiting");
    await answer(id, "d1", { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ result: ["did a7", "call-rejected"] });
  });

  it("takes the same answer twice as one, and no other answer after it", async () => {
    const { id } = await waiting("twice", `done(await ${careful("a9")})`);
    const answers = await Promise.all([1, 2].map(() => answer(id, "d1", { decision: "approve" })));
    expect(answers.map(({ status }) => status)).toEqual([200, 200]);
    await waitForEnd(id);
    expect((await answer(id, "d1", { decision: "approve" })).status).toBe(200);
    expect(await answer(id, "d1", { decision: "reject" })).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("already-decided") },
    });
    expect(timesDone("a9")).toBe(1);
  });

  it("refuses an answer to other arguments than it shows, as stale", async () => {
    const { id } = await waiting("stale", `done(await ${careful("b1")}${refused})`);
    expect(await answer(id, "d1", { decision: "approve", digest: "0000000000000000" })).toMatchObject({
      status: 409,
      body: { type: expect.stringContaining("stale-decision") },
    });
    expect((await answer(id, "d9", { decision: "approve" })).status).toBe(404);
    expect(timesDone("b1")).toBe(0);
    await answer(id, "d1", { decision: "reject" });
  });

  it("is still pending, and the same, after its object was reset while it waited", async () => {
    const { id, pending } = await waiting("killed", `done(await ${careful("b2")})`);
    await abortAllDurableObjects();
    expect((await get<RunView>(`/v1/goals/${id}`)).waitingOn).toEqual(pending);
    await answer(id, "d1", { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ result: "did b2" });
    expect(timesDone("b2")).toBe(1);
  });

  it("never runs once it has expired", async () => {
    const { id } = await waiting("expire", `done(await ${careful("b3")}${refused})`);
    const stub = env.COORDINATOR.getByName(`main/${id.slice(0, id.lastIndexOf("."))}`);
    await runInDurableObject(stub, async (coordinator, state) => {
      state.storage.sql.exec("UPDATE decisions SET expires_at = 1");
      await coordinator.pulse();
    });
    expect(await waitForEnd(id)).toMatchObject({ result: "call-expired" });
    expect((await answer(id, "d1", { decision: "approve" })).status).toBe(409);
    expect(timesDone("b3")).toBe(0);
  });

  it("can be cancelled while it waits", async () => {
    const { id } = await waiting("cancel", `done(await ${careful("b4")})`);
    await SELF.fetch(`http://localhost/v1/goals/${id}/cancel`, { method: "POST" });
    expect(await answer(id, "d1", { decision: "approve" })).toMatchObject({ status: 409 });
    expect(timesDone("b4")).toBe(0);
  });
});

describe("a decision about one call, beside one about its tool", () => {
  const both = (first: string, second: string): string =>
    `done(await Promise.all([${careful(first)}${refused}, ${careful(second)}${refused}]))`;

  it.each([
    ["before", ["d2", "d1"]],
    ["after", ["d1", "d2"]],
  ])("a call rejected %s its tool was approved for the run never runs", async (when, order) => {
    const [good, bad] = [`e1-${when}`, `e2-${when}`];
    const { id } = await waiting(`reject ${when}`, `${both(good, bad)}`);
    const answers: Record<string, object> = {
      d1: { decision: "approve", remember: "run" },
      d2: { decision: "reject" },
    };
    const statuses = [];
    for (const decision of order) statuses.push((await answer(id, decision, answers[decision]!)).status);
    // Said last, "for the rest of the run" has approved the other already: an answer stays.
    expect(statuses).toEqual(when === "before" ? [200, 200] : [200, 409]);
    const run = await waitForEnd(id);
    expect(run.result).toEqual([`did ${good}`, when === "before" ? "call-rejected" : `did ${bad}`]);
    expect(timesDone(bad)).toBe(when === "before" ? 0 : 1);
  });

  it("a call that expired never runs, though its tool is approved for the run afterwards", async () => {
    const { id } = await waiting("expire beside", both("e3", "e4"));
    await runInDurableObject(coordinatorOf(id), (_, { storage }) => {
      storage.sql.exec("UPDATE decisions SET expires_at = 1 WHERE id = 'd2'");
    });
    expect((await answer(id, "d1", { decision: "approve", remember: "run" })).status).toBe(200);
    expect(await waitForEnd(id)).toMatchObject({ result: ["did e3", "call-expired"] });
    expect(timesDone("e4")).toBe(0);
  });

  it("approved for the run, releases what is asked about the same tool, and no other", async () => {
    const { id, pending } = await waiting(
      "release",
      `done(await Promise.all([${careful("e5")}, ${careful("e6")}, tools.test.grave({ label: "e7" })]))`,
    );
    expect(pending.map(({ tool }) => tool)).toEqual(["test.careful", "test.careful", "test.grave"]);
    await answer(id, "d1", { decision: "approve", remember: "run" });
    expect((await get<RunView>(`/v1/goals/${id}`)).waitingOn?.map((open) => open.id)).toEqual(["d3"]);
    await answer(id, "d3", { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ result: ["did e5", "did e6", "did e7"] });
    expect([timesDone("e5"), timesDone("e6"), timesDone("e7")]).toEqual([1, 1, 1]);
  });

  it("counts when it is said after a plain approval", async () => {
    const { id } = await waiting(
      "said late",
      `done(await Promise.all([${careful("e8")}, human.ask("Go on?")]).then(() => ${careful("e9")}))`,
    );
    expect((await answer(id, "d1", { decision: "approve" })).status).toBe(200);
    expect((await answer(id, "d1", { decision: "approve", remember: "run" })).status).toBe(200);
    await answer(id, "d2", { answer: "yes" });
    expect(await waitForEnd(id)).toMatchObject({ result: "did e9" });
  });

  it("is refused for a tool each call of which needs a person, which is asked about again", async () => {
    const grave = (label: string): string => `tools.test.grave({ label: "${label}" })${refused}`;
    const { id, pending } = await waiting("always asked", `await ${grave("f1")}; done(await ${grave("f2")})`);
    expect(pending[0]!.choices).not.toHaveProperty("remember");
    const bad = await answer(id, "d1", { decision: "approve", remember: "run" });
    expect([bad.status, bad.body.errors![0]!.field]).toEqual([400, "remember"]);
    // Not even when the tool is trusted from elsewhere.
    await runInDurableObject(coordinatorOf(id), (_, { storage }) => {
      storage.sql.exec("INSERT INTO trusted (run, tool) VALUES (?, 'test.grave')", id);
    });
    await answer(id, "d1", { decision: "approve" });
    await vi.waitUntil(async () => (await get<RunView>(`/v1/goals/${id}`)).waitingOn?.[0]?.id === "d2");
    expect(timesDone("f2")).toBe(0);
    await answer(id, "d2", { decision: "reject" });
    expect(await waitForEnd(id)).toMatchObject({ result: "call-rejected" });
  });

  it("is refused beside a rejection", async () => {
    const { id } = await waiting("reject for all", `done(await ${careful("f3")}${refused})`);
    const bad = await answer(id, "d1", { decision: "reject", remember: "run" });
    expect([bad.status, bad.body.errors![0]!.field]).toEqual([400, "remember"]);
    expect((await answer(id, "d1", { decision: "reject" })).status).toBe(200);
  });
});

describe("what a person is shown", () => {
  it("is all of the arguments, however long, and the digest is of them", async () => {
    const { id, pending } = await waiting(
      "long",
      `done((await tools.test.careful({ label: "x".repeat(1_500_000) + "END" })).length)`,
    );
    expect((pending[0]!.args as { label: string }).label).toBe("x".repeat(1_500_000) + "END");
    const edited = "y".repeat(1_200_000);
    expect(
      (await answer(id, "d1", { decision: "approve", args: { label: edited }, digest: pending[0]!.digest })).status,
    ).toBe(200);
    expect(await waitForEnd(id)).toMatchObject({ result: edited.length + "did ".length });
    expect(timesDone(edited)).toBe(1);
  });

  it("stands in the event of the wait, by id", async () => {
    const id = await begin(
      scripted("ids", [{ code: `done(await Promise.all([${careful("g1")}${refused}, ${careful("g2")}${refused}]))` }]),
    );
    let told: unknown;
    await waitFor(id, (event) => {
      if (event.type === "run-waiting") told = event.decisions;
      return event.type === "run-waiting";
    });
    expect(told).toEqual(["d1", "d2"]);
    for (const decision of ["d1", "d2"]) await answer(id, decision, { decision: "reject" });
  });
});

describe("an answer that comes too late", () => {
  it("is refused by the clock, before any alarm, and the run goes on as expired", async () => {
    const { id } = await waiting("late", `done(await ${careful("h1")}${refused})`);
    await runInDurableObject(coordinatorOf(id), (_, { storage }) => {
      storage.sql.exec("UPDATE decisions SET expires_at = ?", Date.now() - 1);
    });
    const late = await answer(id, "d1", { decision: "approve" });
    expect([late.status, late.body.detail]).toEqual([409, expect.stringContaining("expired")]);
    expect(await waitForEnd(id)).toMatchObject({ result: "call-expired" });
    expect(timesDone("h1")).toBe(0);
  });
});

describe("Prefer: wait", () => {
  it("answers at once when the run waits for a person, with what it waits for", async () => {
    const response = await SELF.fetch("http://localhost/v1/goals", {
      method: "POST",
      headers: { "content-type": "application/json", prefer: "wait=300" }, // longer than this test may take
      body: JSON.stringify({ goal: scripted("held", [{ code: `done(await ${careful("i1")}${refused})` }]) }),
    });
    const body = await response.json<RunView>();
    expect([response.status, body.status]).toEqual([202, "waiting"]);
    expect(body.waitingOn).toMatchObject([{ id: "d1", tool: "test.careful", args: { label: "i1" } }]);
    expect(body.links["approvals"]).toBe(`/v1/goals/${body.id}/approvals`);
    await answer(body.id, "d1", { decision: "reject" });
  });
});

describe("approvals at submission", () => {
  it("auto approves what tools mark as ask", async () => {
    expect(
      await submit(scripted("auto", [{ code: `done(await ${careful("c1")})` }]), { approvals: "auto" }),
    ).toMatchObject({ result: "did c1" });
  });

  it("auto never approves what they mark as always", async () => {
    const { id } = await waiting("always", `done(await tools.test.grave({ label: "c2" }))`, { approvals: "auto" });
    expect(timesDone("c2")).toBe(0);
    await answer(id, "d1", { decision: "approve" });
    expect(await waitForEnd(id)).toMatchObject({ result: "did c2" });
  });
});

describe("human.ask", () => {
  it("goes on with what a person says", async () => {
    const { id, pending } = await waiting("ask", `const name = await human.ask("Your name?"); done("Hello " + name)`);
    expect(pending).toMatchObject([
      { on: "question", tool: "human.ask", args: { question: "Your name?" }, choices: { answer: expect.any(String) } },
    ]);
    expect((await answer(id, "d1", { decision: "approve" })).body.errors![0]!.field).toBe("answer");
    await answer(id, "d1", { answer: "Ada" });
    expect(await waitForEnd(id)).toMatchObject({ result: "Hello Ada" });
  });

  it("takes only one of its choices", async () => {
    const { id, pending } = await waiting("choose", `done(await human.ask("Which?", { choices: ["red", "blue"] }))`);
    expect(pending[0]!.options).toEqual(["red", "blue"]);
    expect((await answer(id, "d1", { answer: "green" })).status).toBe(400);
    await answer(id, "d1", { answer: "blue" });
    expect(await waitForEnd(id)).toMatchObject({ result: "blue" });
  });

  it("says in words of its own that nobody answered in time", async () => {
    const { id } = await waiting("unanswered", `done(await human.ask("Well?").catch((e) => [e.kind, e.message]))`);
    await runInDurableObject(coordinatorOf(id), async (coordinator, { storage }) => {
      storage.sql.exec("UPDATE decisions SET expires_at = 1");
      await coordinator.pulse();
    });
    expect(await waitForEnd(id)).toMatchObject({
      result: ["call-expired", expect.stringContaining("answered the question")],
    });
  });

  it("refuses choices of which two are the same", async () => {
    const code = `done(await human.ask("Which?", { choices: ["a", "a"] }).catch((e) => [e.kind, e.message]))`;
    expect(await submit(scripted("same choices", [{ code }]))).toMatchObject({
      result: ["bad-arguments", expect.stringContaining("different")],
    });
  });

  it("throws in the cell when nobody answers", async () => {
    const { id } = await waiting("silence", `done(await human.ask("Anyone?")${refused})`);
    await answer(id, "d1", { decision: "reject" });
    expect(await waitForEnd(id)).toMatchObject({ result: "call-rejected" });
  });
});
