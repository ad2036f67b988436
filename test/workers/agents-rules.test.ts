import { env, runInDurableObject, SELF } from "cloudflare:test";
import { describe, expect, it, vi } from "vitest";
import type { AgentView, SubtaskView } from "../../src/contract/agent.ts";
import type { RunView } from "../../src/contract/goal.ts";
import { scripted } from "../support/goal-script.ts";
import { begin, eventsOf, get, modelCalls, submit, waitFor, waitForEnd } from "../support/runs.ts";
import type { Step } from "../support/scripted-model.ts";
import { task, WORKER } from "../support/tasks.ts";

const call = (name: string, steps: Step[], more = ""): string =>
  `await agents.call(${WORKER}, { task: ${task(name, steps)}${more} })`;
const agentsOf = async (run: string): Promise<AgentView[]> =>
  (await get<{ items: AgentView[] }>(`/v1/goals/${run}/agents?limit=200`)).items;
const done = (code: string, more: object = {}): Promise<RunView> => submit(scripted("rules", [{ code }]), more);
const PAID = { input_tokens: 600, output_tokens: 100 };
const FOREVER = [{ code: "await new Promise((r) => setTimeout(r, 60_000)); done(1)" }];

describe("a child that ends badly gives its parent a Failure and what it had", () => {
  it.each([
    ["it fails", call("fails", [{ code: "1 + 1" }, { refuse: true, why: "no" }]), "model-refused", 2],
    [
      "it spends its turns",
      call("turns", [{ code: "'part'" }, { code: "2" }], ", maxTurns: 1"),
      "budget-spent",
      "part",
    ],
    [
      "it spends its tokens",
      call(
        "tokens",
        [
          { code: "'some'", usage: PAID },
          { code: "2", usage: PAID },
        ],
        ", budget: { tokens: 1_000 }",
      ),
      "budget-spent",
      "some",
    ],
    [
      "it spends its cells",
      call("cells", [{ code: "'one'" }, { code: "2" }], ", budget: { cells: 1 }"),
      "budget-spent",
      "one",
    ],
    [
      "it spends its calls",
      call(
        "calls",
        [{ code: "for (let i = 0; i < 3; i++) await tools.time.sleep({ ms: i }).catch(() => 0); 'c'" }, { code: "2" }],
        ", budget: { calls: 2 }",
      ),
      "budget-spent",
      "c",
    ],
    ["it hangs", call("hangs", FOREVER, ", timeout: 0.5"), "timed-out", undefined],
    ["it hangs beyond its seconds", call("seconds", FOREVER, ", budget: { seconds: 1 }"), "budget-spent", undefined],
  ])("%s", async (_what, code, kind, partial) => {
    const run = await done(`const r = ${code}; done(r)`);
    expect(run).toMatchObject({ status: "succeeded", result: { failure: { kind }, uri: expect.any(String) } });
    expect((run.result as { partial?: unknown }).partial).toBe(partial);
  });

  it("returns what its schema refuses: it is asked again, and after that the parent has the value it gave", async () => {
    const output = `, output: { type: "object", properties: { n: { type: "integer" } }, required: ["n"] }`;
    const mended = await done(
      `done(${call("mends", [{ code: "done({ n: 'x' })" }, { code: "done({ n: 3 })" }], output)})`,
    );
    expect(mended.result).toEqual({ n: 3 });
    const wrong = { code: "done({ n: 'x' })" };
    const refused = await done(`done(${call("never fits", [wrong, wrong, wrong], output)})`);
    expect(refused.result).toMatchObject({ failure: { kind: "output-refused" }, partial: { n: "x" } });
    const texts = await done(
      `done(${call("as text", [{ text: "three" }, { text: '```json\n{"n":3}\n```' }], output)})`,
    );
    expect(texts.result).toEqual({ n: 3 });
  });

  it("a run that its agents' spending exhausts ends, and so do they", async () => {
    const spender = task(
      "spender",
      Array.from({ length: 30 }, () => ({ code: "'x'.repeat(2000)" })),
    );
    const run = await submit(
      scripted("tree budget", [
        {
          code: `const all = await Promise.all([1, 2, 3].map((i) => agents.call(${WORKER}, { task: ${spender}, data: i }))); all.map((r) => r.failure?.kind).join()`,
        },
        { text: "never" },
      ]),
      { budget: { tokens: 12_000 } },
    );
    expect(run).toMatchObject({ status: "exhausted", failure: { message: expect.stringContaining("tokens") } });
    expect(run.result).toBe("budget-spent,budget-spent,budget-spent");
    expect(run.agents).toEqual({ exhausted: 3 });
  });
});

