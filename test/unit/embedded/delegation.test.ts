import { describe, expect, it } from "vitest";
import { analyseCell } from "../../../src/kernel/compile.ts";
import { DELEGATION } from "../../../src/model/embedded/delegation.ts";
import { answer, codeOf, type Inputs, runCell } from "./cell-runner.ts";

const long = (text: string): string => `${text} ${"Then they spoke of the weather. ".repeat(400)}`;
const transcripts = [long("The invoice was late."), long("It fails with an error."), long("Lunch was fine.")];
const labels = "billing, bug or other";

interface Order {
  who: { name: string };
  task: string;
  data: unknown;
}

/** What is ordered of agents and what comes of it, each task answered as the planner in an agent answers it. */
async function delegated(goal: string, inputs: Inputs): Promise<{ orders: Order[]; value: unknown }> {
  const orders: Order[] = [];
  const call = async (who: Order["who"], { task, data }: Omit<Order, "who">): Promise<unknown> => {
    orders.push({ who, task, data });
    return answer(task, { data }).catch((error: Error) => ({ failure: { kind: "failed", message: error.message } }));
  };
  const value = await runCell(await codeOf(goal, inputs), inputs, { agents: { call } });
  return { orders, value };
}

describe("texts go to agents of their own", () => {
  it.each<[string, Inputs]>([
    ["tag each transcript as bug, praise or question in parallel", { transcripts: ["an error", "great"] }],
    ["in parallel, tag each transcript as bug, praise or question", { transcripts: ["an error", "great"] }],
    ["tag each transcript as bug, praise or question, with an agent each", { transcripts: ["an error", "great"] }],
    ["tag each transcript by sub-agents as bug, praise or question", { transcripts: ["an error", "great"] }],
    ["using one agent per transcript, tag each as bug, praise or question", { transcripts: ["an error", "great"] }],
    ["tag the transcripts as bug, praise or question with subagents", { transcripts: ["an error", "great"] }],
  ])("when the goal says so: %s", async (goal, inputs) => {
    const { orders, value } = await delegated(goal, inputs);
    expect(value).toEqual(["bug", "praise"]);
    expect(orders.map(({ who, data }) => [who.name, data])).toEqual([
      ["tagger", ["an error"]],
      ["tagger", ["great"]],
    ]);
  });

  it.each<[string, Inputs, unknown]>([
    [`tag each transcript as ${labels}`, { transcripts }, ["billing", "bug", "other"]],
    [
      `tag each transcript as ${labels}`,
      { transcripts: { a: transcripts[0], b: transcripts[1] } },
      { a: "billing", b: "bug" },
    ],
    [
      "tag each call as billing or bug",
      { calls: transcripts.map((transcript, id) => ({ id, transcript })) },
      ["billing", "bug", null].map((tag, id) => ({ id, transcript: transcripts[id], tag })),
    ],
    ["tag each transcript with 1 keyword", { transcripts }, [["spoke"], ["spoke"], ["spoke"]]],
    [
      "summarise each article in one sentence",
      { articles: [{ title: "A", article: long("One.") }, { article: long("Two.") }] },
      [
        { title: "A", article: long("One."), summary: "Then they spoke of the weather." },
        { article: long("Two."), summary: "Then they spoke of the weather." },
      ],
    ],
  ])("when they are long: %s", async (goal, inputs, expected) => {
    const { orders, value } = await delegated(goal, inputs);
    expect(orders).toHaveLength(Object.keys(Object.values(inputs)[0] as object).length);
    expect(value).toEqual(expected);
  });
});

describe("texts stay in the cell", () => {
  it("when they are short, however many", async () => {
    const reviews = Array.from({ length: 3000 }, (_, n) => (n % 2 === 0 ? "great stuff" : "awful stuff"));
    const { orders, value } = await delegated("label each review as positive or negative", { reviews });
    expect([orders.length, (value as string[]).slice(0, 2)]).toEqual([0, ["positive", "negative"]]);
  });

  it("when there are more than a run should have agents for", async () => {
    const texts = Array.from({ length: DELEGATION.texts + 1 }, () => transcripts[0]);
    expect((await delegated(`tag each transcript as ${labels}`, { texts })).orders).toEqual([]);
  });

  it("when there is one", async () => {
    const texts = ["The invoice. ".repeat(4000)];
    expect(await delegated(`tag each transcript as ${labels}`, { texts })).toEqual({ orders: [], value: ["billing"] });
  });

  it("when the whole input is small: the cell does not even know of agents", async () => {
    const notes = ["an invoice", "an error"];
    expect(await codeOf(`tag each note as ${labels}`, { notes })).not.toContain("agents");
  });
});

describe("what agents answer", () => {
  const goal = "tag each note as bug or praise, with an agent each";

  it("is null for a text that no label fits, as in a cell", async () => {
    expect((await delegated(goal, { notes: ["an error", "lunch"] })).value).toEqual(["bug", null]);
  });

  it("is a failure when no label fits any text", async () => {
    await expect(delegated(goal, { notes: ["x", "lunch"] })).rejects.toThrow("speaks for bug or praise");
  });

  it("keeps its place when one of them fails, and the others keep theirs", async () => {
    const failure = { failure: { kind: "timeout", message: "too slow" } };
    const call = (_: unknown, { data: [text] }: { data: string[] }): unknown => (text === "b" ? failure : ["bug"]);
    const code = await codeOf(goal, { notes: ["a", "b", "c"] });
    expect(await runCell(code, { notes: ["a", "b", "c"] }, { agents: { call } })).toEqual(["bug", failure, "bug"]);
    await expect(runCell(code, { notes: ["b", "b"] }, { agents: { call } })).rejects.toThrow("too slow");
  });

  it("is the same for texts that look like tables", async () => {
    const notes = ["name,note\nAnn,an error\nBob,an error\n", '[{"text":"great"}]'];
    expect((await delegated(goal, { notes })).value).toEqual(["bug", "praise"]);
  });
});

it("labels are data, whatever they are called", async () => {
  const goal = "tag each as __proto__, constructor or toString, with an agent each";
  const { orders, value } = await delegated(goal, { xs: ["a constructor", "none"] });
  expect([orders.length, value]).toEqual([2, ["constructor", null]]);
});

it("the kernel takes a cell that awaits agents; it declares nothing and names its input and agents alone", async () => {
  const analysis = analyseCell(await codeOf("summarise each article, with an agent each", { articles: ["a", "b"] }));
  if (!analysis.ok) throw new Error(analysis.error.message);
  const { declares, free } = analysis.value;
  expect(declares).toEqual([]);
  expect(free.filter((name) => !(name in globalThis)).sort()).toEqual(["agents", "articles", "done"]);
});

it("the help names it", async () => {
  const lines = await answer("what can you do?");
  expect(lines).toContainEqual(expect.stringMatching(/^delegate: .* by an agent of its own/));
});
