import { describe, expect, it } from "vitest";
import { analyseCell } from "../../../src/kernel/compile.ts";
import { answer, codeOf, runCell } from "./cell-runner.ts";

describe("a report", () => {
  const sources = { hive: "Bees live in hives. Rain fell.", trade: "# Honey\n\nBees make honey. Prices rose." };

  it.each([
    ["research, write and review a report on bees from the sources", { sources }],
    ["Research, write, and then review a report about bees using these sources.", { sources }],
    ["research bees in the sources, then write a report and review it", { sources }],
    ["research bees, then write and review a report", { sources }],
    ["write a researched and reviewed report on bees", { sources: ["Bees live."] }],
    ["research, write and review a report on bees from the inputs", { hive: sources.hive, trade: sources.trade }],
    ["research, write and review a report on bees from hive and trade", { hive: "Bees.", trade: "Bees.", x: "Bees." }],
  ])("is planned in three steps: %s", async (goal, inputs) => {
    const plans: { id: string; agent: string; task: string; needs?: string[]; data?: unknown }[][] = [];
    const plan = (steps: (typeof plans)[number]): object => (plans.push(steps), { facts: [], text: "# T", review: {} });
    const value = await runCell(await codeOf(goal, inputs), inputs, { agents: { plan } });
    expect(value).toEqual({ report: "# T", facts: [], review: {} });
    expect(plans[0]?.map(({ id, agent, needs }) => [id, agent, needs])).toEqual([
      ["facts", "researcher", undefined],
      ["text", "writer", ["facts"]],
      ["review", "qa-tester", ["facts", "text"]],
    ]);
    const [first, second, third] = plans[0]!;
    const facts = await answer(first!.task, { data: first!.data });
    expect(facts).toContainEqual({ fact: expect.stringMatching(/^Bees/), source: expect.any(String) });
    expect(facts).not.toContainEqual({ fact: expect.stringMatching(/Rain|Prices|#/), source: expect.any(String) });
    const text = await answer(second!.task, { data: { facts } });
    expect(text).toMatch(/^# Bees\n\n[\s\S]*\n## [\s\S]*\n- Bees/);
    expect(await answer(third!.task, { data: { facts, text } })).toMatchObject({ ok: true, findings: [] });
  });

  it.each([
    ["from hive and trade", "([hive, trade])"],
    ["from the hive", "([hive])"],
    ["from the sources", "([hive, trade, bees])"],
    ["", "([hive, trade, bees])"],
  ])("takes the inputs that the goal names, or all: %j", async (from, expression) => {
    const inputs = { hive: "Bees.", trade: "Bees.", bees: "Bees." };
    expect(await codeOf(`research, write and review a report on bees ${from}`, inputs)).toContain(`})${expression});`);
  });

  it("fails with what the step before it said", async () => {
    const failed = { failure: { kind: "cell-failed", message: "The sources say nothing of cats." } };
    const code = await codeOf("research, write and review a report on cats from the sources", { sources });
    const agents = { plan: () => ({ facts: failed, text: { failure: { message: "skipped" } }, review: {} }) };
    await expect(runCell(code, { sources }, { agents })).rejects.toThrow("The sources say nothing of cats.");
  });

  it("is not about what its sources don't know", async () => {
    await expect(answer('extract the key facts about "bees in French" from the texts', { sources })).rejects.toThrow(
      "The sources say nothing of French.",
    );
  });

  it("is held against its facts", async () => {
    const facts = [{ fact: "Bees  live.", source: "hive" }, { fact: "Bees die." }];
    const text = "# Bees\n\n## Life\n\n- Bees live.\n\n## Death\n";
    expect(
      await answer("check that the text mentions every fact and has no empty section", { data: { facts, text } }),
    ).toEqual({
      ok: false,
      facts: 2,
      sections: 3,
      findings: ["A fact is missing: Bees die.", "A section is empty: ## Death"],
    });
  });
});

it("the kernel takes a cell that awaits agents; it declares nothing and names its input and agents alone", async () => {
  const analysis = analyseCell(await codeOf("research, write and review a report on bees", { sources: ["Bees."] }));
  if (!analysis.ok) throw new Error(analysis.error.message);
  const { declares, free } = analysis.value;
  expect(declares).toEqual([]);
  expect(free.filter((name) => !(name in globalThis)).sort()).toEqual(["agents", "done", "sources"]);
});

it("the help names it", async () => {
  const lines = await answer("what can you do?");
  for (const name of ["report", "facts", "compose", "review"])
    expect(lines).toContainEqual(expect.stringMatching(new RegExp(`^${name}: `)));
});
