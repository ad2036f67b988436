import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { webSearch } from "../../../tool-bindings/web.ts";
import { call, failureOf, json, loopback, type Loopback } from "./loopback.ts";

const KEY = "key-0123456789";
let server: Loopback;
beforeEach(async () => {
  server = await loopback();
});
afterEach(() => server.close());

type Provider = "brave" | "tavily" | "searxng";
const settings = (provider: Provider): Record<string, string> =>
  ({
    brave: { BRAVE_API_KEY: KEY, BRAVE_BASE_URL: `${server.origin}/` },
    tavily: { TAVILY_API_KEY: KEY, TAVILY_BASE_URL: server.origin },
    searxng: { SEARXNG_URL: `${server.origin}/searx` },
  })[provider];
const search = (provider: Provider, args: object = {}): Promise<unknown> =>
  call(webSearch, { query: "cold brew", ...args }, { egress: server.host, secrets: settings(provider) });

const page = (at: number): object => ({ title: `T${at}`, url: `https://example.com/${at}` });
const ANSWERS: Record<Provider, (pages: object[]) => unknown> = {
  brave: (pages) => ({ type: "search", web: { type: "search", results: pages } }),
  tavily: (pages) => ({ query: "cold brew", answer: null, results: pages, response_time: 1 }),
  searxng: (pages) => ({ query: "cold brew", number_of_results: 0, results: pages }),
};
const FULL: Record<Provider, object> = {
  brave: { ...page(1), description: "Steeped.", page_age: "2026-01-02T03:04:05", language: "en" },
  tavily: { ...page(1), content: "Steeped.", published_date: "2026-01-02T03:04:05", score: 0.9 },
  searxng: { ...page(1), content: "Steeped.", publishedDate: "2026-01-02T03:04:05", engine: "x" },
};

describe.each(["brave", "tavily", "searxng"] as const)("web.search through %s", (provider) => {
  it("gives titles, addresses, texts and dates", async () => {
    server.handle = json(ANSWERS[provider]([FULL[provider]]));
    expect(await search(provider)).toEqual({
      provider,
      results: [{ title: "T1", url: "https://example.com/1", text: "Steeped.", published: "2026-01-02T03:04:05" }],
    });
  });

  it("gives no more than asked, and nothing when nothing was found", async () => {
    const many = Array.from({ length: 20 }, (_, at) => ({ ...FULL[provider], ...page(at) }));
    server.handle = json(ANSWERS[provider](many));
    expect(((await search(provider, { limit: 3 })) as { results: unknown[] }).results).toHaveLength(3);
    expect(((await search(provider)) as { results: unknown[] }).results).toHaveLength(10);
    server.handle = json(ANSWERS[provider]([]));
    expect(await search(provider)).toEqual({ provider, results: [] });
  });

  it("drops what is no page of the web", async () => {
    const urls = ["javascript:alert(1)", "file:///etc/passwd", "/relative", "", "https://[", "https://example.com/ok"];
    server.handle = json(ANSWERS[provider](urls.map((url) => ({ ...FULL[provider], url }))));
    expect(await search(provider)).toMatchObject({ results: [{ url: "https://example.com/ok" }] });
  });

  it.each([
    [401, "provider-refused"],
    [403, "provider-refused"],
    [429, "rate-limited"],
    [500, "provider-failed"],
    [422, "provider-failed"],
    [302, "too-many-redirects"],
  ])("names a %i %s, without the key", async (status, kind) => {
    const echo = provider === "searxng" ? "none" : KEY; // SearXNG takes no key
    server.handle = json({ error: `bad key ${echo}` }, status, {
      "retry-after": "7",
      location: `https://example.com/${echo}`,
    });
    const failure = await failureOf(search(provider));
    expect(failure.kind).toBe(kind);
    expect(JSON.stringify(failure)).not.toContain(KEY);
    expect(server.received).toHaveLength(1);
  });

  it("passes on when to try again", async () => {
    server.handle = json({}, 429, { "retry-after": "7" });
    expect((await failureOf(search(provider))).data).toMatchObject({ status: 429, retryAfter: "7" });
  });

  it.each([["<html>"], [[]], [{ results: "x", web: { results: 7 } }], [null]])(
    "names an answer of another form: %j",
    async (answer) => {
      server.handle = json(answer);
      expect((await failureOf(search(provider))).kind).toBe("provider-failed");
    },
  );

  it("asks no address that egress keeps closed, wherever it comes from", async () => {
    const secrets = settings(provider);
    for (const around of [{ secrets }, { secrets, egress: "example.com" }]) {
      const failure = await failureOf(call(webSearch, { query: "x" }, around));
      expect(failure.kind).toBe("egress-refused");
    }
    expect(server.received).toEqual([]);
  });
});

