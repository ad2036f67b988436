import { z } from "zod";
import { uriOf } from "../src/contract/agent.ts";
import { describeFailure } from "../src/contract/describe.ts";
import { Tier } from "../src/contract/model.ts";
import { defineTool, ToolFailure } from "./define.ts";

export const LlmRequest = z.strictObject({
  prompt: z.string().min(1).max(100_000).describe("What is asked"),
  tier: Tier.default("small").describe("How capable a model: small for maps over data"),
  schema: z
    .record(z.string(), z.json())
    .optional()
    .describe("JSON Schema of the answer; without it the answer is text"),
  data: z.json().optional().describe("What the prompt is about; put after it, in full"),
});
export type LlmRequest = z.infer<typeof LlmRequest>;

export const llmSpawn = defineTool({
  name: "llm.spawn",
  summary: "Asks a model in the background and gives the call's subtask:// address at once.",
  description: "Write it llm.spawn(prompt, { tier, schema, data }). agents.result(uri) waits for the answer.",
  input: LlmRequest,
  output: z.json(),
  effect: "idempotent",
  examples: [{ args: { prompt: "Name a colour.", tier: "small" }, result: { uri: "subtask://s-1.r1.t1" } }],
  execute: async (request, { host, idempotencyKey }) => {
    if (host.agents === undefined)
      throw new ToolFailure("not-granted", "Only the coordinator starts subtasks. Use llm() with Promise.all.");
    const opened = await host.agents.openLlm(request, idempotencyKey);
    if (opened.ok) return { uri: uriOf(opened.value.id) };
    throw new ToolFailure(opened.failure.kind, describeFailure(opened.failure));
  },
});

export const llm = defineTool({
  name: "llm.call",
  summary: "Asks a model once and gives its answer: text, or JSON that fits a schema.",
  description: [
    "Write it llm(prompt, { tier, schema, data }). Equal calls of a run are made once.",
    "Fails with the kind of what went wrong, such as budget-spent, model-busy or llm-invalid (no JSON that fits, after one repair).",
  ].join("\n"),
  input: LlmRequest,
  output: z.json(),
  effect: "idempotent", // asking again costs, but does no harm
  examples: [
    {
      args: {
        prompt: "Which language is this?",
        tier: "small",
        schema: { type: "object", properties: { language: { type: "string" } }, required: ["language"] },
        data: "Guten Tag",
      },
      result: { language: "German" },
    },
  ],
  execute: async (request, { host, signal }) => {
    const answer = await host.llm(request, signal);
    if (answer.ok) return answer.value;
    throw new ToolFailure(answer.failure.kind, describeFailure(answer.failure));
  },
});
