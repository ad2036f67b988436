import { z } from "zod";
import { defineTool } from "../define.ts";
import { boundedValue, VALUE_NOTE } from "../text/size.ts";
import { SchemaCheck } from "./schema-check.ts";

export const validate = defineTool({
  name: "data.validate",
  summary: "Checks a value against a JSON Schema and lists what is wrong.",
  description: `Types, enum, const, limits, properties, items, tuples, allOf/anyOf/oneOf/not/if, $ref inside the schema, patterns without look-around, common formats; other keywords are passed over. At most 100 problems. Fails as \`bad-schema\`, \`unsupported-pattern\`, or \`too-complex\` when the schema takes too much work. ${VALUE_NOTE}`,
  input: z.strictObject({
    value: z.unknown().describe("what to check"),
    schema: z.union([z.record(z.string(), z.unknown()), z.boolean()]).describe("JSON Schema"),
  }),
  output: z.object({
    valid: z.boolean(),
    problems: z.array(
      z.object({
        path: z.string().describe('JSON Pointer into the value, "" for the whole'),
        keyword: z.string().describe("the keyword of the schema"),
        problem: z.string(),
      }),
    ),
  }),
  effect: "read",
  examples: [
    {
      args: {
        value: { name: "Ada", age: "36" },
        schema: { type: "object", properties: { age: { type: "integer" } }, required: ["name", "born"] },
      },
      result: {
        valid: false,
        problems: [
          { path: "", keyword: "required", problem: 'must have "born"' },
          { path: "/age", keyword: "type", problem: "must be integer, is string" },
        ],
      },
    },
  ],
  execute: async ({ value, schema }) => {
    boundedValue(schema, "schema");
    const problems = new SchemaCheck(schema).problems(boundedValue(value, "value"));
    return { valid: problems.length === 0, problems };
  },
});
