import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { boundedText, LIMIT_NOTE, tooDeep } from "../text/size.ts";
import { valueAt } from "./json-path.ts";
import { depthOf, findProblem, withoutExtras } from "./json-text.ts";

const MAX_DEPTH = 100;
const TYPES = ["object", "array", "string", "number", "boolean", "null"] as const;

/** A text as JSON. The only parser of it in the family: others hand their texts here. */
export function readJson(text: string, options: { lenient: boolean }): unknown {
  const plain = text.startsWith("\ufeff") ? ` ${text.slice(1)}` : text;
  const strict = options.lenient ? withoutExtras(plain) : plain;
  if (depthOf(strict) > MAX_DEPTH) throw tooDeep("text", MAX_DEPTH);
  try {
    return JSON.parse(strict);
  } catch (error) {
    if (!(error instanceof SyntaxError)) throw error;
    const { line, column, offset, problem } = findProblem(strict);
    throw new ToolFailure(
      "bad-json",
      `${problem}, at line ${line}, column ${column}.${options.lenient ? "" : " `lenient: true` allows comments and commas at the end."}`,
      { line, column, offset },
    );
  }
}

function typeOf(value: unknown): (typeof TYPES)[number] {
  if (value === null) return "null";
  if (Array.isArray(value)) return "array";
  return typeof value as "object" | "string" | "number" | "boolean"; // JSON has no others
}

export const json = defineTool({
  name: "data.json",
  summary: "Parses JSON, says where it is wrong, and picks a part of it.",
  description: `Fails as \`bad-json\` with line, column and what was expected; as \`no-such-path\` or \`bad-path\`; as \`too-deep\` above 100 levels. ${LIMIT_NOTE}`,
  input: z.strictObject({
    text: z.string().describe("the JSON text"),
    path: z
      .string()
      .max(2_000)
      .optional()
      .describe("items[0].name, or a JSON Pointer /items/0/name; all when left out"),
    lenient: z.boolean().optional().describe("allow comments and commas before a closing bracket"),
  }),
  output: z.object({ value: z.unknown().describe("what the text says"), type: z.enum(TYPES) }),
  effect: "read",
  examples: [
    {
      args: { text: '{"items": [{"name": "Ada"}]}', path: "items[0].name" },
      result: { value: "Ada", type: "string" as const },
    },
  ],
  execute: async ({ text, path = "", lenient = false }) => {
    const value = valueAt(readJson(boundedText(text, "text"), { lenient }), path);
    return { value, type: typeOf(value) };
  },
});
