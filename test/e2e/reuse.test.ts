import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { afterAll, beforeAll, describe, expect, it, vi } from "vitest";
import type { CapabilityView } from "../../src/contract/library.ts";
import type { RunView } from "../../src/contract/goal.ts";
import type { UsageReport } from "../../src/contract/usage.ts";
import { type MessagesBody, type ScriptedModel, startScriptedModel, type Step } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/server.ts";

let model: ScriptedModel;
let server: RunningServer;

/** A job of its kind: rows, the field to average and the field to group by. */
interface Job {
  goal: string;
  name: string;
  of: string;
  by: string;
}
const FIRST: Job = {
  goal: "What is the average price of the houses in each city?",
  name: "houses",
  of: "price",
  by: "city",
};
const LIKE_IT: Job[] = [
  { goal: "Give me the average salary in each department.", name: "staff", of: "salary", by: "department" },
  { goal: "Average rent of the flats for each district, please.", name: "flats", of: "rent", by: "district" },
  { goal: "I want to know the average age of the players in each team.", name: "players", of: "age", by: "team" },
  { goal: "average delivery time of the orders in each country", name: "orders", of: "days", by: "country" },
  { goal: "Compute the average score of students in each class.", name: "students", of: "score", by: "klass" },
  {
    goal: "How high is the average bill of the guests in each restaurant?",
    name: "bills",
    of: "amount",
    by: "restaurant",
  },
  { goal: "Show the average distance of the trips in each month.", name: "trips", of: "km", by: "month" },
  { goal: "Please find the average weight of the parcels in each depot.", name: "parcels", of: "kg", by: "depot" },
  { goal: "Tell me the average price of the tickets in each city.", name: "tickets", of: "price", by: "city" },
];

const rowsOf = ({ of, by }: Job, seed: number): Record<string, unknown>[] =>
  Array.from({ length: 60 }, (_, i) => ({
    id: i,
    [by]: `${by}-${(i + seed) % 3}`,
    [of]: (i * 7 + seed * 13) % 50,
    note: "text ".repeat(8),
  }));
const averages = (rows: Record<string, unknown>[], { of, by }: Job): Record<string, number> => {
  const groups = Map.groupBy(rows, (row) => String(row[by]));
  return Object.fromEntries(
    [...groups].map(([key, group]) => [key, group.reduce((sum, row) => sum + Number(row[of]), 0) / group.length]),
  );
};

const SOURCE = `export default async (input) => {
  if (!Array.isArray(input.rows)) throw new Error("rows must be a list");
  const groups = new Map();
  for (const row of input.rows) {
    const key = String(row[input.by]);
    groups.set(key, [...(groups.get(key) ?? []), Number(row[input.of])]);
  }
  return Object.fromEntries([...groups].map(([key, values]) => [key, values.reduce((a, b) => a + b, 0) / values.length]));
};
`;
const DRAFT = {
  name: "average-by-group",
  description:
    "Computes the average (mean) of a numeric field of rows in each group, such as the average price in each city.",
  input: {
    type: "object",
    properties: { rows: { type: "array" }, of: { type: "string" }, by: { type: "string" } },
    required: ["rows", "of", "by"],
  },
  output: { type: "object" },
  source: SOURCE,
  tests: [
    {
      input: {
        rows: [
          { c: "a", n: 1 },
          { c: "a", n: 3 },
          { c: "b", n: 5 },
        ],
        of: "n",
        by: "c",
      },
      expect: { a: 2, b: 5 },
    },
    { input: { rows: [], of: "n", by: "c" }, expect: {} },
    { input: { rows: 1, of: "n", by: "c" }, throws: "rows must be a list" },
  ],
};

