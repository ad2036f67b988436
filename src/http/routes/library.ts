import { Hono } from "hono";
import { ARCHIVE_BYTES, ARCHIVE_MEDIA } from "../../contract/library.ts";
import type { HttpEnv } from "../auth.ts";
import { readBytes } from "../body.ts";
import { answerFailure } from "../problem.ts";

export const library = new Hono<HttpEnv>({ strict: false })
  .get("/archive", async (c) => {
    const packed = await c.get("services").library(c.get("tenant")).pack();
    if (!packed.ok) return answerFailure(c, packed.failure);
    return c.body(new Uint8Array(packed.value), 200, {
      "content-type": ARCHIVE_MEDIA,
      "content-disposition": 'attachment; filename="library.tar.gz"',
    });
  })
  .post("/archive", async (c) => {
    // Required: a web page can't post it to loopback without asking.
    const type = c.req.header("content-type") ?? "none";
    if (type.toLowerCase() !== ARCHIVE_MEDIA)
      return answerFailure(c, {
        kind: "bad-input",
        field: "Content-Type",
        problem: `must be ${ARCHIVE_MEDIA}, not ${type.slice(0, 80)}`,
      });
    const bytes = await readBytes(c.req.raw, ARCHIVE_BYTES);
    if (!bytes.ok) return answerFailure(c, bytes.failure);
    const taken = await c
      .get("services")
      .library(c.get("tenant"))
      .unpack(bytes.value ?? new Uint8Array());
    return taken.ok ? c.json(taken.value) : answerFailure(c, taken.failure);
  })
  .post("/rebuild", async (c) => c.json(await c.get("services").library(c.get("tenant")).rebuild()));
