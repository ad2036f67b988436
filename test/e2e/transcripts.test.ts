import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { ScriptedModel } from "../support/scripted-model.ts";
import { type RunningServer, startServer } from "../support/server.ts";
import { startTagger, tagByAgents, tagDirectly, tagsOf, transcripts } from "../support/transcripts.ts";

let model: ScriptedModel;
let server: RunningServer;

beforeAll(async () => {
  model = await startTagger();
  server = await startServer({ vars: { ANTHROPIC_BASE_URL: model.url } });
});
afterAll(async () => {
  await server?.stop();
  await model?.close();
});

describe("ten transcripts tagged by ten sub-agents", () => {
  it("cost the coordinator the same however long they are, and a fraction of direct calls in all", async () => {
    const docs = transcripts(10, 5_000);
    const short = await tagByAgents(server.url, docs);
    const long = await tagByAgents(server.url, transcripts(10, 50_000));
    const direct = tagDirectly(docs);
    expect(short.tags).toEqual(tagsOf(10));
    expect(long.tags).toEqual(tagsOf(10));
    expect(direct.tags).toEqual(tagsOf(10));
    expect(short.coordinator).toBeLessThanOrEqual(4_000);
    expect(Math.abs(long.coordinator - short.coordinator)).toBeLessThanOrEqual(10); // digits of a size
    expect(short.total).toBeLessThanOrEqual(64_000);
    expect(direct.total).toBeGreaterThanOrEqual(500_000);
  });
});
