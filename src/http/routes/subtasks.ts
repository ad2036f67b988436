import { type Context, Hono } from "hono";
import { parseSubtask } from "../../contract/agent.ts";
import type { CoordinatorApi } from "../../contract/coordinator.ts";
import { ok, type Result } from "../../contract/failure.ts";
import type { HttpEnv } from "../auth.ts";
import { answerFailure } from "../problem.ts";

type Ctx = Context<HttpEnv>;

export const subtasks = new Hono<HttpEnv>({ strict: false })
  .get("/:id", (c) => withSubtask(c, (coordinator, id) => coordinator.subtask(id)))
  .get("/:id/log", (c) =>
    withSubtask(c, async (coordinator, id) => {
      const log = await coordinator.log(id);
      return log.ok ? ok({ items: log.value }) : log;
    }),
  )
  .post("/:id/cancel", (c) => withSubtask(c, (coordinator, id) => coordinator.cancelSubtask(id)));

/** The id names the session, and the session the object that knows the subtask (E1: within the tenant). */
async function withSubtask<T>(
  c: Ctx,
  action: (coordinator: CoordinatorApi, id: string) => Promise<Result<T>>,
): Promise<Response> {
  const given = c.req.param("id") ?? "";
  const parsed = parseSubtask(given);
  if (parsed === undefined) return answerFailure(c, { kind: "unknown-subtask", id: given.slice(0, 100) });
  const result = await action(c.get("services").coordinator(c.get("tenant"), parsed.session), parsed.id);
  return result.ok ? c.json(result.value as object) : answerFailure(c, result.failure);
}