/** What a model does that never did this before: it looks around, errs, looks again, and computes. */
const firstTime = ({ name, of, by }: Job): Step[] => [
  { code: `${name}.slice(0, 8)` },
  { code: `console.log(JSON.stringify(${name}.slice(8, 30))); ${name}.length` },
  { code: `const groups = ${name}.groupBy((row) => row.${by})` },
  { code: `console.log(JSON.stringify(${name}.slice(30, 50))); [...new Set(${name}.map((row) => row.${by}))]` },
  { code: `const byGroup = Map.groupBy(${name}, (row) => row.${by}); [...byGroup].map(([k, g]) => [k, g.length])` },
  {
    code: `done(Object.fromEntries([...byGroup].map(([k, g]) => [k, g.reduce((s, r) => s + r.${of}, 0) / g.length])))`,
  },
];

/** All that a request holds is paid for. */
const paid = ({ system, tools, messages }: MessagesBody, step: Step): Step => ({
  ...step,
  usage: {
    input_tokens: countTokens(JSON.stringify({ system, tools, messages })),
    output_tokens: countTokens(JSON.stringify(step)),
  },
});

beforeAll(async () => {
  model = await startScriptedModel((body) => {
    const text = JSON.stringify(body.messages[0]);
    if (text.includes("Code in data reached a goal"))
      return paid(body, { text: JSON.stringify({ serves: true, draft: DRAFT }) });
    const job = [FIRST, ...LIKE_IT].find(({ goal }) => text.includes(`"text":"${goal}`))!;
    const turn = body.messages.filter(({ role }) => role === "assistant").length;
    if (text.includes('library.run(\\"average-by-group\\"'))
      return paid(body, {
        code: `done(await library.run("average-by-group", { rows: ${job.name}, of: "${job.of}", by: "${job.by}" }))`,
      });
    return paid(body, firstTime(job)[turn]!);
  });
  server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url } });
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
});

const get = async <T>(path: string): Promise<T> => (await (await fetch(server.url + path)).json()) as T;
async function reach(job: Job, seed: number): Promise<{ run: RunView; right: Record<string, number> }> {
  const rows = rowsOf(job, seed);
  const response = await fetch(`${server.url}/v1/goals`, {
    method: "POST",
    headers: { "content-type": "application/json", prefer: "wait=60" },
    body: JSON.stringify({ goal: job.goal, inputs: { [job.name]: rows } }),
  });
  return { run: (await response.json()) as RunView, right: averages(rows, job) };
}
const tokensOf = ({ usage }: RunView): number => usage.input + usage.output;

describe("a goal, then nine like it, in other words and on other data", () => {
  it("cost at most a third of the first from the second on, are right, and the statistics say so", async () => {
    const first = await reach(FIRST, 1);
    expect(first.run).toMatchObject({ status: "succeeded", result: first.right });
    const firstTokens = tokensOf(first.run);
    await vi.waitUntil(async () => (await fetch(`${server.url}/v1/capabilities/average-by-group`)).ok, {
      timeout: 30_000,
      interval: 100,
    });

    for (const [index, job] of LIKE_IT.entries()) {
      const { run, right } = await reach(job, index + 2);
      expect(run, job.goal).toMatchObject({ status: "succeeded", result: right });
      expect(tokensOf(run) / firstTokens, job.goal).toBeLessThanOrEqual(0.3);
      expect(run.usage.turns / first.run.usage.turns, job.goal).toBeLessThanOrEqual(0.3);
    }

    const uses = async (): Promise<CapabilityView> => get<CapabilityView>("/v1/capabilities/average-by-group");
    await vi.waitUntil(
      async () => (await uses()).tokensSaved > 0 && (await get<UsageReport>("/v1/usage")).saved.runs === LIKE_IT.length,
      { timeout: 30_000, interval: 100 },
    );
    expect(await uses()).toMatchObject({ uses: LIKE_IT.length, successRate: 1, state: "active" });
    expect((await get<UsageReport>("/v1/usage")).saved.tokens).toBeGreaterThan(
      LIKE_IT.length * 0.7 * firstTokens * 0.9,
    );
  }, 120_000);
});
