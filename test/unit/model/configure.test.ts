import { afterEach, describe, expect, it } from "vitest";
import { TIERS } from "../../../src/contract/model.ts";
import { configureModel, DEFAULT_MODELS } from "../../../src/model/configure.ts";
import type { ModelEnv } from "../../../src/model/configure.ts";
import type { Model, ModelRetry } from "../../../src/model/port.ts";
import { startScriptedModel } from "../../support/scripted-model.ts";
import type { ScriptedModel } from "../../support/scripted-model.ts";

const embedded: Model = {
  label: "embedded planner",
  call: async () => ({ ok: false, failure: { kind: "no-recipe", goal: "", recipes: [] } }),
};

let server: ScriptedModel | undefined;
afterEach(async () => {
  await server?.close();
  server = undefined;
});

/** Which model each tier asks for, seen from the endpoint. */
async function askedFor(env: ModelEnv) {
  server = await startScriptedModel(() => ({ text: "fine" }));
  const model = configureModel({ ANTHROPIC_BASE_URL: server.url, ...env }, embedded);
  if (!model.ok) throw new Error(JSON.stringify(model.failure));
  for (const tier of TIERS)
    await model.value.call(
      { tier, system: "s", brief: { goal: "g", variables: [] }, exchanges: [] },
      { signal: new AbortController().signal },
    );
  return server.requests.map(({ body }) => body.model);
}

describe("configureModel", () => {
  it.each([{}, { ANTHROPIC_API_KEY: "", ANTHROPIC_BASE_URL: "  " }, { PRAXIS_MODELS: "qwen3:8b" }])(
    "takes the embedded planner when %j names neither key nor base URL",
    (env) => {
      expect(configureModel(env, embedded)).toEqual({ ok: true, value: embedded });
    },
  );

  it.each([{ ANTHROPIC_API_KEY: "sk-1" }, { ANTHROPIC_BASE_URL: "http://localhost:11434" }])(
    "takes the Messages API for %j",
    (env) => {
      expect(configureModel(env, embedded)).toMatchObject({ ok: true, value: { label: "anthropic" } });
    },
  );

  it("sends the key it was given", async () => {
    await askedFor({ ANTHROPIC_API_KEY: " sk-1 \n" });
    expect(server?.requests[0]?.headers["x-api-key"]).toBe("sk-1");
  });

  it("asks for a model of each class by default", async () => {
    expect(await askedFor({})).toEqual([DEFAULT_MODELS.small, DEFAULT_MODELS.medium, DEFAULT_MODELS.large]);
    expect(DEFAULT_MODELS).toMatchObject({
      small: expect.stringContaining("haiku"),
      medium: expect.stringContaining("sonnet"),
      large: expect.stringContaining("opus"),
    });
  });

  it("takes one plain id for all tiers", async () => {
    expect(await askedFor({ PRAXIS_MODELS: "hf.co/org/qwen3:8b" })).toEqual(Array(3).fill("hf.co/org/qwen3:8b"));
  });

  it("takes a JSON object, and defaults for the tiers it leaves out", async () => {
    expect(await askedFor({ PRAXIS_MODELS: '{"small": "a", "large": "b"}' })).toEqual([
      "a",
      DEFAULT_MODELS.medium,
      "b",
    ]);
  });

  it.each(['{"small": }', '{"tiny": "a"}', '{"small": 1}', '{"small": ""}', '["a"]', '"a"', "a b"])(
    "refuses PRAXIS_MODELS=%s and says what it should be",
    (text) => {
      expect(configureModel({ ANTHROPIC_API_KEY: "k", PRAXIS_MODELS: text }, embedded)).toEqual({
        ok: false,
        failure: {
          kind: "model-misconfigured",
          variable: "PRAXIS_MODELS",
          problem: expect.stringContaining('{"small": "…", "medium": "…", "large": "…"}'),
        },
      });
    },
  );

  it.each(["localhost:11434", "not a url", "ftp://host", "http://me:pw@host", "http://host/?a=1", "http://host/#x"])(
    "refuses ANTHROPIC_BASE_URL=%s and says what it should be",
    (url) => {
      expect(configureModel({ ANTHROPIC_BASE_URL: url }, embedded)).toEqual({
        ok: false,
        failure: {
          kind: "model-misconfigured",
          variable: "ANTHROPIC_BASE_URL",
          problem: expect.stringContaining("such as http://localhost:11434"),
        },
      });
    },
  );

  it("refuses a key that cannot travel in a header", () => {
    expect(configureModel({ ANTHROPIC_API_KEY: "sk\n1" }, embedded)).toMatchObject({
      failure: { kind: "model-misconfigured", variable: "ANTHROPIC_API_KEY" },
    });
  });

  it.each(["fast", "-1", "1.5"])("refuses PRAXIS_RETRY_BASE_MS=%s", (text) => {
    expect(configureModel({ ANTHROPIC_API_KEY: "k", PRAXIS_RETRY_BASE_MS: text }, embedded)).toMatchObject({
      failure: { kind: "model-misconfigured", variable: "PRAXIS_RETRY_BASE_MS" },
    });
  });

  it("takes the base of its delays from PRAXIS_RETRY_BASE_MS", async () => {
    server = await startScriptedModel([{ status: 529 }, { status: 529 }, { text: "fine" }]);
    const model = configureModel({ ANTHROPIC_BASE_URL: server.url, PRAXIS_RETRY_BASE_MS: "1" }, embedded);
    const retries: ModelRetry[] = [];
    const result =
      model.ok &&
      (await model.value.call(
        { tier: "small", system: "s", brief: { goal: "g", variables: [] }, exchanges: [] },
        { signal: new AbortController().signal, onRetry: (retry) => retries.push(retry) },
      ));
    expect(result).toMatchObject({ ok: true });
    expect(retries).toHaveLength(2);
    expect(Math.max(...retries.map(({ delayMs }) => delayMs))).toBeLessThanOrEqual(2);
  });
});