describe("G1: only the coordinator spawns", () => {
  it.each([
    "agents.call('writer', { task: 'x' })",
    "agents.spawn('writer', { task: 'x' })",
    "agents.list()",
    "llm.spawn('x')",
    "tools.call('agents.call', { who: 'writer', task: 'x' })",
  ])("a sub-agent is refused %s and told to escalate", async (attempt) => {
    const run = await done(
      `done(${call(`tries ${attempt.slice(0, 12)}`, [{ code: `done(await ${attempt}.catch((e) => e.kind))` }])})`,
    );
    expect(run.result).toBe("not-granted");
  });

  it("the coordinator has nobody to escalate to", async () => {
    expect((await done("done(await escalate({ need: 'x', why: 'y' }).catch((e) => e.kind))")).result).toBe(
      "not-granted",
    );
  });
});

describe("escalate", () => {
  it("a need that names an agent starts it, and its answer flows back to the one that asked", async () => {
    const helper = scripted("analyst helps", [{ code: "done(data.map((x) => x + 1))" }]);
    const ask = `const help = await escalate({ need: ${JSON.stringify(`The analyst should do: ${helper}`)}, why: "I may not", data: [1, 2] }); done({ help })`;
    const run = await done(`done(${call("asks", [{ code: ask }])})`);
    expect(run.result).toEqual({ help: [2, 3] });
    expect((await agentsOf(run.id)).map(({ name, status }) => [name, status])).toEqual([
      ["worker", "succeeded"],
      ["analyst", "succeeded"],
    ]);
    const escalated = [];
    for await (const event of eventsOf(run.id)) if (event.type === "agent-escalated") escalated.push(event);
    expect(escalated).toMatchObject([{ why: "I may not", decision: "spawn analyst" }]);
  });

  it("the coordinator's model may answer or decline, once for equal questions", async () => {
    const decide = (name: string, choice: object): string => scripted(name, [{ text: JSON.stringify(choice) }]);
    const ask = async (need: string): Promise<unknown> =>
      (
        await done(
          `done(${call("asks model", [{ code: `done(await escalate({ need: ${JSON.stringify(need)}, why: "w" }))` }])})`,
        )
      ).result;
    expect(await ask(decide("what is six by seven", { decision: "answer", answer: "42" }))).toBe("42");
    expect(await ask(decide("the moon", { decision: "decline", reason: "too far" }))).toMatchObject({
      failure: { kind: "no-help", message: expect.stringContaining("too far") },
    });
  });

  it("agents that only ask one another are declined in the end", async () => {
    // Each of them asks the same again: the task it hands on is its own.
    const asking = (depth: number): string =>
      scripted(`level ${depth}`, [
        {
          code:
            depth > 4
              ? "done('deep')"
              : `done(await escalate({ need: ${JSON.stringify(`coder: ${depth > 3 ? "" : asking(depth + 1)}`)}, why: "circle" }))`,
        },
      ]);
    const run = await done(`done(await agents.call(${WORKER}, { task: ${JSON.stringify(asking(1))} }))`);
    expect(run.result).toMatchObject({ failure: { kind: "no-help" } });
    expect(run.usage.agents).toBe(3);
  });
});

