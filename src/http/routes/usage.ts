import { Hono } from "hono";
import { UsageQuery } from "../../contract/usage.ts";
import type { HttpEnv } from "../auth.ts";
import { badInput } from "../body.ts";
import { answerFailure } from "../problem.ts";

export const usage = new Hono<HttpEnv>({ strict: false }).get("/", async (c) => {
  const query = UsageQuery.safeParse(c.req.query());
  if (!query.success) return answerFailure(c, badInput(query.error));
  const { from, to } = query.data;
  if (from !== undefined && to !== undefined && from > to)
    return answerFailure(c, { kind: "bad-input", field: "from", problem: `must not be later than to (${to})` });
  return c.json(await c.get("services").registry(c.get("tenant")).usage(query.data));
});
