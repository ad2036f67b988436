import { SELF } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { LIMITS } from "../../src/contract/goal.ts";
import { scripted } from "../support/goal-script.ts";

const BASE = "http://localhost/v1/goals";
const post = (body: BodyInit, headers: Record<string, string> = {}): Promise<Response> =>
  SELF.fetch(BASE, { method: "POST", body, headers: { "content-type": "application/json", ...headers } });
const postJson = (body: unknown, headers?: Record<string, string>): Promise<Response> =>
  post(JSON.stringify(body), headers);
const deep = (levels: number): string => `{"goal":"x","inputs":{"a":${"[".repeat(levels)}${"]".repeat(levels)}}}`;

describe("bad input gets a 4xx that names the field", () => {
  const rows: [what: string, body: string, status: number, field: string][] = [
    ["not JSON", "{goal:", 400, "body"],
    ["an empty body", "", 400, "body"],
    ["a list", "[]", 400, "body"],
    ["no goal", "{}", 400, "goal"],
    ["an empty goal", '{"goal":"  "}', 400, "goal"],
    ["a goal of the wrong type", '{"goal":7}', 400, "goal"],
    ["a goal that is too long", JSON.stringify({ goal: "x".repeat(LIMITS.goalChars + 1) }), 400, "goal"],
    ["an unknown field", '{"goal":"x","gaol":1}', 400, "gaol"],
    ["an unknown field inside", '{"goal":"x","budget":{"turn":1}}', 400, "budget.turn"],
    ["a budget of the wrong type", '{"goal":"x","budget":{"turns":"many"}}', 400, "budget.turns"],
    ["an unknown mode", '{"goal":"x","mode":"magic"}', 400, "mode"],
    ["inputs that are a list", '{"goal":"x","inputs":[]}', 400, "inputs"],
    ["an input that is no identifier", '{"goal":"x","inputs":{"a b":1}}', 400, "inputs.a b"],
    ["an input that is a name of the cell API", '{"goal":"x","inputs":{"done":1}}', 400, "inputs.done"],
    ["a goal of nothing visible", JSON.stringify({ goal: " \u200b\n" }), 400, "goal"],
    ["an escaped __proto__", '{"goal":"x","inputs":{"a":{"\\u005f_proto__":1}}}', 400, "__proto__"],
    ["an input called __proto__", '{"goal":"x","inputs":{"__proto__":1}}', 400, "__proto__"],
    ["a session with a slash", '{"goal":"x","session":"a/b"}', 400, "session"],
    ["absurd depth", deep(100_000), 400, "body"],
    ["depth just over the limit", deep(LIMITS.jsonDepth - 1), 400, "body"],
    ["a body of 10 MB", JSON.stringify({ goal: "x", inputs: { a: "y".repeat(10_000_000) } }), 413, "body"],
  ];
  it.each(rows)("%s", async (_what, body, status, field) => {
    const response = await post(body);
    expect(response.status).toBe(status);
    expect(response.headers.get("content-type")).toContain("application/problem+json");
    const problem = await response.json<{ type: string; detail: string; errors: { field: string }[] }>();
    expect(problem.type).toMatch(/^urn:praxis:problem:/);
    expect(problem.detail).not.toBe("");
    expect(problem.errors[0]!.field).toBe(field);
  });

  it("a body that is not UTF-8", async () => {
    expect((await post(new Uint8Array([0x7b, 0xff, 0xfe, 0x7d]))).status).toBe(400);
  });

  it("another content type", async () => {
    const problem = await (
      await post('{"goal":"x"}', { "content-type": "text/plain" })
    ).json<{ errors: { field: string }[] }>();
    expect(problem.errors[0]!.field).toBe("Content-Type");
  });

  it("takes what is just within the limits", async () => {
    const goal = scripted("deep", [{ text: "ok" }]);
    const response = await post(
      `{"goal":${JSON.stringify(goal)},"inputs":{"a":${"[".repeat(LIMITS.jsonDepth - 2)}${"]".repeat(LIMITS.jsonDepth - 2)}}}`,
      { prefer: "wait=20" },
    );
    expect(await response.json()).toMatchObject({ status: "succeeded", result: "ok" });
  });

  it.each(["wait=", "wait=soon", "wait=-1"])("Prefer: %s", async (prefer) => {
    expect((await postJson({ goal: "x" }, { prefer })).status).toBe(400);
  });

  it.each([
    "/nope",
    "/a.b/events",
    "/..%2f..%2fx.y",
    `/${"x".repeat(300)}.y`,
    "/s-unknown.abc",
    "/s-unknown.abc/cells",
    "/s-unknown.abc/events",
    "/s-unknown.abc/variables/x",
  ])("an unknown run: %s", async (path) => {
    const response = await SELF.fetch(BASE + path);
    expect(response.status).toBe(404);
    expect(await response.json()).toMatchObject({ status: 404, type: expect.stringContaining("unknown-run") });
  });

  it("an unknown route, and a wrong method with the right ones named", async () => {
    expect((await SELF.fetch("http://localhost/v1/goats")).status).toBe(404);
    const response = await SELF.fetch(BASE, { method: "DELETE" });
    expect(response.status).toBe(405);
    expect(response.headers.get("allow")).toBe("POST, GET");
  });

  it.each([
    "limit=0",
    "limit=many",
    "limit=0x10",
    "limit=1e2",
    "cursor=abc",
    "cursor=-1",
    "cursor=",
    "status=odd",
    "foo=1",
  ])("a list with %s", async (query) => {
    expect((await SELF.fetch(`${BASE}?${query}`)).status).toBe(400);
  });
});