describe("what providers are asked", () => {
  const asked = async (provider: Provider): Promise<{ path: URL; body: unknown }> => {
    server.handle = json(ANSWERS[provider]([]));
    await search(provider, { query: "a & b", limit: 4, site: "example.com", since: "week" });
    const [request] = server.received;
    return {
      path: new URL(request?.path ?? "", server.origin),
      body: request?.body === "" ? undefined : JSON.parse(request?.body ?? ""),
    };
  };

  it("Brave: by query, with the key in its header", async () => {
    const { path, body } = await asked("brave");
    expect(path.pathname).toBe("/res/v1/web/search");
    expect(Object.fromEntries(path.searchParams)).toEqual({
      q: "a & b site:example.com",
      count: "4",
      freshness: "pw",
      result_filter: "web",
      text_decorations: "false",
    });
    expect(body).toBeUndefined();
    expect(server.received[0]).toMatchObject({ method: "GET", headers: { "x-subscription-token": KEY } });
  });

  it("Tavily: by body, with the key as a bearer's", async () => {
    const { path, body } = await asked("tavily");
    expect(path.pathname).toBe("/search");
    expect(body).toEqual({ query: "a & b", max_results: 4, include_domains: ["example.com"], time_range: "week" });
    expect(server.received[0]).toMatchObject({ method: "POST", headers: { authorization: `Bearer ${KEY}` } });
  });

  it("SearXNG: by query, under the path it was given", async () => {
    const { path } = await asked("searxng");
    expect(path.pathname).toBe("/searx/search");
    expect(Object.fromEntries(path.searchParams)).toEqual({
      q: "a & b site:example.com",
      format: "json",
      time_range: "week",
    });
  });

  it("the first that is set up is asked", async () => {
    server.handle = json(ANSWERS.brave([]));
    const secrets = { ...settings("tavily"), ...settings("searxng"), ...settings("brave") };
    expect(await call(webSearch, { query: "x" }, { egress: server.host, secrets })).toMatchObject({
      provider: "brave",
    });
    expect(server.received).toHaveLength(1);
  });
});

describe("web.search", () => {
  it("without a provider says what to set", async () => {
    expect(await failureOf(call(webSearch, { query: "x" }))).toEqual({
      kind: "no-provider",
      message:
        "No search provider is set up. Set one of: SECRET_BRAVE_API_KEY, SECRET_TAVILY_API_KEY, SECRET_SEARXNG_URL.",
      data: { settings: ["SECRET_BRAVE_API_KEY", "SECRET_TAVILY_API_KEY", "SECRET_SEARXNG_URL"] },
    });
  });

  it("says when the address of a provider is none, and doesn't repeat it", async () => {
    const failure = await failureOf(call(webSearch, { query: "x" }, { secrets: { SEARXNG_URL: "user:pass" } }));
    expect(["bad-url", "egress-refused"]).toContain(failure.kind);
    expect(failure.message).not.toContain("pass");
  });

  it.each([
    { query: "" },
    { query: "  " },
    { query: "x".repeat(401) },
    { query: 1 },
    { query: "x", limit: 0 },
    { query: "x", limit: 21 },
    { query: "x", site: "example.com OR evil.com" },
    { query: "x", site: "https://example.com" },
    { query: "x", site: "localhost" },
    { query: "x", since: "yesterday" },
    { query: "x", provider: "brave" },
  ])("takes no %j", (args) => expect(webSearch.input.safeParse(args).success).toBe(false));

  it("has an example that it would take and give", () => {
    for (const { args, result } of webSearch.examples ?? []) {
      expect(webSearch.input.safeParse(args).success).toBe(true);
      expect(webSearch.output?.safeParse(result).success).toBe(true);
    }
  });
});
