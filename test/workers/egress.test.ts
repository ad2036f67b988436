/** What only the runtime itself can show of requests that tools make. */
import { describe, expect, inject, it } from "vitest";
import type { ToolContext } from "../../tool-bindings/define.ts";
import { httpGet, httpRequest } from "../../tool-bindings/http.ts";

const { host, origin } = new URL(inject("countUrl"));
const context = (egress?: string): ToolContext => ({
  signal: new AbortController().signal,
  idempotencyKey: "k",
  host: { egress, secret: () => undefined } as never, // all that these tools use of it
});

describe("http tools in the runtime", () => {
  it.each(["PROPFIND", "REPORT", "PURGE"])("make a %s", async (method) => {
    const answer = await httpRequest.execute({ method, url: origin } as never, context(host));
    expect(answer).toMatchObject({ status: 200 });
  });

  it("say in words that a name leads nowhere", async () => {
    const failing = httpGet.execute(
      { url: "https://no-such-name.invalid/", timeoutMs: 5_000 } as never,
      context("no-such-name.invalid:443"),
    );
    const error = await failing.then(
      () => undefined,
      (reason: Error) => reason,
    );
    expect(error?.message).toMatch(/no-such-name\.invalid/);
    expect(error?.message).not.toMatch(/internal error|reference/);
  });
});
