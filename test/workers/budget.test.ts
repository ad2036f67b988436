import { describe, expect, it } from "vitest";
import { scripted } from "../support/goal-script.ts";
import { submit } from "../support/runs.ts";

describe("a run that has spent its budget", () => {
  it("has the last value there was as its result, itself and not a preview of it", async () => {
    const code = `({ rows: Array.from({ length: 2_000 }, (_, i) => ({ i, name: "row " + i })), by: new Map([["a", 1]]) })`;
    const run = await submit(scripted("partial", [{ code }, { text: "never" }]), { budget: { turns: 1 } });
    expect(run).toMatchObject({ status: "exhausted", failure: { message: expect.stringContaining("turns") } });
    const { rows } = run.result as { rows: unknown[] };
    expect([rows.length, rows.at(-1)]).toEqual([2_000, { i: 1_999, name: "row 1999" }]);
  });

  it("has the preview of one that is too large to keep, or holds code", async () => {
    for (const code of [`"x".repeat(400_000)`, `({ total: 3, again: () => 1 })`]) {
      const run = await submit(scripted(`preview ${code.length}`, [{ code }, { text: "never" }]), {
        budget: { turns: 1 },
      });
      expect([run.status, typeof run.result]).toEqual(["exhausted", "string"]);
      expect((run.result as string).length).toBeLessThan(8_001);
    }
  });

  it("has the value of the last cell that had one", async () => {
    const steps = [{ code: "[1, 2, 3]" }, { code: "let later = 4;" }, { text: "never" }];
    expect(await submit(scripted("last value", steps), { budget: { turns: 2 } })).toMatchObject({
      status: "exhausted",
      result: [1, 2, 3],
    });
  });
});

describe("a limit on cost", () => {
  const local = (name: string): string => scripted(name, [{ code: "1", model: "llama3" }, { text: "done" }]);

  it("ends the run when it was named and the price of a call is not known", async () => {
    const run = await submit(local("named"), { budget: { cost: 1 } });
    expect(run).toMatchObject({
      status: "failed",
      failure: { kind: "price-unknown", message: expect.stringMatching(/tokens.*known price/) },
      usage: { modelCalls: 1, cells: 0, costUsd: null },
    });
  });

  it("that is only the default ends no run of a local model", async () => {
    const run = await submit(local("default"));
    expect(run).toMatchObject({ status: "succeeded", result: "done", budget: { cost: 10 } });
  });
});
