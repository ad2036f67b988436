import { NUDGE } from "../src/orchestration/turn.ts";
import { SchemaCheck } from "../tool-bindings/data/schema-check.ts";
import { unknownType } from "../tool-bindings/data/schema-type.ts";
import { ToolFailure } from "../tool-bindings/define.ts";

type Schema = Record<string, unknown>;
const MAX_TOLD = 5; // problems a model is told of at once

/** Why a result can't be taken, in words for the model; undefined when it fits. */
export function refusalOf(value: unknown, schema: Schema | undefined): string | undefined {
  if (schema === undefined) return undefined;
  const problems = problemsOf(value, schema);
  return problems.length === 0 ? undefined : `The result does not fit the output schema: ${problems.join("; ")}`;
}

/** What a final text means: the answer itself, a value when a schema asks for one, or another try. */
export function readFinal(text: string, schema: Schema | undefined): { nudge?: string; value?: unknown } {
  if (text.trim() === "") return { nudge: NUDGE };
  if (schema === undefined) return {};
  const value = parseJson(text);
  const refusal = refusalOf(value, schema);
  return refusal === undefined
    ? { value }
    : { nudge: `${refusal}. Answer with nothing but JSON that fits, or call done(value) in a cell.` };
}

/** A text that is no JSON is a text: the schema may want one. */
function parseJson(text: string): unknown {
  const bare = text
    .trim()
    .replace(/^```(?:json)?\s*/, "")
    .replace(/\s*```$/, "");
  try {
    return JSON.parse(bare);
  } catch {
    return text.trim();
  }
}

/** What is wrong with a value by a schema, or with the schema; nothing when it fits. */
export function problemsOf(value: unknown, schema: Schema): string[] {
  try {
    return new SchemaCheck(schema)
      .problems(value)
      .slice(0, MAX_TOLD)
      .map(({ path, problem }) => `${path || "it"}: ${problem}`);
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return [error.message];
  }
}

/** Why a schema can't be used, if so. */
export function schemaProblem(schema: Record<string, unknown>): string | undefined {
  const unknown = unknownType(schema);
  if (unknown !== undefined) return unknown;
  try {
    // Of each kind, for some keywords are looked at for one kind only; and each pattern, however deep it lies.
    for (const probe of [null, "", 0, [], {}]) new SchemaCheck(schema).problems(probe);
    JSON.stringify(schema, (key, value: unknown) => {
      if (key === "pattern" && typeof value === "string") new SchemaCheck({ pattern: value }).problems("");
      return value;
    });
    return undefined;
  } catch (error) {
    if (!(error instanceof ToolFailure)) throw error;
    return `can't be used: ${error.message}`;
  }
}
