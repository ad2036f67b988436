import { Hono } from "hono";
import { z } from "zod";
import type { HttpEnv } from "../auth.ts";
import { badInput } from "../body.ts";
import { Cursor, Limit } from "../page.ts";
import { answerFailure } from "../problem.ts";

const LessonsQuery = z.strictObject({
  q: z.string().min(1).max(2_000).optional(),
  limit: Limit,
  cursor: Cursor.optional(),
});

/** What runs have taught: read and deleted by whom it belongs to. */
export const lessons = new Hono<HttpEnv>({ strict: false })
  .get("/", async (c) => {
    const query = LessonsQuery.safeParse(c.req.query());
    if (!query.success) return answerFailure(c, badInput(query.error));
    const library = c.get("services").library(c.get("tenant"));
    const { q, limit, cursor } = query.data;
    if (q !== undefined) return c.json({ items: await library.recall(q, limit) });
    return c.json(await library.lessons({ limit, ...(cursor === undefined ? {} : { cursor }) }));
  })
  .delete("/:id", async (c) => {
    const gone = await c.get("services").library(c.get("tenant")).forget(c.req.param("id"));
    return gone.ok ? c.body(null, 204) : answerFailure(c, gone.failure);
  });