describe("E2: what came in twice is done once", () => {
  it("gives one run for one key, also when both come at once", async () => {
    const goal = scripted("twice", [{ text: "once" }]);
    const answers = await Promise.all(
      [1, 2, 3].map(async () =>
        (await postJson({ goal }, { "idempotency-key": "twice-1", prefer: "wait=20" })).json<{ id: string }>(),
      ),
    );
    expect(new Set(answers.map(({ id }) => id)).size).toBe(1);
  });

  it("refuses the key with another body and says why", async () => {
    await postJson({ goal: scripted("one", [{ text: "1" }]) }, { "idempotency-key": "clash" });
    const response = await postJson({ goal: scripted("two", [{ text: "2" }]) }, { "idempotency-key": "clash" });
    expect(response.status).toBe(409);
    expect(await response.json()).toMatchObject({ detail: expect.stringContaining("another body") });
  });

  it("refuses a key that is no key", async () => {
    expect((await postJson({ goal: "x" }, { "idempotency-key": "a b" })).status).toBe(400);
  });
});

describe("loopback only, while no root key is set", () => {
  it.each(["http://praxis.example.com", "http://10.0.0.1", "http://127.0.0.1.evil.example"])(
    "refuses %s",
    async (origin) => {
      const response = await SELF.fetch(`${origin}/v1/goals`);
      expect(response.status).toBe(403);
      expect(await response.json()).toMatchObject({ detail: expect.stringContaining("PRAXIS_ROOT_KEY") });
    },
  );

  it.each([
    ["an address it came from", { "cf-connecting-ip": "203.0.113.9" }],
    ["a page that sent it", { origin: "http://evil.example" }],
    ["a page that led to it", { referer: "http://evil.example/x" }],
  ])("refuses %s that is not loopback, whatever host it names", async (_what, headers: Record<string, string>) => {
    expect((await SELF.fetch("http://localhost/v1/goals", { headers })).status).toBe(403);
  });

  it.each(["http://localhost:8787", "http://127.0.0.1", "http://[::1]"])("serves %s", async (origin) => {
    expect((await SELF.fetch(`${origin}/v1/goals`)).status).toBe(200);
  });
});

