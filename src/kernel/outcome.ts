import { z } from "zod";
import { CELL_ERROR_KINDS } from "../contract/cell.ts";
import { CELL_LIMITS, type CellOutcome } from "./job.ts";

const Text = (max: number) => z.string().max(max);
const Name = Text(200);

/**
 * What may come back from an isolate. The harness in there is at the cell's mercy, so its answer is input like any other:
 * of this shape and within these sizes, or the cell counts as lost.
 */
export const Outcome: z.ZodType<CellOutcome> = z.object({
  value: Text(8_000).exactOptional(),
  done: Text(CELL_LIMITS.resultChars).exactOptional(),
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
        data: Text(CELL_LIMITS.variableChars).exactOptional(),
        parts: z.int().min(1).max(64).exactOptional(),
        functions: z.array(Text(256 * 1024)).max(1_000),
        classes: z.array(Name).max(1_000),
        info: z.object({
          type: Text(200),
          fields: z.array(Text(500)).max(100).exactOptional(),
          format: z.enum(["csv", "json", "markdown", "text"]).exactOptional(),
        }),
      }),
    )
    .max(2_000),
  unsaved: z.array(z.object({ name: Name, reason: Text(2_000) })).max(2_000),
});
