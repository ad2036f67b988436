/** What people and models are shown of a run. */
import { SELF } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { runCells } from "../support/runs.ts";

describe("what is shown", () => {
  it.each([
    ["a rejected promise", "Promise.reject(new Error('lost one')); await tools.time.sleep({ ms: 20 }); 7"],
    ["an async function", "(async () => { throw new Error('lost one') })(); await tools.time.sleep({ ms: 20 }); 7"],
    ["a timer", "setTimeout(() => { throw new Error('lost one') }, 1); await tools.time.sleep({ ms: 50 }); 7"],
  ])("an error of %s that nobody waited for is told as a log line", async (_what, cell) => {
    const { answers } = await runCells([cell]);
    expect(answers[0]).toEqual({ value: "7", logs: [expect.stringContaining("lost one")] });
  });

  it("a variable that is too large for an answer is refused with its size, not with a 500", async () => {
    const { run, answers } = await runCells([`const big = "\\u4e2d".repeat(17e6); const small = 1`]);
    expect(answers[0]!.unsaved).toBeUndefined();
    const response = await SELF.fetch(`http://localhost/v1/goals/${run.id}/variables/big`);
    expect(response.status).toBe(413);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("characters long") });
    expect((await SELF.fetch(`http://localhost/v1/goals/${run.id}/variables/small`)).status).toBe(200);
  });

  it("of one long log line its beginning", async () => {
    const { answers } = await runCells(["console.log('x'.repeat(5e6))"]);
    expect(answers[0]!.logs).toEqual([expect.stringMatching(/^x{1000}…$/)]);
  });
});
