import { z } from "zod";
import { CELL_ERROR_KINDS } from "../contract/cell.ts";
import { CELL_LIMITS, type CellOutcome, OUTCOME_LIMITS } from "./job.ts";

const Text = (max: number) => z.string().max(max);
const Name = Text(OUTCOME_LIMITS.nameChars);
const Data = (max: number) => Text(max).refine(isEncoded);

/** Begins as the codec's texts do. The store has marks of its own, and none of them may come out of an isolate. */
export const isEncoded = (text: string): boolean => text.startsWith("[");

/**
 * What may come back from an isolate. The harness in there is at the cell's mercy, so its answer is input like any other:
 * of this shape and within these sizes, or the cell counts as lost.
 */
export const Outcome: z.ZodType<CellOutcome> = z.object({
  value: Text(8_000).exactOptional(),
  encoded: Data(OUTCOME_LIMITS.valueChars).exactOptional(),
  done: Data(CELL_LIMITS.resultChars).exactOptional(),
  error: z
    .object({
      kind: z.enum(CELL_ERROR_KINDS).exactOptional(),
      name: Text(200),
      message: Text(8_000),
      stack: Text(10_000),
    })
    .exactOptional(),
  saved: z
    .array(
      z.object({
        name: Name,
        data: Data(CELL_LIMITS.variableChars).exactOptional(),
        parts: z.int().min(1).max(64).exactOptional(),
        functions: z.array(Text(OUTCOME_LIMITS.functionChars)).max(OUTCOME_LIMITS.functions),
        classes: z.array(Name).max(OUTCOME_LIMITS.saved),
        info: z.object({
          type: Text(200),
          fields: z.array(Text(500)).max(100).exactOptional(),
          format: z.enum(["csv", "json", "markdown", "text"]).exactOptional(),
        }),
      }),
    )
    .max(OUTCOME_LIMITS.saved),
  unsaved: z.array(z.object({ name: Name, reason: Text(OUTCOME_LIMITS.reasonChars) })).max(OUTCOME_LIMITS.unsaved),
});
