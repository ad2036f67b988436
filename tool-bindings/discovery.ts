import { z } from "zod";
import type { SearchEntry } from "../src/capabilities/search-index.ts";
import { CapabilityName } from "../src/contract/capability.ts";
import { capabilityDeclaration, declarationOf, schemaOf } from "./declaration.ts";
import { type AnyTool, defineTool, ToolFailure } from "./define.ts";
import { nearest } from "./nearest.ts";

const MAX_HITS = 20; // an answer is read by a model: more would be a tool list again
const Hit = z.object({ name: z.string(), summary: z.string(), score: z.number() });

const search = defineTool({
  name: "tools.search",
  summary: "Finds tools and capabilities by what they do.",
  description: "Write it tools.search(query, { limit }). Then tools.describe(name) shows how to call one.",
  input: z.strictObject({ query: z.string().max(2_000), limit: z.int().min(1).max(MAX_HITS).default(5) }),
  output: z.array(Hit),
  effect: "read",
  examples: [{ args: { query: "parse a CSV file", limit: 3 } }],
  execute: async ({ query, limit }, { host }) =>
    (await host.search(query, limit)).map(({ name, summary, score }) => ({ name, summary, score })),
});

/** `tools.describe` over the tools it is given. */
const describe = (tools: ReadonlyMap<string, AnyTool>): AnyTool =>
  defineTool({
    name: "tools.describe",
    summary: "Shows how a tool is called: its declaration with examples.",
    description: "Write it tools.describe(name), with the name of a tool or of a capability.",
    input: z.strictObject({ name: z.string().max(200) }),
    output: z.string(),
    effect: "read",
    examples: [{ args: { name: "time.sleep" } }],
    execute: async ({ name }, { host }) => {
      const tool = tools.get(name);
      if (tool !== undefined) return declarationOf(tool);
      const isCapability = CapabilityName.safeParse(name).success;
      const found = isCapability ? await host.library.find(name) : undefined;
      if (found?.ok === true) return capabilityDeclaration(found.value);
      throw unknownTool(name, [...tools.keys(), ...(await host.library.nearest(name))]);
    },
  });

/** The tools an agent has, with those by which it finds them. */
export function withDiscovery(tools: readonly AnyTool[]): readonly AnyTool[] {
  const byName = new Map<string, AnyTool>(tools.map((tool) => [tool.name, tool]));
  const discovery = [search, describe(byName)];
  for (const tool of discovery) byName.set(tool.name, tool);
  return [...tools, ...discovery];
}

export function unknownTool(name: string, known: Iterable<string>): ToolFailure {
  const near = nearest(name, known);
  const hint = near.length > 0 ? `Nearest: ${near.join(", ")}.` : "Look for one with tools.search(query).";
  return new ToolFailure("unknown-tool", `No tool "${name}". ${hint}`, { name, nearest: near });
}

export const familyCalled = (name: string, known: readonly string[]): ToolFailure =>
  new ToolFailure(
    "unknown-tool",
    `"${name}" is a family of tools. Call one: ${known.filter((tool) => tool.startsWith(`${name}.`)).join(", ")}.`,
  );

/** What a tool is found by. */
export const entryOf = (tool: AnyTool): SearchEntry => ({
  name: tool.name,
  kind: "tool",
  summary: tool.summary,
  text: [
    tool.description ?? "",
    ...Object.keys(schemaOf(tool.input, "input").properties ?? {}),
    ...(tool.examples ?? []).map(({ note }) => note ?? ""),
  ].join(" "),
});
