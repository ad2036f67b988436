import { Hono } from "hono";
import { AgentDefinition } from "../../contract/agent.ts";
import type { HttpEnv } from "../auth.ts";
import { parseBody } from "../body.ts";
import { answerFailure } from "../problem.ts";

export const agents = new Hono<HttpEnv>({ strict: false })
  .get("/", async (c) => {
    const { registry, specialists } = c.get("services");
    const stored = await registry(c.get("tenant")).agents();
    const names = new Set(stored.map(({ name }) => name));
    return c.json({
      items: [
        ...stored.map((definition) => ({ ...definition, kind: "stored" })),
        ...specialists.filter(({ name }) => !names.has(name)).map((one) => ({ ...one, kind: "built-in" })),
      ],
    });
  })
  .post("/", async (c) => {
    const body = await parseBody(c.req.raw, AgentDefinition);
    if (!body.ok) return answerFailure(c, body.failure);
    const stored = await c.get("services").registry(c.get("tenant")).defineAgent(body.value.value);
    if (!stored.ok) return answerFailure(c, stored.failure);
    return c.json({ ...stored.value, kind: "stored" }, 201);
  })
  .delete("/:name", async (c) => {
    const deleted = await c.get("services").registry(c.get("tenant")).deleteAgent(c.req.param("name"));
    return deleted.ok ? c.body(null, 204) : answerFailure(c, deleted.failure);
  });
