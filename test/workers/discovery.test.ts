import { env } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import { scripted } from "../support/goal-script.ts";
import { modelCalls, runCells, submit } from "../support/runs.ts";

const NOUNS = [
  "invoice",
  "customer",
  "shipment",
  "ticket",
  "payment",
  "meeting",
  "warehouse",
  "contract",
  "photo",
  "sensor",
];
const VERBS = ["create", "list", "delete", "update", "archive", "approve", "export", "merge", "rename", "schedule"];
const entries = (count: number) =>
  Array.from({ length: count }, (_, i) => ({
    name: `vendor${i}.${VERBS[i % 10]}_${NOUNS[Math.floor(i / 10) % 10]}`,
    kind: "tool" as const,
    summary: `${VERBS[i % 10]} a ${NOUNS[Math.floor(i / 10) % 10]} in system ${i}`,
    text: `system ${i}`,
  }));
const library = env.LIBRARY.getByName("main");
const firstRequest = async (text: string): Promise<{ system: unknown; tools: unknown; messages: unknown }> =>
  (await fetch(`${inject("countUrl")}?first&q=${encodeURIComponent(text)}`)).json();

describe("progressive discovery", () => {
  it("lets a model that was told of no tool search, describe and call one", async () => {
    const run = await submit(
      scripted("discover", [
        { code: 'const [hit] = await tools.search("wait for some milliseconds"); hit.name' },
        { code: "await tools.describe(hit.name)" },
        {
          code: "const answer = await tools.call(hit.name, { ms: 1 }); await tools.time.sleep({ ms: 1 }); done({ tool: hit.name, answer })",
        },
      ]),
    );
    expect(run).toMatchObject({ status: "succeeded", result: { tool: "time.sleep", answer: null } });
    expect(await modelCalls("discover <script>")).toBe(3);
  });

  it("describes a tool by its declaration with an example", async () => {
    const { answers } = await runCells(['await tools.describe("tools.search")']);
    expect(answers[0]!.value).toContain("tools.tools.search(args: { query: string; limit?: number }): Promise<");
    expect(answers[0]!.value).toContain('await tools.tools.search({"query":"parse a CSV file","limit":3})');
  });

  it.each([
    ['await tools.describe("time.slep")', "time.sleep"],
    ["await tools.time.slepp({})", "time.sleep"],
    ['await tools.call("tyme.sleep", {})', "time.sleep"],
  ])("names the nearest tools for a wrong name: %s", async (cell, near) => {
    const { answers } = await runCells([cell]);
    expect(answers[0]!.error).toMatchObject({ kind: "thrown", message: expect.stringContaining(near) });
  });

  it("gives the nearest names as data too, however a tool is called", async () => {
    const { answers } = await runCells([
      `await tools.call("time.slep", {}).catch((e) => e.data.nearest.includes("time.sleep"))`,
    ]);
    expect(answers[0]!.value).toBe("true");
  });

  it.each([
    ["unique identifier", "crypto.uuid"],
    ["get confirmation from user", "human.ask"],
  ])("finds what is meant by %j", async (query, name) => {
    const { answers } = await runCells([
      `(await tools.search(${JSON.stringify(query)})).map((hit) => hit.name).join()`,
    ]);
    expect(answers[0]!.value!.split(",")).toContain(name);
  });

  it("opens with the same prompt whatever the number of tools", async () => {
    const prompts: unknown[] = [];
    for (const count of [10, 2_500, 10_000]) {
      await library.put(entries(count).slice(prompts.length === 0 ? 0 : [10, 2_500][prompts.length - 1]!));
      await submit(scripted(`with ${count} tools`, [{ text: "ok" }]));
      const { system, tools, messages } = await firstRequest(`with ${count} tools`);
      prompts.push(
        JSON.parse(JSON.stringify({ system, tools, messages }).replaceAll(`with ${count} tools`, "with N tools")),
      );
    }
    expect(prompts[1]).toEqual(prompts[0]);
    expect(prompts[2]).toEqual(prompts[0]);
  });

  it.each([
    ["archive_ticket in system 34", "vendor34.archive_ticket"],
    ["exporting photos, system 9786", "vendor9786.export_photo"],
    ["vendor1234.archive_ticket", "vendor1234.archive_ticket"],
  ])("finds one of ten thousand: %s", async (query, name) => {
    await library.put(entries(10_000).filter((entry) => entry.name === name));
    const hits = await library.search(query, 5);
    expect(hits.map((hit) => hit.name)).toContain(name);
  });

  it.each([
    "",
    "   ",
    '"',
    "AND OR NOT",
    "NEAR(a b)",
    "name:foo*",
    "a".repeat(5_000),
    "💥",
    "'; DROP TABLE entries;--",
  ])("takes any text for a query: %s", async (query) => {
    expect(Array.isArray(await library.search(query, 5))).toBe(true);
  });
});