describe("events", () => {
  const collect = async (
    path: string,
    headers: Record<string, string> = {},
  ): Promise<{ ids: number[]; text: string }> => {
    const text = await (await SELF.fetch(`${BASE}/${path}/events`, { headers })).text();
    return { ids: [...text.matchAll(/^id: (\d+)$/gm)].map((match) => Number(match[1])), text };
  };

  it("come in order with ids, end with the run, and go on after Last-Event-ID without loss or repeat", async () => {
    const run = await (
      await postJson(
        { goal: scripted("events", [{ code: "console.log('hello'); 1" }, { text: "fin" }]) },
        { prefer: "wait=20" },
      )
    ).json<{ id: string }>();
    const all = await collect(run.id);
    expect(all.ids).toEqual(all.ids.map((_, index) => index + 1));
    for (const type of [
      "run-queued",
      "run-started",
      "model-called",
      "model-replied",
      "cell-started",
      "cell-logged",
      "cell-finished",
      "run-ended",
    ])
      expect(all.text).toContain(`event: ${type}\n`);
    for (const after of [0, 1, all.ids.length - 1, all.ids.length]) {
      expect((await collect(run.id, { "last-event-id": String(after) })).ids).toEqual(all.ids.slice(after));
    }
  });

  it("refuse a Last-Event-ID that is none of the run", async () => {
    const run = await (
      await postJson({ goal: scripted("events2", [{ text: "fin" }]) }, { prefer: "wait=20" })
    ).json<{ id: string }>();
    expect((await SELF.fetch(`${BASE}/${run.id}/events`, { headers: { "last-event-id": "x" } })).status).toBe(400);
    expect((await SELF.fetch(`${BASE}/${run.id}/events`, { headers: { "last-event-id": "9999" } })).status).toBe(400);
  });
});

describe("the other routes", () => {
  it("list pages through runs, newest first, without loss or repeat", async () => {
    const made: string[] = [];
    for (const n of [1, 2, 3, 4, 5])
      made.unshift(
        (
          await (
            await postJson({ goal: scripted(`list ${n}`, [{ text: "x" }]) }, { prefer: "wait=20" })
          ).json<{ id: string }>()
        ).id,
      );
    const seen: string[] = [];
    let cursor = "";
    do {
      const page: { items: { id: string; status: string }[]; cursor?: string } = await (
        await SELF.fetch(`${BASE}?limit=2${cursor && `&cursor=${cursor}`}`)
      ).json();
      seen.push(...page.items.map(({ id }) => id));
      cursor = page.cursor ?? "";
    } while (cursor !== "" && seen.length < 10);
    expect(seen.slice(0, 5)).toEqual(made);
  });

  it("cancel ends a run at once and for good", async () => {
    const { id } = await (
      await postJson({ goal: scripted("cancel", [{ code: "await new Promise((wake) => setTimeout(wake, 30_000))" }]) })
    ).json<{ id: string }>();
    const cancelled = await (
      await SELF.fetch(`${BASE}/${id}/cancel`, { method: "POST" })
    ).json<{ status: string; endedAt: string }>();
    expect(cancelled.status).toBe("cancelled");
    expect(await (await SELF.fetch(`${BASE}/${id}/cancel`, { method: "POST" })).json()).toMatchObject({
      status: "cancelled",
      endedAt: cancelled.endedAt,
    });
  });

  it("health and OpenAPI answer, and OpenAPI names every route there is", async () => {
    expect(await (await SELF.fetch("http://localhost/healthz")).json()).toMatchObject({
      status: "ok",
      service: "praxis",
    });
    const { paths } = await (
      await SELF.fetch("http://localhost/openapi.json")
    ).json<{ paths: Record<string, object> }>();
    for (const path of Object.keys(paths)) {
      const response = await SELF.fetch(`http://localhost${path.replace("{id}", "s-none.x").replace(/\{\w+\}/, "x")}`, {
        method: "PUT",
        body: "{}",
      });
      expect(response.status, path).toBe(405);
      expect(response.headers.get("allow")?.toLowerCase().split(", ").sort()).toEqual(Object.keys(paths[path]!).sort());
    }
  });
});
