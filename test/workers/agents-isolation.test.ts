import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { AgentView, SubtaskView } from "../../src/contract/agent.ts";
import { scripted } from "../support/goal-script.ts";
import { get, runCells, submit } from "../support/runs.ts";
import { task, WORKER } from "../support/tasks.ts";

const agentsOf = async (run: string): Promise<AgentView[]> =>
  (await get<{ items: AgentView[] }>(`/v1/goals/${run}/agents?limit=200`)).items;
const tables = (agent: string): Promise<Record<string, number>> =>
  runInDurableObject(env.SUB_AGENT.getByName(`main/${agent}`), (_, { storage }) => {
    const count = (table: string): number =>
      storage.sql.exec<{ n: number }>(`SELECT COUNT(*) AS n FROM ${table}`).one().n;
    return {
      variables: count("variables"),
      turns: count("turns"),
      calls: count("calls"),
      texts: count("texts"),
      events: count("events"),
    };
  });

describe("an agent's storage is its own", () => {
  it("no agent reads what another declared, nor what its coordinator has, by any name it can form", async () => {
    const spy = `[typeof secret, typeof mine, typeof data, typeof parent, typeof globalThis.secret, Object.keys(globalThis).filter((k) => /secret|mine/.test(k)).length, (() => { try { return globalThis["ev" + "al"]("secret"); } catch { return "no eval"; } })(), await files.read("../secret").catch((e) => e.kind), await tools.call("variables.get", { name: "secret" }).catch((e) => e.kind), await agents.result("subtask://x.y.z").catch((e) => e.kind)]`;
    const run = await submit(
      scripted("isolation", [
        {
          code: `const secret = "COORDINATOR"; const first = await agents.call(${WORKER}, { task: ${task("declares", [{ code: "let mine = 'FIRST'; globalThis.secret = mine; data = 'changed'; mine" }, { code: "done('ok')" }])}, data: "given" }); const seen = await agents.call(${WORKER}, { task: ${task("spies", [{ code: `done(${spy})` }])} }); done({ first, seen, still: secret, mine: typeof mine })`,
        },
      ]),
    );
    expect(run.result).toEqual({
      first: "ok",
      seen: [
        "undefined",
        "undefined",
        "undefined",
        "undefined",
        "undefined",
        0,
        "no eval",
        "bad-arguments",
        "unknown-tool",
        "not-granted",
      ],
      still: "COORDINATOR",
      mine: "undefined",
    });
  });

  it("data is a copy: what an agent does to it stays with it", async () => {
    const { answers } = await runCells([
      `const doc = { n: 1 }; const r = await agents.call(${WORKER}, { task: ${task("changes", [{ code: "data.n = 99; done(data)" }])}, data: doc }); JSON.stringify([doc, r])`,
    ]);
    expect(answers[0]!.value).toBe('[{"n":1},{"n":99}]');
  });

  it("a run can't read or cancel another run's subtasks", async () => {
    const spawned = await submit(
      scripted("owner", [
        {
          code: `const a = await agents.spawn(${WORKER}, { task: ${task("kept", [{ code: "done('private')" }])} }); await agents.result(a); done(a.uri)`,
        },
      ]),
    );
    const uri = JSON.stringify(spawned.result);
    const { answers } = await runCells([
      `const kinds = []; for (const call of [agents.status, agents.result, agents.cancel]) kinds.push(await call(${uri}).then(() => "read it", (e) => e.kind)); kinds.join()`,
    ]);
    expect(answers[0]!.value).toBe("unknown-subtask,unknown-subtask,unknown-subtask");
    expect(await get<SubtaskView>(`/v1/subtasks/${(spawned.result as string).slice(10)}`)).toMatchObject({
      result: "private",
    });
  });
});

describe("when an agent's task has ended", () => {
  it("its context is destroyed; result, usage and log stay with the run", async () => {
    const run = await submit(
      scripted("leaves", [
        {
          code: `const a = await agents.spawn(${WORKER}, { task: ${task("leaves a log", [{ code: "let big = 'x'.repeat(1000); await tools.time.sleep({ ms: 1 }); console.log('seen'); big.length" }, { code: "done(big.length)" }])}, data: [1, 2] }); await agents.result(a); done(a.uri)`,
        },
      ]),
    );
    const [agent] = await agentsOf(run.id);
    await vi.waitUntil(async () => (await tables(agent!.id))["turns"] === 0, { timeout: 5_000 });
    expect(await tables(agent!.id)).toMatchObject({ variables: 0, turns: 0, calls: 0, texts: 0 });
    const id = (run.result as string).slice("subtask://".length);
    expect(await get<SubtaskView>(`/v1/subtasks/${id}`)).toMatchObject({
      result: 1000,
      usage: { turns: 2, cells: 2, calls: 1 },
    });
    const log = await get<{ items: { agent: string; events: { type: string; text?: string }[] }[] }>(
      `/v1/subtasks/${id}/log`,
    );
    expect(log.items[0]!.agent).toBe(agent!.id);
    expect(log.items[0]!.events.map(({ type }) => type)).toEqual(
      expect.arrayContaining(["run-started", "cell-started", "cell-logged", "run-ended"]),
    );
  });

  it("its storage is deleted after the retention the run asks for", async () => {
    const run = await submit(
      scripted("retention", [
        { code: `done(await agents.call(${WORKER}, { task: ${task("soon gone", [{ code: "done(1)" }])} }))` },
      ]),
      { retention: "0s" },
    );
    const [agent] = await agentsOf(run.id);
    const stub = env.SUB_AGENT.getByName(`main/${agent!.id}`);
    const hasOrder = (): Promise<boolean> =>
      runInDurableObject(stub, (_, { storage }) => storage.kv.get("order") !== undefined).catch(() => false);
    await vi.waitUntil(
      async () => {
        await runDurableObjectAlarm(stub).catch(() => false);
        return !(await hasOrder());
      },
      { timeout: 10_000, interval: 200 },
    );
    expect(await hasOrder()).toBe(false);
    expect((await agentsOf(run.id))[0]).toMatchObject({ status: "succeeded" });
  });
});
