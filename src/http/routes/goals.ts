import { type Context, Hono } from "hono";
import { z } from "zod";
import type { CoordinatorApi } from "../../contract/coordinator.ts";
import { fail, ok, type Result } from "../../contract/failure.ts";
import { DecisionAnswer, GoalRequest, LIMITS, RUN_STATUSES, type RunView, sessionOf } from "../../contract/goal.ts";
import type { HttpEnv } from "../auth.ts";
import { badInput, parseBody } from "../body.ts";
import { Cursor, Limit, pageOf, PageQuery } from "../page.ts";
import { answerFailure } from "../problem.ts";
import { streamEvents } from "../sse.ts";

type Ctx = Context<HttpEnv>;

const ListQuery = z.strictObject({
  limit: Limit,
  cursor: Cursor.optional(),
  status: z.enum(RUN_STATUSES).optional(),
});

export const goals = new Hono<HttpEnv>({ strict: false })
  .post("/", submit)
  .get("/", async (c) => {
    const query = ListQuery.safeParse(c.req.query());
    if (!query.success) return answerFailure(c, badInput(query.error));
    const { cursor, status, limit } = query.data;
    return c.json(
      await registry(c).list({
        limit,
        ...(cursor === undefined ? {} : { cursor }),
        ...(status === undefined ? {} : { status }),
      }),
    );
  })
  .get("/:id", (c) => withRun(c, (coordinator, id) => coordinator.view(id)))
  .post("/:id/cancel", (c) => withRun(c, (coordinator, id) => coordinator.cancel(id)))
  .get("/:id/cells", (c) => withPage(c, (coordinator, id, page) => coordinator.cells(id, page)))
  .get("/:id/agents", (c) => withPage(c, (coordinator, id, page) => coordinator.agents(id, page)))
  .get("/:id/variables", (c) => withRun(c, async (coordinator, id) => wrapItems(await coordinator.variables(id))))
  .get("/:id/variables/:name", (c) => withRun(c, (coordinator, id) => coordinator.variable(id, c.req.param("name"))))
  .get("/:id/approvals", (c) =>
    withRun(c, async (coordinator, id) => {
      const run = await coordinator.view(id);
      return run.ok ? ok({ items: run.value.waitingOn ?? [] }) : run;
    }),
  )
  .post("/:id/approvals/:aid", async (c) => {
    const body = await parseBody(c.req.raw, DecisionAnswer);
    if (!body.ok) return answerFailure(c, body.failure);
    return withRun(c, (coordinator, id) => coordinator.decide(id, c.req.param("aid"), body.value.value));
  })
  .get("/:id/events", async (c) => {
    const found = find(c);
    if (!found.ok) return answerFailure(c, found.failure);
    const from = c.req.header("last-event-id") ?? c.req.query("after") ?? "0";
    if (!/^\d{1,15}$/.test(from))
      return answerFailure(c, {
        kind: "bad-input",
        field: "Last-Event-ID",
        problem: "must be the id of an event of this run",
      });
    const first = await found.value.coordinator.events(found.value.id, Number(from), 0);
    if (!first.ok) return answerFailure(c, first.failure);
    return streamEvents(c.req.raw.signal, {
      coordinator: found.value.coordinator,
      run: found.value.id,
      after: Number(from),
    });
  });

const registry = (c: Ctx) => c.get("services").registry(c.get("tenant"));
const wrapItems = <T>(result: Result<T[]>): Result<{ items: T[] }> =>
  result.ok ? ok({ items: result.value }) : result;

