/** What delegation costs: tokens of a job with documents, and time and memory of many agents in one goal. On the product's own server. */
import type { RunView } from "../../src/contract/goal.ts";
import { startScriptedModel } from "../support/scripted-model.ts";
import { startServer } from "../support/server.ts";
import { startTagger, tagByAgents, tagDirectly, tagsOf, transcripts } from "../support/transcripts.ts";
import { compared, type Row } from "./row.ts";

const COORDINATOR_TOKENS = 4_000; // design.md's limit, whatever the documents' size

export async function transcriptTokens(): Promise<Row[]> {
  const model = await startTagger();
  const server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url } });
  try {
    const docs = transcripts(10, 5_000);
    const [short, long] = [await tagByAgents(server.url, docs), await tagByAgents(server.url, transcripts(10, 50_000))];
    const direct = tagDirectly(docs);
    for (const { tags } of [short, long, direct])
      if (JSON.stringify(tags) !== JSON.stringify(tagsOf(10))) throw new Error(`wrong tags: ${JSON.stringify(tags)}`);
    const coordinator = { against: "the limit", target: 1, unit: "tokens" };
    return [
      compared(
        {
          id: "h",
          name: "ten transcripts of 5K tokens, tagged",
          against: "direct tool calls",
          target: 64 / 500,
          unit: "tokens",
        },
        short.total,
        direct.total,
      ),
      compared({ id: "h", name: "the coordinator of it", ...coordinator }, short.coordinator, COORDINATOR_TOKENS),
      compared(
        { id: "h", name: "the same, documents ten times as long", ...coordinator },
        long.coordinator,
        COORDINATOR_TOKENS,
      ),
    ];
  } finally {
    await server.stop();
    await model.close();
  }
}

const MANY = 1_000;
const FEW = 10;
const ROUNDS = 3; // of the few; the first warms up

export async function manyAgents(): Promise<Row[]> {
  const code = (count: number): string =>
    `const all = await Promise.all(Array.from({ length: ${count} }, (_, i) => agents.call({ name: "w", role: "r", tools: [] }, { task: "double", data: i }))); done(all.reduce((a, b) => a + b, 0));`;
  const model = await startScriptedModel((body) => {
    const text = JSON.stringify(body.messages[0]);
    return { code: text.includes("double") ? "done(data * 2)" : code(Number(/agents: (\d+)/.exec(text)?.[1])) };
  });
  const server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url } });
  try {
    const timed = async (count: number): Promise<number> => {
      const start = performance.now();
      const response = await fetch(`${server.url}/v1/goals`, {
        method: "POST",
        headers: { "content-type": "application/json", prefer: "wait=300" },
        body: JSON.stringify({ goal: `agents: ${count}` }),
      });
      const run = (await response.json()) as RunView;
      if (run.result !== count * (count - 1))
        throw new Error(
          `${count} agents gave ${JSON.stringify(run.result)}: ${JSON.stringify(run.failure ?? run.status)}`,
        );
      return (performance.now() - start) / count;
    };
    const few: number[] = [];
    for (let round = 0; round < ROUNDS; round++) few.push(await timed(FEW));
    const before = await server.memory();
    const many = await timed(MANY);
    const grown = ((await server.memory()) - before) / MANY / 1e6;
    const note = `memory of the whole runtime grew by ${grown.toFixed(1)} MB an agent, its isolate included`;
    const subject = { id: "i", name: `one of ${MANY} sub-agents`, against: `one of ${FEW}`, target: 1.3, note };
    return [compared(subject, many, Math.min(...few.slice(1)))];
  } finally {
    await server.stop();
    await model.close();
  }
}
