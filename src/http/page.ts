import { z } from "zod";
import { LIMITS } from "../contract/goal.ts";

/** How lists are asked for: `?limit=` and `?cursor=`, where a cursor is what an earlier page gave. */
export const Cursor = z.string().regex(/^\d{1,15}$/, "must be a number that an earlier page gave");
export const Limit = z
  .string()
  .regex(/^\d{1,4}$/, "must be a number")
  .default("50")
  .transform(Number)
  .pipe(z.int().min(1).max(LIMITS.listPage));

/** For lists whose positions count up from nothing. */
export const PageQuery = z.strictObject({ limit: Limit, cursor: Cursor.default("0").transform(Number) });

/** What such a list answers: the next page's cursor is text, like every cursor. */
export const pageOf = <T>({ items, next }: { items: T[]; next?: number }): { items: T[]; cursor?: string } => ({
  items,
  ...(next === undefined ? {} : { cursor: String(next) }),
});