/** E2: what came in twice is done once. The registry remembers the key before the run exists. */
async function submit(c: Ctx): Promise<Response> {
  const wait = parseWait(c.req.header("prefer"));
  if (!wait.ok) return answerFailure(c, wait.failure);
  const key = c.req.header("idempotency-key");
  if (key !== undefined && !/^[\x21-\x7e]{1,200}$/.test(key))
    return answerFailure(c, {
      kind: "bad-input",
      field: "Idempotency-Key",
      problem: "must be 1 to 200 printable characters without spaces",
    });
  const body = await parseBody(c.req.raw, GoalRequest);
  if (!body.ok) return answerFailure(c, body.failure);
  const { value: request, text } = body.value;

  const tenant = c.get("tenant");
  const session = request.session ?? `s-${randomId(12)}`;
  const summary = {
    id: `${session}.${randomId(10)}`,
    session,
    goal: request.goal,
    status: "queued" as const,
    createdAt: new Date().toISOString(),
  };
  const admitted = await registry(c).admit({
    run: summary,
    ...(key === undefined ? {} : { idempotency: { key, bodyHash: await hash(text) } }),
  });
  if (!admitted.ok) return answerFailure(c, admitted.failure);

  // Started even when the key was known: the first request may have died between the two calls, and start is idempotent.
  const { id } = admitted.value;
  const owner = sessionOf(id) ?? session;
  const coordinator = c.get("services").coordinator(tenant, owner);
  let run: RunView = await coordinator.start(id, request, { tenant, session: owner });
  if (!admitted.value.isNew) c.header("idempotent-replayed", "true");
  if (wait.value > 0) {
    const waited = await coordinator.wait(id, wait.value * 1000);
    if (!waited.ok) return answerFailure(c, waited.failure);
    run = waited.value;
    c.header("preference-applied", `wait=${wait.value}`);
    if (run.endedAt !== undefined) return c.json(run);
  }
  c.header("location", `/v1/goals/${id}`);
  const { session: name, status, waitingOn, links } = run;
  return c.json({ id, session: name, status, ...(waitingOn === undefined ? {} : { waitingOn }), links }, 202);
}

function find(c: Ctx): Result<{ coordinator: CoordinatorApi; id: string }> {
  const id = c.req.param("id") ?? "";
  const session = sessionOf(id);
  if (session === undefined) return fail({ kind: "unknown-run", id: id.slice(0, 100) });
  return ok({ coordinator: c.get("services").coordinator(c.get("tenant"), session), id });
}

async function withRun<T>(
  c: Ctx,
  action: (coordinator: CoordinatorApi, id: string) => Promise<Result<T>>,
): Promise<Response> {
  const found = find(c);
  if (!found.ok) return answerFailure(c, found.failure);
  const result = await action(found.value.coordinator, found.value.id);
  return result.ok ? c.json(result.value as object) : answerFailure(c, result.failure);
}

type Page = { after: number; limit: number };

async function withPage<T>(
  c: Ctx,
  action: (coordinator: CoordinatorApi, id: string, page: Page) => Promise<Result<{ items: T[]; next?: number }>>,
): Promise<Response> {
  const query = PageQuery.safeParse(c.req.query());
  if (!query.success) return answerFailure(c, badInput(query.error));
  return withRun(c, async (coordinator, id) => {
    const page = await action(coordinator, id, { after: query.data.cursor, limit: query.data.limit });
    return page.ok ? ok(pageOf(page.value)) : page;
  });
}

/** RFC 7240. Preferences we don't know are ignored, as it says; a `wait` that makes no sense is not. */
function parseWait(prefer: string | undefined): Result<number> {
  const given = prefer
    ?.split(/[,;]/)
    .map((part) => part.trim())
    .find((part) => /^wait\b/i.test(part));
  if (given === undefined) return ok(0);
  const seconds = /^wait\s*=\s*"?(\d{1,9})"?$/i.exec(given)?.[1];
  if (seconds === undefined)
    return fail({ kind: "bad-input", field: "Prefer", problem: "wait must be a number of seconds, as in wait=30" });
  return ok(Math.min(Number(seconds), LIMITS.waitSeconds));
}

const randomId = (length: number): string =>
  Array.from(
    crypto.getRandomValues(new Uint8Array(length)),
    (byte) => "0123456789abcdefghjkmnpqrstvwxyz"[byte & 31],
  ).join("");

async function hash(text: string): Promise<string> {
  const digest = await crypto.subtle.digest("SHA-256", new TextEncoder().encode(text));
  return Array.from(new Uint8Array(digest), (byte) => byte.toString(16).padStart(2, "0")).join("");
}
