import { SELF } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { UsageReport } from "../../src/contract/usage.ts";
import { scripted } from "../support/goal-script.ts";
import { get, submit } from "../support/runs.ts";

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

  it("takes a range of days", async () => {
    expect((await report("?from=2020-01-01&to=2020-12-31")).total).toMatchObject({ modelCalls: 0, costUsd: 0 });
  });

  it.each(["from=yesterday", "to=2020-13-01", "month=1"])("refuses %s", async (query) => {
    expect((await SELF.fetch(`http://localhost/v1/usage?${query}`)).status).toBe(400);
  });
});
