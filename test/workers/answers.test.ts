/** What is settled before a person has to look: answers that make no sense, and calls that can't be made. */
import { describe, expect, it } from "vitest";
import { scripted } from "../support/goal-script.ts";
import { decide } from "../support/interruption.ts";
import { submit } from "../support/runs.ts";

describe("a bad answer", () => {
  it.each([
    [{}, "decision", '"approve" or "reject"'],
    [{ decision: "maybe" }, "decision", '"approve" or "reject"'],
    [{ decision: "approve", remember: "always" }, "remember", '"run"'],
    [{ decision: "approve", why: "x" }, "why", "not a field"],
    [{ answer: "" }, "answer", "empty"],
    [{ answer: "  " }, "answer", "empty"],
    [{ answer: 5 }, "answer", "text"],
    [[], "body", "object"],
  ])("%j names the field and what it may be", async (body, field, problem) => {
    const bad = await decide("s-none.r1", "d1", body);
    expect([bad.status, (await bad.json<{ errors: unknown }>()).errors]).toEqual([
      400,
      [{ field, problem: expect.stringContaining(problem) }],
    ]);
  });
});

describe("a call that can't be made", () => {
  it.each([
    ["http.post", `tools.http.post({ url: "http://127.0.0.1/", body: {} })`, "egress-refused"],
    ["http.request", `tools.http.request({ method: "PUT", url: "http://10.0.0.1/" })`, "egress-refused"],
    ["notify.webhook", `tools.notify.webhook({ url: "https://example.org/", payload: {} })`, "no-secret"],
    ["notify.email", `tools.notify.email({ to: "ada@example.org", subject: "s", text: "t" })`, "no-provider"],
  ])("%s fails at once, and nobody is asked", async (name, call, kind) => {
    const run = await submit(scripted(`check ${name}`, [{ code: `done(await ${call}.catch((error) => error.kind))` }]));
    expect(run).toMatchObject({ status: "succeeded", result: kind, usage: { calls: 0 } });
  });
});
