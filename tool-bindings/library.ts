import { z } from "zod";
import { CAPABILITY_LIMITS, CapabilityName, CapabilityState, VersionNumber } from "../src/contract/capability.ts";
import { describeFailure } from "../src/contract/describe.ts";
import type { Result } from "../src/contract/failure.ts";
import { type AnyTool, defineTool, ToolFailure } from "./define.ts";
import type { CapabilityRecord } from "./host.ts";

const MAX_HITS = 20; // as tools.search

function valueOf<T>(result: Result<T>): T {
  if (result.ok) return result.value;
  const { kind, ...data } = result.failure;
  throw new ToolFailure(kind, describeFailure(result.failure), data);
}

const search = defineTool({
  name: "library.search",
  summary: "Finds capabilities: functions and agents that were saved, tested and used before.",
  description:
    "Write it library.search(query, { limit }). Then tools.describe(name) shows how to call one, and library.run(name, input) runs it.",
  input: z.strictObject({ query: z.string().max(2_000), limit: z.int().min(1).max(MAX_HITS).default(5) }),
  output: z.array(z.object({ name: z.string(), summary: z.string(), confidence: z.number() })),
  effect: "read",
  examples: [{ args: { query: "sum orders by customer", limit: 3 } }],
  execute: async ({ query, limit }, { host }) =>
    (await host.library.search(query, limit)).map(({ name, summary, confidence }) => ({ name, summary, confidence })),
});

const Found = z.object({
  name: z.string(),
  kind: z.enum(["function", "agent"]),
  version: z.number(),
  state: CapabilityState,
  why: z.string(),
  description: z.string(),
  input: z.json().exactOptional(),
  output: z.json().exactOptional(),
  needs: z.array(z.string()),
  agent: z.json().exactOptional(),
  tests: z.array(z.json()).exactOptional(),
  uses: z.number(),
  successRate: z.number().exactOptional(),
  source: z.string().describe("The module as it was saved; empty for an agent"),
});

const foundOf = ({ view, version, file: { manifest, source } }: CapabilityRecord): z.infer<typeof Found> => ({
  name: view.name,
  kind: version.kind,
  version: version.version,
  state: version.state,
  why: version.why,
  description: version.description,
  ...(version.input === undefined ? {} : { input: version.input }),
  ...(version.output === undefined ? {} : { output: version.output }),
  needs: version.needs,
  ...(manifest.kind === "agent" ? { agent: manifest.agent } : { tests: manifest.tests }),
  uses: view.uses,
  ...(view.successRate === undefined ? {} : { successRate: view.successRate }),
  source,
});

const get = defineTool({
  name: "library.get",
  summary: "Shows a capability in full: what it takes and gives, its state, tests and source.",
  description:
    "Write it library.get(name). The version that is offered, or else the newest. Fails as unknown-capability.",
  input: z.strictObject({ name: z.string().max(CAPABILITY_LIMITS.nameChars) }),
  output: Found,
  effect: "read",
  examples: [{ args: { name: "sum-orders" } }],
  execute: async ({ name }, { host }) => foundOf(valueOf(await host.library.find(name))),
});

const EXAMPLE_DRAFT = {
  name: "double-numbers",
  description: "Doubles each number of a list.",
  input: { type: "array", items: { type: "number" } },
  output: { type: "array", items: { type: "number" } },
  source: "export default async (input: number[]) => input.map((n) => 2 * n);",
  tests: [
    { input: [1, 2], expect: [2, 4] },
    { input: null, throws: true },
  ],
};

const save = defineTool({
  name: "library.save",
  summary: "Saves a capability, once it is checked and its own tests have passed.",
  description: [
    "Write it library.save({ name, description, input, output, source, tests, needs }). input and output: JSON Schema. source: a TypeScript module whose default export is async (input) => output; it may use the cell API but not done().",
    'tests: { input, expect } or { input, throws }, at least one of each; tools in a test are stubs by name: { "http.get": value }. needs: names of the tools and capabilities it calls. An agent: { name, description, agent: { name, role, … } }.',
    "A refused one is a value: { saved: false, reasons: [{ rule, problem }] }. A name that is taken gets its next version.",
  ].join("\n"),
  input: z.record(z.string(), z.json()),
  output: z.union([
    z.object({
      saved: z.literal(true),
      name: z.string(),
      version: z.number(),
      state: CapabilityState,
      unchanged: z.literal(true).exactOptional(),
    }),
    z.object({
      saved: z.literal(false),
      reasons: z.array(z.object({ rule: z.string(), problem: z.string() })),
      duplicate: z.string().exactOptional(),
    }),
  ]),
  effect: "idempotent",
  examples: [{ args: EXAMPLE_DRAFT, result: { saved: true, name: "double-numbers", version: 1, state: "probation" } }],
  execute: async (draft, { host }) => valueOf(await host.library.save(draft)),
});

const run = defineTool({
  name: "library.run",
  summary: "Runs a capability with an input and gives its output.",
  description: [
    "Write it library.run(name, input) or tools.call(name, input). It may call what it needs of what you may call.",
    "Fails as capability-failed with data { name, version, cause: { kind, message, line } }; bad-arguments when the input does not fit; unknown-capability; capability-unavailable; not-granted; too-deep.",
  ].join("\n"),
  input: z.strictObject({
    name: CapabilityName,
    input: z.json().default({}).describe("Fits the capability's input schema"),
    version: VersionNumber.optional().describe("This very version; else the one that is offered"),
  }),
  output: z.json(),
  effect: "idempotent", // what it does inside is journaled by itself
  examples: [{ args: { name: "double-numbers", input: [1, 2] }, result: [2, 4] }],
  execute: async (order, { host, idempotencyKey }) =>
    (await host.library.run(order, idempotencyKey)) as z.infer<ReturnType<typeof z.json>>, // plain data, as it came
});

export const LIBRARY_TOOLS: readonly AnyTool[] = [search, get, save, run];
