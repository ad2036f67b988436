import { abortAllDurableObjects } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { Step } from "../support/scripted-model.ts";
import { scripted } from "../support/goal-script.ts";
import { begin, get, modelCalls, submit, waitFor, waitForEnd } from "../support/runs.ts";

describe("a run", () => {
  it("ends with what its cell gives to done()", async () => {
    const run = await submit(
      scripted("sum", [{ code: "const total = rows.reduce((a, b) => a + b, 0);\ndone({ total })" }]),
      { inputs: { rows: [1, 2, 3] } },
    );
    expect(run).toMatchObject({ status: "succeeded", result: { total: 6 }, usage: { modelCalls: 1, cells: 1 } });
  });

  it("ends with the model's text when it writes no code", async () => {
    expect(await submit(scripted("talk", [{ text: "Forty-two." }]))).toMatchObject({
      status: "succeeded",
      result: "Forty-two.",
    });
  });

  it("shows a cell's error to the model with kind, message and line, and goes on", async () => {
    const run = await submit(scripted("mend", [{ code: "const a = 1;\nnull.x;\n" }, { code: "done(a + 1)" }]));
    expect(run).toMatchObject({ status: "succeeded", result: 2 });
    const { items } = await get<{ items: { answer: { error?: object } }[] }>(`/v1/goals/${run.id}/cells`);
    expect(items[0]!.answer.error).toMatchObject({ kind: "thrown", line: 2 });
  });

  it("keeps variables from cell to cell and from goal to goal of a session", async () => {
    const first = await submit(
      scripted("first", [
        { code: "let n = 1; function twice(x: number) { return 2 * x + n }" },
        { code: "n = 5; done(twice(10))" },
      ]),
      { session: "kernel-1" },
    );
    expect(first.result).toBe(25);
    const second = await submit(scripted("second", [{ code: "done(twice(n))" }]), { session: "kernel-1" });
    expect(second.result).toBe(15);
  });

  it("is exhausted when its turns are spent, with what it has", async () => {
    const run = await submit(scripted("spend", [{ code: "1 + 1" }, { code: "2 + 2" }, { code: "3" }]), {
      budget: { turns: 2 },
    });
    expect(run).toMatchObject({ status: "exhausted", result: 4, failure: { kind: "budget-spent" } });
  });

  it("is exhausted when its time is over, also in the middle of a model call or a cell", async () => {
    for (const step of [{ stall: true } as Step, { code: "await new Promise((wake) => setTimeout(wake, 20_000))" }]) {
      const run = await submit(scripted("slow", [step, { text: "never" }]), { budget: { seconds: 1 } });
      expect(run).toMatchObject({ status: "exhausted", failure: { message: expect.stringContaining("seconds") } });
    }
  });

  it("tells the model the last of many logs, and the events tell all", async () => {
    const run = await submit(
      scripted("logs", [{ code: "for (let i = 0; i < 900; i++) console.log('line', i)" }, { text: "ok" }]),
    );
    const { items } = await get<{ items: { answer: { logs: string[] } }[] }>(`/v1/goals/${run.id}/cells`);
    const { logs } = items[0]!.answer;
    expect(logs.join("\n").length).toBeLessThan(4_100);
    expect([logs[0], logs.at(-1)]).toEqual([expect.stringMatching(/^… \d+ earlier lines/), "line 899"]);
  });

  it("goes on after its object was reset, and pays for no model call twice (J2)", async () => {
    const goal = scripted("reset", [
      { code: "let a = 20" },
      { code: "await new Promise(r => setTimeout(r, 300)); let b = a + 1" },
      { code: "done(a + b)" },
    ]);
    const id = await begin(goal);
    await waitFor(id, (event) => event.type === "cell-started" && event.cell === 2);
    await abortAllDurableObjects();
    const run = await waitForEnd(id);
    expect(run).toMatchObject({ status: "succeeded", result: 41 });
    expect(await modelCalls("reset <script>")).toBe(3);
  });
});
