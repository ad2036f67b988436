import type { OpenApiFragment } from "../src/contract/services.ts";
import { schemaOf } from "./declaration.ts";
import { type AnyTool, grantOf } from "./define.ts";

const SCHEMAS = "#/components/schemas/";

/** The tools as OpenAPI holds them: a schema for what each takes and gives, and a list that refers to them. */
export function openapiFragment(tools: readonly AnyTool[]): OpenApiFragment {
  const schemas: OpenApiFragment["schemas"] = {};
  const list = tools.map((tool) => {
    const [input, output] = [`tools.${tool.name}.input`, `tools.${tool.name}.output`];
    schemas[input] = schemaOf(tool.input, "input");
    if (tool.output !== undefined) schemas[output] = schemaOf(tool.output, "output");
    return {
      name: tool.name,
      summary: tool.summary,
      effect: tool.effect,
      approval: tool.approval ?? "never",
      grant: grantOf(tool),
      input: { $ref: SCHEMAS + input },
      ...(tool.output === undefined ? {} : { output: { $ref: SCHEMAS + output } }),
    };
  });
  return { schemas, tools: list };
}
