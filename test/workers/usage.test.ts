import { env, runInDurableObject, SELF } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { UsageReport } from "../../src/contract/usage.ts";
import { held } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { coordinatorOf } from "../support/interruption.ts";
import { begin, get, submit, waitForEnd } from "../support/runs.ts";

const report = (query = ""): Promise<UsageReport> => get(`/v1/usage${query}`);

describe("GET /v1/usage", () => {
  it("sums what ended runs have spent, by day, model and run", async () => {
    const run = await submit(
      scripted("usage", [
        { code: "1" },
        {
          text: "ok",
          usage: {
            input_tokens: 1000,
            output_tokens: 10,
            cache_read_input_tokens: 500,
            cache_creation_input_tokens: 0,
          },
        },
      ]),
    );
    // A run is reported right after it ended, by an object of its own.
    const reported = await vi.waitUntil(async () => (await report()).runs.find((row) => row.run === run.id), {
      timeout: 10_000,
      interval: 20,
    });
    const { input, output, cacheRead, cacheWrite, modelCalls, costUsd } = run.usage;
    expect(reported).toEqual({ run: run.id, input, output, cacheRead, cacheWrite, modelCalls, costUsd });
    const { total, days, models } = await report();
    expect(total.modelCalls).toBeGreaterThanOrEqual(2);
    expect(days).toEqual([{ day: new Date().toISOString().slice(0, 10), ...total }]);
    expect(models.map(({ model }) => model)).toContain(run.model);
  });

  it("tells of a run while it is under way", async () => {
    held.add("under-way");
    const id = await begin(
      scripted("still running", [{ code: `done(await tools.test.read({ label: "under-way" }))` }]),
    );
    const pulsed = await vi.waitUntil(
      async () => {
        await runInDurableObject(coordinatorOf(id), (coordinator) => coordinator.pulse());
        return (await report()).runs.find((row) => row.run === id);
      },
      { timeout: 10_000, interval: 20 },
    );
    expect(pulsed.modelCalls).toBe(1);
    held.delete("under-way");
    expect((await waitForEnd(id)).status).toBe("succeeded");
  });

  it("is not set back by a report that was overtaken", async () => {
    const registry = env.REGISTRY.getByName("main");
    const spent = (calls: number) => ({
      late: { input: calls, output: 0, cacheRead: 0, cacheWrite: 0, modelCalls: calls, costUsd: 0 },
    });
    await registry.note({ id: "s.late", status: "succeeded", endedAt: new Date().toISOString(), spent: spent(3) });
    await registry.note({ id: "s.late", status: "running", spent: spent(2) });
    expect((await report()).models.find(({ model }) => model === "late")).toMatchObject({ modelCalls: 3, input: 3 });
  });

  it("counts no call that was refused", async () => {
    const code = `for (const call of [() => tools.no.such({}), () => tools.time.sleep({ ms: "x" }), () => tools.time.sleep({ ms: 1 })])
      await call().catch(() => {}); done("end")`;
    expect((await submit(scripted("refused calls", [{ code }]))).usage.calls).toBe(1);
  });

  it("takes a range of days", async () => {
    expect((await report("?from=2020-01-01&to=2020-12-31")).total).toMatchObject({ modelCalls: 0, costUsd: 0 });
  });

  it("says which end of a range is wrong", async () => {
    const response = await SELF.fetch("http://localhost/v1/usage?from=2026-02-01&to=2026-01-01");
    expect([response.status, await response.json()]).toMatchObject([400, { errors: [{ field: "from" }] }]);
  });

  it.each(["from=yesterday", "to=2020-13-01", "month=1"])("refuses %s", async (query) => {
    expect((await SELF.fetch(`http://localhost/v1/usage?${query}`)).status).toBe(400);
  });
});
