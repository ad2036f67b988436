/** `POST /v1/capabilities/:name/run`: a capability from outside, in a run of its own. */
import { SELF } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import { done } from "../support/approval-tools.ts";
import { draft, keep, quarantine, usesOf } from "../support/capabilities.ts";
import { decide } from "../support/interruption.ts";
import { get, waitForEnd } from "../support/runs.ts";

async function run(name: string, body: object): Promise<{ status: number; body: Record<string, unknown> }> {
  const response = await SELF.fetch(`http://localhost/v1/capabilities/${name}/run`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
  });
  return { status: response.status, body: await response.json() };
}

describe("a capability that is run from outside", () => {
  it("answers its output, and the run says what was done without a model", async () => {
    await keep(draft("outside-sum", "export default (input: number[]) => input.reduce((a, b) => a + b, 0);"));
    const answer = await run("outside-sum", { input: [1, 2, 3] });
    expect(answer).toEqual({ status: 200, body: { output: 6, run: expect.any(String) } });
    const view = await get<RunView>(`/v1/goals/${answer.body["run"] as string}`);
    expect(view).toMatchObject({
      status: "succeeded",
      result: { output: 6 },
      usage: { modelCalls: 0, input: 0, calls: 1 },
    });
    expect(await usesOf("outside-sum")).toMatchObject([{ ok: true, caller: answer.body["run"] }]);
  });

  it("takes a version", async () => {
    await keep(draft("outside-versions", "export default () => 1;"));
    await keep(draft("outside-versions", "export default () => 2;"));
    expect((await run("outside-versions", { input: null, version: 1 })).body).toMatchObject({ output: 1 });
    expect(await run("outside-versions", { input: null, version: 9 })).toMatchObject({ status: 404 });
  });

  it("fails as a problem that says what to change", async () => {
    await keep(
      draft("outside-odd", `export default () => { throw new Error("odd"); };`, { input: { type: "number" } }),
    );
    expect(await run("outside-odd", { input: 1 })).toMatchObject({
      status: 422,
      body: { detail: expect.stringContaining("line 1): odd") },
    });
    expect(await run("outside-odd", { input: "1" })).toMatchObject({
      status: 400,
      body: { errors: [{ field: "input", problem: expect.stringContaining("must be number") }] },
    });
    expect(await run("outside-odd", {})).toMatchObject({ status: 400, body: { errors: [{ field: "input" }] } });
    expect(await run("outside-nobody", { input: 1 })).toMatchObject({ status: 404 });
    expect(await run("Not%20a%20name", { input: 1 })).toMatchObject({ status: 404 });
    await quarantine("outside-odd");
    expect(await run("outside-odd", { input: 1 })).toMatchObject({ status: 409 });
  });

  it("answers with the run when a person must agree first", async () => {
    await keep(
      draft("outside-careful", `export default async (label: string) => await tools.test.careful({ label });`, {
        needs: ["test.careful"],
      }),
    );
    const { status, body } = await run("outside-careful", { input: "oc" });
    expect([status, body["status"]]).toEqual([202, "waiting"]);
    const id = body["id"] as string;
    expect((await decide(id, "d1", { decision: "approve" })).status).toBe(200);
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: { output: "did oc" } });
    expect(done.filter((call) => call === "test.careful:oc")).toHaveLength(1);
    expect((await run("outside-careful", { input: "od", approvals: "auto" })).body).toMatchObject({ output: "did od" });
  });
});