describe("what a stranger found", () => {
  it("agents that all ask for help at once get it: helpers wait for no turn", async () => {
    const helper = scripted("quick help", [{ code: "done('helped')" }]);
    const asks = task("asks at once", [
      { code: `done(await escalate({ need: ${JSON.stringify(`writer: ${helper}`)}, why: "all at once" }))` },
    ]);
    const run = await done(
      `const all = await Promise.all(Array.from({ length: 26 }, (_, i) => agents.call(${WORKER}, { task: ${asks}, data: i }))); done(all.filter((r) => r === "helped").length)`,
    );
    expect(run.result).toBe(26);
  });

  it("a plan in which everything needs everything before it is no burden", async () => {
    const steps = `Array.from({ length: 26 }, (_, i) => ({ id: "s" + i, agent: ${WORKER}, task: i === 0 ? ${task("dense", [{ refuse: true }])} : "x", needs: Array.from({ length: i }, (_, j) => "s" + j) }))`;
    const run = await done(`const r = await agents.plan(${steps}); done([r.s0.failure.kind, r.s25.failure.kind])`);
    expect(run.result).toEqual(["model-refused", "step-skipped"]);
  });

  it("a fallback keeps to what the call allows", async () => {
    const run = await done(
      `done(await agents.call("coder", { tools: [], maxTurns: 1, fallback: { tier: "large" }, task: ${task("tries files", [{ code: "await files.write('leak.txt', 'x').catch((e) => e.kind)" }, { code: "done('second turn')" }])} }))`,
    );
    expect(run.result).toMatchObject({ failure: { kind: "budget-spent" }, partial: "not-granted" });
    expect(run.agents).toEqual({ exhausted: 2 });
  });

  it.each(["quorum: { agree: 9, of: 9 }", "retry: 5"])("a budget of agents holds with %s", async (option) => {
    const run = await done(
      `done((await agents.call(${WORKER}, { ${option}, task: ${task("costly", [{ refuse: true }])} })).failure.kind)`,
      { budget: { agents: 2 } },
    );
    expect(run.result).toBe("budget-spent");
    expect(run.usage.agents).toBe(2);
  });

  it("detached agents spend from the run's budget also when it has ended", async () => {
    const spender = task(
      "detached spender",
      Array.from({ length: 9 }, () => ({ code: "await tools.time.sleep({ ms: 30 }); 1", usage: PAID })),
    );
    const run = await done(
      `for (let i = 0; i < 4; i++) await agents.spawn(${WORKER}, { task: ${spender}, data: i, detached: true }); done(1)`,
      { budget: { tokens: 5_000 } },
    );
    await vi.waitUntil(async () => (await get<RunView>(`/v1/goals/${run.id}`)).agents?.["exhausted"] === 4, {
      timeout: 15_000,
    });
    const { usage } = await get<RunView>(`/v1/goals/${run.id}`);
    expect(usage.input + usage.output).toBeLessThan(5_000 + 4 * 700 + 700);
  });

  it("one that is stopped says what it had", async () => {
    const slow = [{ code: "let mid = 5; mid" }, ...FOREVER];
    const late = await done(`done(await agents.call(${WORKER}, { task: ${task("late", slow)}, timeout: 1 }))`);
    expect(late.result).toMatchObject({ failure: { kind: "timed-out" }, partial: 5 });
    const cancelled = await done(
      `const a = await agents.spawn(${WORKER}, { task: ${task("stopped", slow)} }); while ((await agents.status(a)).turns < 2) await tools.time.sleep({ ms: 20 }); await agents.cancel(a); done(await agents.result(a))`,
    );
    expect(cancelled.result).toMatchObject({ failure: { kind: "cancelled" }, partial: 5 });
  });

  it("the help nobody waits for any more ends with the one that asked", async () => {
    const asks = task("asks and goes", [
      { code: `await escalate({ need: ${JSON.stringify(`writer: ${scripted("long help", FOREVER)}`)}, why: "w" })` },
    ]);
    const run = await done(
      `const a = await agents.spawn(${WORKER}, { task: ${asks} }); await tools.time.sleep({ ms: 600 }); await agents.cancel(a); await tools.time.sleep({ ms: 600 }); done(1)`,
    );
    expect(run.agents).toEqual({ cancelled: 2 });
  });

  it.each(['{ type: "nonsense" }', '{ type: "string", pattern: "[" }', '{ $ref: "#/nowhere" }'])(
    "an output schema that can't be used is refused before anything is paid for: %s",
    async (schema) => {
      const run = await done(
        `done(await agents.call(${WORKER}, { task: "x", output: ${schema} }).catch((e) => e.message))`,
      );
      expect(run.result).toContain("output");
      expect(run.usage.agents).toBe(0);
    },
  );

  it("a result that never fitted is told as that, also when the turns ran out over it", async () => {
    const wrong = { code: "done('x')" };
    const run = await done(`done(${call("misfit", [wrong, wrong], ', maxTurns: 2, output: { type: "integer" }')})`);
    expect(run.result).toMatchObject({ failure: { kind: "output-refused" }, partial: "x" });
  });

  it("every agent may ask for help, whatever its grant", async () => {
    const run = await done(
      `done(await agents.call({ name: "bare", role: "r", tools: [] }, { task: ${task("bare asks", [{ code: `done(await escalate({ need: ${JSON.stringify(`coder: ${scripted("coder helps", [{ code: "done('ok')" }])}`)}, why: "w" }))` }])} }))`,
    );
    expect(run.result).toBe("ok");
  });
});

