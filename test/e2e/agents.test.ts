import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { AgentView } from "../../src/contract/agent.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => void (server = await startServer()));
afterAll(async () => server?.stop());

const submit = async (body: object): Promise<RunView> => {
  const headers = { "content-type": "application/json", prefer: "wait=60" };
  const answer = await fetch(`${server.url}/v1/goals`, { method: "POST", headers, body: JSON.stringify(body) });
  return (await answer.json()) as RunView;
};
const agentsOf = async (run: string): Promise<AgentView[]> => {
  const answer = await fetch(`${server.url}/v1/goals/${run}/agents?limit=200`);
  return ((await answer.json()) as { items: AgentView[] }).items;
};

/** About 5K tokens. */
const long = (text: string): string => `${text} ${"Then they spoke of the weather for a while. ".repeat(450)}`;

describe("the embedded planner gives long documents to agents of their own", () => {
  const kinds = [
    ["billing", "My invoice shows a charge that I never made, I want a refund."],
    ["technical", "After the update the router loses its connection to the server."],
    ["other", "I only wanted to say that lunch was fine."],
  ] as const;
  const calls = Array.from({ length: 10 }, (_, n) => kinds[n % kinds.length]!);

  it("tags ten transcripts by ten agents, in order", async () => {
    const transcripts = calls.map(([, said]) => long(said));
    const run = await submit({ goal: "tag each transcript as billing, technical or other", inputs: { transcripts } });
    expect(run).toMatchObject({ status: "succeeded", result: calls.map(([kind]) => kind), usage: { agents: 10 } });
    const agents = await agentsOf(run.id);
    expect(agents).toHaveLength(10);
    for (const agent of agents)
      expect(agent).toMatchObject({
        name: "tagger",
        status: "succeeded",
        model: "embedded-planner",
        usage: { turns: 1, cells: 1 },
      });
  });

  it("summarises each article in two sentences, beside the article's own fields", async () => {
    const articles = ["Bees make honey from nectar.", "Cats hunt mice at night.", "Rivers carry sand to the sea."].map(
      (first, n) => ({ id: n, article: `${first} ${first.slice(0, 4)} again. `.repeat(300) }),
    );
    const run = await submit({ goal: "Summarise each article in two sentences.", inputs: { articles } });
    expect(run).toMatchObject({ status: "succeeded", usage: { agents: 3 } });
    const rows = run.result as { id: number; summary: string }[];
    expect(rows.map(({ id, summary }) => [id, summary.split(". ").length])).toEqual([
      [0, 2],
      [1, 2],
      [2, 2],
    ]);
    expect(rows.map(({ summary }) => /nectar|mice|sand/.exec(summary)?.[0])).toEqual(["nectar", "mice", "sand"]);
    expect((await agentsOf(run.id)).map(({ name }) => name)).toEqual(["summariser", "summariser", "summariser"]);
  });

  it("keeps short ones to itself, unless it is told to use agents", async () => {
    const inputs = { notes: ["an error", "great, thanks", "lunch"] };
    const goal = "tag each note as bug or praise";
    const own = await submit({ goal, inputs });
    const told = await submit({ goal: `${goal}, with an agent each`, inputs });
    expect([own.result, own.usage.agents, told.result, told.usage.agents]).toEqual([
      ["bug", "praise", null],
      0,
      ["bug", "praise", null],
      3,
    ]);
  });

  it("shows the ones that failed in their places, and keeps the others", async () => {
    const notes = ["an error", "great", "an error", "great"];
    const goal = "tag each note as bug or praise, with an agent each";
    const run = await submit({ goal, inputs: { notes }, budget: { agents: 2 } });
    const failure = { failure: { kind: "budget-spent", message: expect.stringContaining("agents") as string } };
    expect(run).toMatchObject({ status: "succeeded", agents: { succeeded: 2 } });
    expect(run.result).toEqual(["bug", "praise", expect.objectContaining(failure), expect.objectContaining(failure)]);
  });
});

describe("the embedded planner has a report researched, written and reviewed", () => {
  const sources = [
    { title: "Hives", text: "Honey bees live in hives. The weather was mild. A hive of honey bees has one queen." },
    { title: "Trade", text: "The price of honey rose in 2024. Someone painted a fence." },
  ];

  it("by a researcher, a writer and a tester, each working on what the one before gave", async () => {
    const goal = "Research, write and review a report on honey bees from the sources";
    const run = await submit({ goal, inputs: { sources } });
    expect(run).toMatchObject({ status: "succeeded", usage: { agents: 3 } });
    expect(run.result).toEqual({
      report: [
        "# Honey bees",
        "3 facts from 2 sources.",
        "## Hives",
        "- Honey bees live in hives.\n- A hive of honey bees has one queen.",
        "## Trade",
        "- The price of honey rose in 2024.",
      ].join("\n\n"),
      review: { ok: true, facts: 3, sections: 3, findings: [] },
      facts: [
        { fact: "Honey bees live in hives.", source: "Hives" },
        { fact: "A hive of honey bees has one queen.", source: "Hives" },
        { fact: "The price of honey rose in 2024.", source: "Trade" },
      ],
    });
    const agents = await agentsOf(run.id);
    expect(agents.map(({ name, status }) => [name, status]).sort()).toEqual([
      ["qa-tester", "succeeded"],
      ["researcher", "succeeded"],
      ["writer", "succeeded"],
    ]);
  });

  it("or not at all when the sources know nothing of the topic, and says so", async () => {
    const run = await submit({
      goal: "research, write and review a report on volcanoes from the sources",
      inputs: { sources },
    });
    expect(run).toMatchObject({
      status: "failed",
      failure: { message: expect.stringContaining("The sources say nothing of volcanoes") as string },
    });
    expect((await agentsOf(run.id)).map(({ name, status }) => [name, status])).toEqual([["researcher", "failed"]]);
  });
});
