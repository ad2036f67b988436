import { Hono } from "hono";
import type { HttpEnv } from "../auth.ts";

export const health = new Hono<HttpEnv>({ strict: false }).get("/", (c) =>
  c.json({ status: "ok", service: "praxis", model: c.get("services").modelLabel }),
);