describe("limits", () => {
  it("a budget of agents refuses those too many, and the results of the others are kept", async () => {
    const run = await done(
      `const all = await Promise.all([1, 2, 3, 4].map((i) => agents.call(${WORKER}, { task: ${task("counted", [{ code: "done(data)" }])}, data: i }))); done(all.map((r) => r.failure?.kind ?? r))`,
      { budget: { agents: 2 } },
    );
    expect(run.result).toEqual([1, 2, "budget-spent", "budget-spent"]);
  });

  it.each([
    ["an unknown agent", "agents.call('wrter', { task: 'x' })", "writer"],
    ["no task", "agents.call('writer', {})", "task"],
    ["an unknown option", "agents.call('writer', { task: 'x', speed: 3 })", "speed"],
    ["a definition without a role", "agents.call({ name: 'x' }, { task: 'x' })", "who"],
    ["a tool pattern that is none", "agents.call({ name: 'x', role: 'r', tools: ['../*'] }, { task: 'x' })", "tools"],
    ["an address that is none", "agents.result('file:///etc/passwd')", "subtask://"],
    ["an address of nobody", "agents.status('subtask://s.r.t')", "s.r.t"],
    ["a quorum that can't be", "agents.call('writer', { task: 'x', quorum: { agree: 4, of: 3 } })", "agree"],
  ])("refuses %s", async (_what, attempt, says) => {
    const run = await done(`done(await ${attempt}.catch((e) => e.message))`);
    expect(run.result).toContain(says);
  });
});

