import { SELF } from "cloudflare:test";
import { describe, expect, inject, it } from "vitest";
import type { AgentView } from "../../src/contract/agent.ts";
import { SPECIALISTS } from "../../src/orchestration/specialists.ts";
import { scripted } from "../support/goal-script.ts";
import { get, submit } from "../support/runs.ts";
import { task } from "../support/tasks.ts";

const api = async (method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> => {
  const response = await SELF.fetch(`http://localhost/v1/agents${path}`, {
    method,
    headers: { "content-type": "application/json" },
    ...(body === undefined ? {} : { body: JSON.stringify(body) }),
  });
  return { status: response.status, body: response.status === 204 ? null : await response.json() };
};
const agentOf = async (run: string): Promise<AgentView> =>
  (await get<{ items: AgentView[] }>(`/v1/goals/${run}/agents`)).items[0]!;
/** The first request whose first message begins with this text. */
const request = async (text: string): Promise<{ system: { text: string }[]; model: string }> =>
  (await fetch(`${inject("countUrl")}?first&q=${encodeURIComponent(`"text":"${text}`)}`)).json();

describe("the six specialists", () => {
  it.each(SPECIALISTS.map(({ name, maxTurns }) => [name, maxTurns]))(
    "%s has %i turns, a prompt and a grant of its own",
    async (name, turns) => {
      const steps = [{ code: "done((await tools.notify.webhook({}).catch((e) => e.kind)))" }];
      const run = await submit(
        scripted("use one", [{ code: `done(await agents.call("${name}", { task: ${task(`as ${name}`, steps)} }))` }]),
      );
      expect(run.result).toBe("not-granted");
      const definition = SPECIALISTS.find((one) => one.name === name)!;
      const { system } = await request(`as ${name} `);
      expect(system[0]!.text).toContain(definition.role);
      expect(system[0]!.text).toContain(definition.persona);
      expect({ researcher: 8, coder: 6, writer: 6, analyst: 7, designer: 5, "qa-tester": 5 }[name as string]).toBe(
        turns,
      );
    },
  );

  it("hold to their turns", async () => {
    const endless = task(
      "endless",
      Array.from({ length: 20 }, (_, i) => ({ code: `${i}` })),
    );
    const run = await submit(
      scripted("designer", [{ code: `done(await agents.call("designer", { task: ${endless} }))` }]),
    );
    expect(run.result).toMatchObject({ failure: { kind: "budget-spent" }, partial: 4 });
    expect((await agentOf(run.id)).usage.turns).toBe(5);
  });
});

describe("stored definitions", () => {
  it("are made, listed, used, replaced and deleted", async () => {
    expect(await api("POST", "", { name: "tagger", role: "Tags texts.", tier: "small", maxTurns: 2 })).toMatchObject({
      status: 201,
    });
    expect((await get<{ items: { name: string; kind: string }[] }>("/v1/agents")).items).toContainEqual(
      expect.objectContaining({ name: "tagger", kind: "stored", tier: "small" }),
    );
    const run = await submit(
      scripted("stored", [
        {
          code: `const list = await agents.list(); done([list.some((a) => a.name === "tagger"), await agents.call("tagger", { task: ${task("tag this", [{ code: "done('t')" }])} })])`,
        },
      ]),
    );
    expect(run.result).toEqual([true, "t"]);
    expect(await agentOf(run.id)).toMatchObject({ name: "tagger", tier: "small", reason: "as its definition says" });
    expect(await api("DELETE", "/tagger")).toMatchObject({ status: 204 });
    expect(await api("DELETE", "/tagger")).toMatchObject({ status: 404 });
  });

  it("come from code too, and one may take a specialist's place until it is deleted", async () => {
    const run = await submit(
      scripted("define", [
        {
          code: `await agents.define({ name: "writer", role: "Writes haiku." }); done((await agents.list()).find((a) => a.name === "writer").role)`,
        },
      ]),
    );
    expect(run.result).toBe("Writes haiku.");
    expect(await api("DELETE", "/writer")).toMatchObject({ status: 204 });
    const { items } = await get<{ items: { name: string; kind: string }[] }>("/v1/agents");
    expect(items.find(({ name }) => name === "writer")).toMatchObject({ kind: "built-in" });
  });

  it.each([
    [{ role: "no name" }, "name"],
    [{ name: "x" }, "role"],
    [{ name: "../x", role: "r" }, "name"],
    [{ name: "x", role: "r", maxTurns: 0 }, "maxTurns"],
    [{ name: "x", role: "r", tools: ["a b"] }, "tools.0"],
    [{ name: "x", role: "r", tier: "huge" }, "tier"],
    [{ name: "x", role: "r", retention: "soon" }, "retention"],
    [{ name: "x", role: "r", grant: "*" }, "grant"],
  ])("refuse %j and name the field", async (definition, field) => {
    expect(await api("POST", "", definition)).toMatchObject({ status: 400, body: { errors: [{ field }] } });
  });
});

describe("what an agent is", () => {
  const call = (definition: string, name: string, more = ""): string =>
    `done(await agents.call(${definition}, { task: ${task(name, [{ code: "done(1)" }])}${more} }))`;

  it("unset fields are inherited: tier, tools, budget", async () => {
    const run = await submit(scripted("inherit", [{ code: call('{ name: "plain", role: "r" }', "inherits") }]));
    expect(await agentOf(run.id)).toMatchObject({ tier: "medium", reason: "inherited from its parent" });
    expect((await request("inherits ")).system[0]!.text).toContain("Tools you may use: all of them");
  });

  it("a model by its id serves it", async () => {
    await submit(
      scripted("by id", [{ code: call('{ name: "special", role: "r", model: "my-model-7" }', "by model id") }]),
    );
    expect((await request("by model id ")).model).toBe("my-model-7");
  });

  it.each([
    ["small", "a short task of few turns", '{ name: "a", role: "r", tier: "auto", maxTurns: 2 }', ""],
    ["small", "a fixed form of result", '{ name: "b", role: "r", tier: "auto" }', ', output: { type: "integer" }'],
    ["medium", "judgement", '{ name: "c", role: "r", tier: "auto" }', ""],
    ["medium", "data is longer", '{ name: "d", role: "r", tier: "auto", maxTurns: 2 }', ', data: "x".repeat(100_000)'],
  ])("tier auto picks %s and records why: %s", async (tier, reason, definition, more) => {
    const run = await submit(scripted("auto tier", [{ code: call(definition, "auto tier task", more) }]));
    expect(run.result).toBe(1);
    expect(await agentOf(run.id)).toMatchObject({ tier, reason: expect.stringContaining(reason) });
  });
});
