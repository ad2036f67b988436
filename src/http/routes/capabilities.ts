import { type Context, Hono } from "hono";
import { z } from "zod";
import { type CapabilityDraft, CapabilityState, VersionNumber } from "../../contract/capability.ts";
import { ok, type Result } from "../../contract/failure.ts";
import { type LibraryApi, VersionOrder } from "../../contract/library.ts";
import type { HttpEnv } from "../auth.ts";
import { badInput, parseOptionalBody, parseStrictBody } from "../body.ts";
import { Limit } from "../page.ts";
import { answerFailure } from "../problem.ts";
import { runCapability } from "./capability-run.ts";

type Ctx = Context<HttpEnv>;

const Version = z
  .string()
  .regex(/^\d{1,7}$/, "must be the number of a version")
  .transform(Number)
  .pipe(VersionNumber);
const ListQuery = z.strictObject({
  q: z.string().min(1).max(2_000).optional(),
  state: CapabilityState.optional(),
  cursor: z
    .string()
    .regex(/^[a-z0-9-]{1,64}$/, "must be what an earlier page gave")
    .optional(),
  limit: Limit,
});
const VersionPath = z.object({ name: z.string(), version: Version });
const SourceQuery = z.strictObject({ version: Version.optional() });
const DiffQuery = z.strictObject({ from: Version, to: Version });

export const capabilities = new Hono<HttpEnv>({ strict: false })
  .get("/", async (c) => {
    const query = ListQuery.safeParse(c.req.query());
    if (!query.success) return answerFailure(c, badInput(query.error));
    const { q, state, cursor, limit } = query.data;
    return c.json(
      await library(c).list({
        limit,
        ...(q !== undefined && { q }),
        ...(state !== undefined && { state }),
        ...(cursor !== undefined && { cursor }),
      }),
    );
  })
  .post("/", save)
  .get("/:name", async (c) => answer(c, await library(c).get(c.req.param("name"))))
  .get("/:name/versions", async (c) => {
    const versions = await library(c).versions(c.req.param("name"));
    return answer(c, versions.ok ? ok({ items: versions.value }) : versions);
  })
  .get("/:name/versions/:version", async (c) => {
    const path = VersionPath.safeParse(c.req.param());
    if (!path.success) return answerFailure(c, badInput(path.error));
    return answer(c, await library(c).version(path.data.name, path.data.version));
  })
  .get("/:name/source", source)
  .get("/:name/diff", async (c) => {
    const query = DiffQuery.safeParse(c.req.query());
    if (!query.success) return answerFailure(c, badInput(query.error));
    const diff = await library(c).diff(c.req.param("name"), query.data.from, query.data.to);
    if (!diff.ok) return answerFailure(c, diff.failure);
    return c.body(diff.value.patch, 200, { "content-type": "text/x-diff; charset=utf-8" });
  })
  .post("/:name/run", runCapability)
  .post("/:name/promote", (c) => obey(c, "promote"))
  .post("/:name/rollback", (c) => obey(c, "rollback"))
  .post("/:name/retire", (c) => obey(c, "retire"));

const library = (c: Ctx): LibraryApi => c.get("services").library(c.get("tenant"));

const answer = <T extends object>(c: Ctx, result: Result<T>): Response =>
  result.ok ? c.json(result.value) : answerFailure(c, result.failure);

/** The gate says all that is wrong with a draft, so only what is no object at all is refused here. */
async function save(c: Ctx): Promise<Response> {
  const body = await parseStrictBody(c.req.raw, z.record(z.string(), z.unknown()));
  if (!body.ok) return answerFailure(c, body.failure);
  const draft = body.value.value as CapabilityDraft; // or not: the gate takes it for what it is
  const saved = await library(c).save(draft, { grants: [], by: "api" });
  if (!saved.ok) return answerFailure(c, saved.failure);
  if (!saved.value.saved) {
    const { reasons, duplicate } = saved.value;
    return answerFailure(c, { kind: "capability-refused", reasons, ...(duplicate !== undefined && { duplicate }) });
  }
  c.header("location", `/v1/capabilities/${saved.value.name}/versions/${saved.value.version}`);
  return c.json(saved.value, saved.value.unchanged === true ? 200 : 201);
}

async function source(c: Ctx): Promise<Response> {
  const query = SourceQuery.safeParse(c.req.query());
  if (!query.success) return answerFailure(c, badInput(query.error));
  const found = await library(c).source(c.req.param("name") ?? "", query.data.version);
  if (!found.ok) return answerFailure(c, found.failure);
  const etag = `"${found.value.hash}"`;
  c.header("etag", etag);
  const known = c.req.header("if-none-match")?.split(",") ?? [];
  if (known.some((one) => one.trim().replace(/^W\//, "") === etag)) return c.body(null, 304);
  return c.body(found.value.file, 200, { "content-type": "text/typescript; charset=utf-8" });
}

async function obey(c: Ctx, order: "promote" | "rollback" | "retire"): Promise<Response> {
  const body = await parseOptionalBody(c.req.raw, VersionOrder);
  if (!body.ok) return answerFailure(c, body.failure);
  return answer(c, await library(c).order(c.req.param("name") ?? "", order, body.value.value.version));
}
