import { describe, expect, it } from "vitest";
import type { AgentView, SubtaskView } from "../../src/contract/agent.ts";
import { scripted } from "../support/goal-script.ts";
import { get, modelCalls, submit } from "../support/runs.ts";
import { task, WORKER } from "../support/tasks.ts";

const agentsOf = async (run: string): Promise<AgentView[]> =>
  (await get<{ items: AgentView[] }>(`/v1/goals/${run}/agents?limit=200`)).items;

describe("agents.call", () => {
  it("gives data as a variable and waits for the result; no prompt ever holds the data", async () => {
    const code = `done(await agents.call(${WORKER}, { task: ${task("double it", [{ code: "done(data.n * 2)" }])}, data: { n: 21, note: "SECRETNOTE" } }))`;
    const run = await submit(scripted("delegate", [{ code }]));
    expect(run).toMatchObject({ status: "succeeded", result: 42, usage: { turns: 1, modelCalls: 2, agents: 1 } });
    expect(run.own).toMatchObject({ modelCalls: 1 });
    expect(run.agents).toEqual({ succeeded: 1 });
    expect(await modelCalls("double it <script>")).toBe(2); // the coordinator's own goal holds the task, the agent's is the task
    const [agent] = await agentsOf(run.id);
    expect(agent).toMatchObject({
      name: "worker",
      attempt: 1,
      status: "succeeded",
      tier: "medium",
      usage: { turns: 1 },
    });
  });

  it("runs many side by side and keeps the order of results", async () => {
    const code = `const all = await Promise.all(Array.from({ length: 100 }, (_, i) => agents.call(${WORKER}, { task: ${task("square", [{ code: "done(data * data)" }])}, data: i }))); done(all.reduce((a, b) => a + b, 0))`;
    const run = await submit(scripted("a hundred", [{ code }]));
    expect(run).toMatchObject({
      status: "succeeded",
      result: 328_350,
      usage: { agents: 100 },
      agents: { succeeded: 100 },
    });
  });
});

describe("agents.spawn", () => {
  it("gives an address at once, which status, result and the API read", async () => {
    const code = `const { uri } = await agents.spawn(${WORKER}, { task: ${task("later", [{ code: "done('ready')" }])} }); const early = (await agents.status(uri)).status; const value = await agents.result(uri); done({ uri, early, value, late: (await agents.status(uri)).status })`;
    const run = await submit(scripted("spawn", [{ code }]));
    expect(run.result).toMatchObject({
      uri: expect.stringMatching(/^subtask:\/\//),
      early: expect.stringMatching(/queued|running/),
      value: "ready",
      late: "succeeded",
    });
    const { uri } = run.result as { uri: string };
    expect(await get<SubtaskView>(`/v1/subtasks/${uri.slice("subtask://".length)}`)).toMatchObject({
      uri,
      run: run.id,
      kind: "agent",
      agent: "worker",
      status: "succeeded",
      turns: 1,
      result: "ready",
      progress: expect.stringContaining("turn 1"),
      usage: { modelCalls: 1 },
      createdAt: expect.any(String),
      endedAt: expect.any(String),
    });
  });
});
