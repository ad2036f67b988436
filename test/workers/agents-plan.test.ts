import { describe, expect, it } from "vitest";
import { scripted } from "../support/goal-script.ts";
import { eventsOf, get, modelCalls, submit } from "../support/runs.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { task, WORKER } from "../support/tasks.ts";

const step = (id: string, code: string, more = ""): string =>
  `{ id: "${id}", agent: ${WORKER}, task: ${task(`step ${id}`, [{ code }])}${more} }`;

describe("agents.plan", () => {
  it("takes independent steps side by side and hands outputs on by reference", async () => {
    const steps = [
      step("left", "done(data + 1)", ", data: 1"),
      step("right", "done(data + 1)", ", data: 10"),
      step("sum", "done({ total: data.left + data.right, extra: data.data })", ', needs: ["left", "right"], data: "x"'),
    ];
    const run = await submit(scripted("plan", [{ code: `done(await agents.plan([${steps.join(", ")}]))` }]));
    expect(run.result).toEqual({ left: 2, right: 11, sum: { total: 13, extra: "x" } });
    expect(run.plan).toMatchObject({
      revision: 1,
      steps: [
        { id: "left", agent: "worker", needs: [], status: "succeeded", subtask: expect.any(String) },
        { id: "right", needs: [], status: "succeeded" },
        { id: "sum", needs: ["left", "right"], status: "succeeded" },
      ],
    });
  });

  it("is revised by writing it again: what is as it was is not done twice", async () => {
    const first = step("keep", "done('kept')");
    const steps = (last: string): string => `await agents.plan([${first}, ${last}])`;
    const run = await submit(
      scripted("revise", [
        { code: steps(step("next", "done(data.keep + ' one')", ', needs: ["keep"]')) },
        { code: `done(${steps(step("next", "done(data.keep + ' two')", ', needs: ["keep"]'))})` },
      ]),
    );
    expect(run).toMatchObject({
      result: { keep: "kept", next: "kept two" },
      plan: { revision: 2 },
      usage: { agents: 3 },
    });
    expect(await modelCalls('"text":"step keep <script>')).toBe(1);
    const written = [];
    for await (const event of eventsOf(run.id)) if (event.type === "plan-written") written.push(event.revision);
    expect(written).toEqual([1, 2]);
  });

  it("does not take steps whose needs failed, and keeps what the others gave", async () => {
    const failing = `{ id: "bad", agent: ${WORKER}, task: ${task("bad step", [{ refuse: true }])} }`;
    const steps = [step("good", "done(1)"), failing, step("after", "done(2)", ', needs: ["bad"]')];
    const run = await submit(scripted("failing plan", [{ code: `done(await agents.plan([${steps.join(", ")}]))` }]));
    expect(run.result).toMatchObject({
      good: 1,
      bad: { failure: { kind: "model-refused" } },
      after: { failure: { kind: "step-skipped" } },
    });
    expect((await get<RunView>(`/v1/goals/${run.id}`)).plan!.steps.map(({ status }) => status)).toEqual([
      "succeeded",
      "failed",
      "cancelled",
    ]);
  });

  it.each([
    [
      "a circle",
      '[{ id: "a", agent: "coder", task: "x", needs: ["b"] }, { id: "b", agent: "coder", task: "x", needs: ["a"] }]',
      "leads back",
    ],
    ["an unknown need", '[{ id: "a", agent: "coder", task: "x", needs: ["z"] }]', '"z"'],
    ["an id twice", '[{ id: "a", agent: "coder", task: "x" }, { id: "a", agent: "coder", task: "x" }]', "twice"],
    ["an unknown agent", '[{ id: "a", agent: "wizard", task: "x" }]', "wizard"],
    ["no steps", "[]", "steps"],
  ])("refuses %s before anything is started", async (_what, steps, says) => {
    const run = await submit(
      scripted("bad plan", [{ code: `done(await agents.plan(${steps}).catch((e) => e.message))` }]),
    );
    expect(run.result).toContain(says);
    expect(run.usage.agents).toBe(0);
  });
});