describe("cancelling", () => {
  const spawning = `const a = await agents.spawn(${WORKER}, { task: ${task("long one", FOREVER)} });`;

  it("a run cancels its whole tree within two seconds, the detached and the queued too", async () => {
    const many = `for (let i = 0; i < 30; i++) await agents.spawn(${WORKER}, { task: ${task("queued ones", FOREVER)}, data: i, detached: i === 0 }); await agents.result(a)`;
    const id = await begin(scripted("cancel tree", [{ code: `${spawning} ${many}` }]));
    await vi.waitUntil(async () => (await get<RunView>(`/v1/goals/${id}`)).usage.agents === 31, { timeout: 20_000 });
    const start = Date.now();
    const run = await (await SELF.fetch(`http://localhost/v1/goals/${id}/cancel`, { method: "POST" })).json<RunView>();
    expect(Date.now() - start).toBeLessThan(2_000);
    expect(run).toMatchObject({ status: "cancelled", agents: { cancelled: 31 } });
    const [first] = await agentsOf(id);
    const object = env.SUB_AGENT.getByName(`main/${first!.id}`);
    const status = await runInDurableObject(
      object,
      (_, { storage }) => storage.sql.exec<{ status: string }>("SELECT status FROM runs").one().status,
    );
    expect(status).toBe("cancelled");
  });

  it("one subtask, from code and from outside, and only it", async () => {
    const code = `${spawning} const b = await agents.spawn(${WORKER}, { task: ${task("other", [{ code: "done(7)" }])} }); const s = await agents.cancel(a); done({ a: a.uri, s: s.status, value: await agents.result(b), gone: (await agents.result(a)).failure.kind })`;
    const run = await done(code);
    expect(run.result).toMatchObject({ s: "cancelled", value: 7, gone: "cancelled" });
    const id = (run.result as { a: string }).a.slice("subtask://".length);
    const again = await SELF.fetch(`http://localhost/v1/subtasks/${id}/cancel`, { method: "POST" });
    expect(await again.json()).toMatchObject({ status: "cancelled" });
  });

  it("a child does not outlive its run", async () => {
    const run = await done(`${spawning} done(a.uri)`);
    const id = (run.result as string).slice("subtask://".length);
    await vi.waitUntil(async () => (await get<SubtaskView>(`/v1/subtasks/${id}`)).endedAt !== undefined, {
      timeout: 10_000,
    });
    expect(await get<SubtaskView>(`/v1/subtasks/${id}`)).toMatchObject({ status: "cancelled" });
  });

  it("unless it was detached on purpose", async () => {
    const slow = task("slow one", [{ code: "await new Promise((r) => setTimeout(r, 800)); done('late')" }]);
    const run = await done(`const a = await agents.spawn(${WORKER}, { task: ${slow}, detached: true }); done(a.uri)`);
    const id = (run.result as string).slice("subtask://".length);
    expect(await get<SubtaskView>(`/v1/subtasks/${id}`)).toMatchObject({ status: "running", detached: true });
    await vi.waitUntil(async () => (await get<SubtaskView>(`/v1/subtasks/${id}`)).status === "succeeded", {
      timeout: 10_000,
    });
    expect(await get<SubtaskView>(`/v1/subtasks/${id}`)).toMatchObject({ result: "late" });
  });
});

describe("a goal's approvals", () => {
  const careful = (label: string): string => `done(await tools.test.careful({ label: "${label}" }))`;

  it("an agent that needs a person makes the run wait; approved, both go on", async () => {
    const id = await begin(
      scripted("below asks", [{ code: `done(${call("careful", [{ code: careful("below 1") }])})` }]),
    );
    await waitFor(id, ({ type }) => type === "run-waiting");
    const run = await get<RunView>(`/v1/goals/${id}`);
    expect(run).toMatchObject({
      status: "waiting",
      waitingOn: [{ agent: "worker", tool: "test.careful", args: { label: "below 1" } }],
    });
    const decision = run.waitingOn![0]!;
    const answer = await SELF.fetch(`http://localhost/v1/goals/${id}/approvals/${decision.id}`, {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ decision: "approve", digest: decision.digest }),
    });
    expect(answer.status).toBe(200);
    expect(await waitForEnd(id)).toMatchObject({ status: "succeeded", result: "did below 1" });
    expect(await modelCalls("below asks <script>")).toBe(1);
  });

  it("auto at submission counts for the whole tree", async () => {
    const run = await done(`done(${call("auto below", [{ code: careful("below 2") }])})`, { approvals: "auto" });
    expect(run.result).toBe("did below 2");
  });
});
