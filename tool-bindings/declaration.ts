import { z } from "zod";
import type { AnyTool } from "./define.ts";
import type { CapabilityRecord } from "./host.ts";

type JsonSchema = Record<string, unknown> & {
  type?: string | string[];
  properties?: Record<string, JsonSchema>;
  required?: string[];
  items?: JsonSchema;
};

const MAX_DEPTH = 6;

/** A tool as the model reads it: its TypeScript declaration, what it says of itself, and its examples. */
export function declarationOf(tool: AnyTool): string {
  const lines = [
    tool.summary,
    tool.description,
    tool.approval === undefined || tool.approval === "never"
      ? undefined
      : `A person may be asked first (${tool.approval}).`,
  ];
  const doc = lines
    .filter((line): line is string => line !== undefined && line !== "")
    .flatMap((line) => line.split("\n"));
  const output = tool.output === undefined ? "unknown" : typeText(schemaOf(tool.output, "output"), 0);
  const examples = (tool.examples ?? []).map(({ args, result, note }) => {
    const call = `await tools.${tool.name}(${JSON.stringify(args)})`;
    const answer = result === undefined ? "" : ` // ${cut(JSON.stringify(result), 200)}`;
    return `${note === undefined ? "" : `// ${note}\n`}${call}${answer}`;
  });
  return [
    "/**",
    ...doc.map((line) => ` * ${line.replaceAll("*/", "*\u200b/")}`),
    " */",
    `tools.${tool.name}(args: ${typeText(schemaOf(tool.input, "input"), 0)}): Promise<${output}>`,
    ...(examples.length === 0 ? [] : ["", ...examples]),
  ].join("\n");
}

/** A capability as the model reads it; its first passing test is the example. What it says of itself is inert: a comment. */
export function capabilityDeclaration({ view, version, file }: CapabilityRecord): string {
  const { manifest } = file;
  const facts = [
    `Capability, version ${version.version}, ${version.state}; used ${view.uses} times${view.successRate === undefined ? "" : `, ${Math.round(100 * view.successRate)} % successful`}.`,
    ...(version.needs.length === 0 ? [] : [`Calls ${version.needs.join(", ")}.`]),
  ];
  const call = (args: unknown): string => `await tools.call(${JSON.stringify(view.name)}, ${JSON.stringify(args)})`;
  const test = manifest.kind === "agent" ? undefined : manifest.tests.find((one) => "expect" in one);
  const example =
    test !== undefined && "expect" in test
      ? `${call(test.input)} // ${cut(JSON.stringify(test.expect), 200)}`
      : undefined;
  const input = version.input === undefined ? "{ task: string }" : typeText(version.input, 0);
  const output = version.output === undefined ? "unknown" : typeText(version.output, 0);
  return [
    "/**",
    ...[...version.description.split("\n"), ...facts].map((line) => ` * ${line.replaceAll("*/", "*\u200b/")}`),
    " */",
    `tools[${JSON.stringify(view.name)}](input: ${input}): Promise<${output}>`,
    ...(example === undefined ? [] : ["", example]),
  ].join("\n");
}

export const schemaOf = (schema: z.ZodType, io: "input" | "output"): JsonSchema =>
  z.toJSONSchema(schema, { io, unrepresentable: "any", cycles: "ref" }) as JsonSchema;

/** A JSON Schema as a TypeScript type. What has no type of its own there is `unknown`. */
function typeText(schema: JsonSchema, depth: number): string {
  if (depth > MAX_DEPTH) return "unknown";
  const inner = (part: JsonSchema): string => typeText(part, depth + 1);
  if ("const" in schema) return JSON.stringify(schema["const"]);
  if (Array.isArray(schema["enum"])) return schema["enum"].map((value) => JSON.stringify(value)).join(" | ");
  const choices = (schema["anyOf"] ?? schema["oneOf"]) as JsonSchema[] | undefined;
  if (choices !== undefined) return [...new Set(choices.map(inner))].join(" | ");
  if (Array.isArray(schema["allOf"])) return (schema["allOf"] as JsonSchema[]).map(inner).join(" & ");
  if (Array.isArray(schema.type)) return schema.type.map((type) => inner({ ...schema, type })).join(" | ");
  switch (schema.type) {
    case "string":
    case "boolean":
    case "null":
      return schema.type;
    case "number":
    case "integer":
      return "number";
    case "array": {
      const item = schema.items === undefined ? "unknown" : inner(schema.items);
      return /[|&]/.test(item) ? `(${item})[]` : `${item}[]`;
    }
    case "object":
      return objectText(schema, inner);
    default:
      return "unknown";
  }
}

function objectText(schema: JsonSchema, inner: (part: JsonSchema) => string): string {
  const required = new Set(schema.required);
  const fields = Object.entries(schema.properties ?? {}).map(([name, part]) => {
    const note = typeof part["description"] === "string" ? ` /* ${part["description"].replaceAll("*/", "")} */` : "";
    return `${/^[A-Za-z_$][\w$]*$/.test(name) ? name : JSON.stringify(name)}${required.has(name) ? "" : "?"}: ${inner(part)}${note}`;
  });
  const rest = schema["additionalProperties"];
  if (typeof rest === "object" && rest !== null) fields.push(`[name: string]: ${inner(rest as JsonSchema)}`);
  return fields.length === 0 ? "{}" : `{ ${fields.join("; ")} }`;
}

const cut = (text: string, limit: number): string => (text.length > limit ? `${text.slice(0, limit)}…` : text);
