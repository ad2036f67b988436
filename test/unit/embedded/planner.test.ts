import { describe, expect, it } from "vitest";
import type { ModelRequest } from "../../../src/contract/model.ts";
import { embeddedPlanner } from "../../../src/model/embedded/planner.ts";
import { RECIPES } from "../../../src/model/embedded/recipes/index.ts";
import { ask } from "./cell-runner.ts";

const people = [{ name: "Ann", age: 31, city: "Paris" }];

describe("the embedded planner as a model", () => {
  it("replies with a cell, says its recipe and costs nothing", async () => {
    const reply = await ask({ goal: "how many per city", inputs: { people } });
    expect(reply).toEqual({
      ok: true,
      value: {
        model: "embedded-planner",
        text: "Embedded planner: group and count by city.",
        call: { id: "cell-1", code: expect.stringContaining("done(") },
        usage: { input: 0, output: 0, cacheRead: 0, cacheWrite: 0 },
        costUsd: 0,
      },
    });
    expect(embeddedPlanner().label).toBe("embedded planner");
  });

  it("plans the same cell for the same brief", async () => {
    const asked = { goal: "sort people by age", inputs: { people } };
    expect(await ask(asked)).toEqual(await ask(asked));
  });

  it("rejects with the signal's reason when it is aborted", async () => {
    const reason = new Error("stopped");
    const request: ModelRequest = { tier: "small", system: "", brief: { goal: "hello", variables: [] }, exchanges: [] };
    const call = embeddedPlanner().call(request, { signal: AbortSignal.abort(reason) });
    await expect(call).rejects.toBe(reason);
  });

  it("fails with the cell's own error and does not try again", async () => {
    const error = {
      kind: "thrown",
      message: "None of the values is a number.",
      line: 3,
      hint: "Look at the data.",
    } as const;
    const exchanges = [{ text: "", call: { id: "cell-1", code: "…" }, answer: JSON.stringify({ error }) }];
    const reply = await ask({ goal: "sum of name", inputs: { people }, exchanges });
    expect(reply).toEqual({ ok: false, failure: { kind: "cell-failed", cell: 1, error } });
  });

  it("plans anew after a turn without a cell", async () => {
    const exchanges = [{ text: "hm", nudge: "Answer with code." }];
    expect(await ask({ goal: "say hello", exchanges })).toMatchObject({ ok: true, value: { call: { id: "cell-2" } } });
  });
});

describe("a goal without a recipe", () => {
  it.each([
    ["Write a poem about the sea", {}],
    ["what is the capital of France", {}],
    ["send an email to Bob", { people }],
    ["Translate the text to French", { text: "a b" }],
    ["total revenue by region", { people }],
    ["average height", { people }],
    ["rows where height is above 3", { people }],
    ["sort by height", { people }],
    ["how many unicorns", { people }],
    ["how many people moved to Paris last month", { people }],
    ["people older than Bob", { people }],
    ["correlation between age and city", { people }],
    ["the second oldest person", { people }],
    ["top cities by age", { people }],
    ["how many of them", { people }],
    ["what about by age", { people }],
    ["people who joined this year", { people: [{ name: "Ann", joined: "2019-05-05" }] }],
    ["people who joined after May 2019", { people: [{ name: "Ann", joined: "2019-05-05" }] }],
    ["reviews containing both late and was", { reviews: ["a"] }],
    ["and now by name", { people }],
    ["sort those by name", { people }],
    ["sort that by name", { people }],
    ["count it again", { people }],
    ['sum of "; process.exit(); "', { rows: [{ a: 1 }] }],
    ["top 3 lines", { text: "a\nb" }],
    ["best review", { reviews: ["a", "b"] }],
    ["translate each review: great, bad", { reviews: ["x"] }],
    ["sum of age times age", { people }],
    ["average age excluding Paris", { people }],
    ["what is 2 + alert(1)", {}],
    ["what is (2 + 3", {}],
    ["research, write and review a report on cats", {}],
    ["research, write and review a report on cats from the sources", { people }],
    ["research, write and review a report on cats, in French", { sources: ["Cats purr."] }],
    ["research, write and review a novel about cats from the sources", { sources: ["Cats purr."] }],
    ["translate each article to French, with an agent each", { articles: ["a", "b"] }],
    ["tag each article by agent as old or new", { articles: ["a", "b"] }],
    ["summarise the article with an agent each", { article: "One. Two." }],
    ["   ", {}],
  ])("is refused, never guessed: %s", async (goal, inputs) => {
    expect(await ask({ goal, inputs })).toMatchObject({ ok: false, failure: { kind: "no-recipe", goal } });
  });

  it("is told every recipe with an example, and the fields there are", async () => {
    const reply = await ask({ goal: "average height", inputs: { people } });
    if (reply.ok || reply.failure.kind !== "no-recipe") throw new Error("expected no recipe");
    expect(reply.failure.recipes).toContain("here: the input people has the fields name, age, city");
    for (const { name, summary, example } of RECIPES)
      expect(reply.failure.recipes).toContain(`${name}: ${summary} (e.g. ${JSON.stringify(example)})`);
  });

  it("is told to name an input when several fit", async () => {
    const reply = await ask({ goal: "how many rows", inputs: { people, orders: [{ id: 1 }] } });
    expect(reply).toMatchObject({
      failure: { recipes: expect.arrayContaining(["here: several inputs fit (people, orders), name one"]) },
    });
  });

  it("is told the recipes first, then what is here", async () => {
    const reply = await ask({ goal: "average height", inputs: { people } });
    if (reply.ok || reply.failure.kind !== "no-recipe") throw new Error("expected no recipe");
    const isHere = reply.failure.recipes.map((line) => line.startsWith("here: "));
    expect(isHere).toEqual([...RECIPES.map(() => false), true]);
  });
});

describe("every recipe's example", () => {
  const order = {
    status: "open",
    total: 1,
    city: "Rome",
    region: "N",
    revenue: 2,
    age: 3,
    price: 4,
    category: "toys",
    name: "x",
  };
  const inputs: Record<string, Record<string, unknown>> = {
    table: { rows: [order] },
    list: { messages: ["an error"] },
    text: { text: "One. Two." },
    facts: { facts: [{ fact: "One.", source: "x" }] },
    work: { work: { facts: [{ fact: "One.", source: "x" }], text: "# One\n\nOne." } },
    none: {},
  };

  it.each(RECIPES.map(({ name, example }) => [name, example]))(
    "%s: is matched by its own recipe",
    async (name, example) => {
      const replies = await Promise.all(Object.values(inputs).map((given) => ask({ goal: example, inputs: given })));
      expect(
        replies.some(({ ok }) => ok),
        name,
      ).toBe(true);
    },
  );
});
