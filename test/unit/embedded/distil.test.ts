import { describe, expect, it } from "vitest";
import { CapabilityDraft } from "../../../src/contract/capability.ts";
import { emitModule } from "../../../src/kernel/module.ts";
import { distil } from "../../../src/model/embedded/distil.ts";
import { embeddedPlanner } from "../../../src/model/embedded/planner.ts";

const rows = [
  { region: "north", revenue: 40 },
  { region: "south", revenue: 2 },
];
const variables = [
  { name: "sales", type: "{ region: string, revenue: number }[]", size: 80, fields: ["region", "revenue"] },
];
const planned = async (goal: string): Promise<string> => {
  const reply = await embeddedPlanner().call(
    { tier: "medium", system: "", brief: { goal, variables }, exchanges: [] },
    { signal: new AbortController().signal },
  );
  return reply.ok ? (reply.value.call?.code ?? "") : "";
};

describe("a recipe's cell as a capability", () => {
  it("is the same function with data as its input, and compiles as a module", async () => {
    const goal = "Total revenue by region";
    const draft = distil({
      goal,
      code: await planned(goal),
      variables,
      inputs: { sales: rows },
      result: { north: 40, south: 2 },
    });
    expect(CapabilityDraft.safeParse(draft).error).toBeUndefined();
    expect(draft).toMatchObject({
      name: "total-revenue-by-region",
      tests: [
        { input: { data: rows }, expect: { north: 40, south: 2 } },
        { throws: expect.stringContaining("missing") },
      ],
    });
    expect(emitModule(draft!.source).ok).toBe(true);
  });

  it.each([
    ["a cell of another form", "done(1)", { sales: rows }],
    ["inputs too large to test by", "done(((data) => {\nreturn 1;\n})(sales));", {}],
    ["a part of an input", 'done(((data) => {\nreturn 1;\n})(sales["rows"]));', { sales: rows }],
  ])("is nothing for %s", (_what, code, inputs) => {
    expect(distil({ goal: "g h", code, variables, inputs, result: 1 })).toBeUndefined();
  });
});
