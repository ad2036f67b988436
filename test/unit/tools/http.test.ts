import { gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { MAX_BODY_BYTES } from "../../../tool-bindings/body.ts";
import { declarationOf } from "../../../tool-bindings/declaration.ts";
import { httpGet, httpPost, httpRequest } from "../../../tool-bindings/http.ts";
import { call, confineToLoopback, failureOf, json, loopback, type Loopback } from "./loopback.ts";

let server: Loopback;
let confined: ReturnType<typeof confineToLoopback>;
beforeEach(async () => {
  confined = confineToLoopback();
  server = await loopback(json({ ok: true }));
});
afterEach(async () => {
  confined[Symbol.dispose]();
  await server.close();
});

const get = (path = "/", more: object = {}, secrets: Record<string, string> = {}): Promise<unknown> =>
  call(httpGet, { url: server.origin + path, ...more }, { egress: server.host, secrets });

describe("http.get", () => {
  it("answers status, headers and the body as data when it is JSON", async () => {
    server.handle = json({ items: [1, { a: null }] }, 203, { "x-made-by": "test" });
    expect(await get("/items?page=2", { headers: { "X-Trace": "7" } })).toMatchObject({
      status: 203,
      headers: { "content-type": "application/json", "x-made-by": "test" },
      body: { items: [1, { a: null }] },
    });
    expect(server.received).toMatchObject([
      { method: "GET", path: "/items?page=2", headers: { "x-trace": "7", "user-agent": "Praxis" } },
    ]);
  });

  it.each([
    ["application/json", '{"a":', '{"a":'],
    ["application/problem+json", '{"a":1}', { a: 1 }],
    ["text/html; charset=utf-8", "<p>ü</p>", "<p>ü</p>"],
    ["text/plain; charset=iso-8859-1", Buffer.from([0xfc]), "ü"],
    ["text/plain; charset=nonsense", "ü", "ü"],
    ["image/svg+xml", "<svg/>", "<svg/>"],
    ["application/octet-stream", "plain", "plain"],
    ["", "plain", "plain"],
    ["application/json", "", ""],
    [
      "application/json",
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
      `${"[".repeat(100_000)}${"]".repeat(100_000)}`,
    ],
    ["application/json", '{"__proto__":{"polluted":1}}', JSON.parse('{"__proto__":{"polluted":1}}')],
  ])("reads %s", async (type, sent, body) => {
    server.handle = (_, response) => response.writeHead(200, type === "" ? {} : { "content-type": type }).end(sent);
    const answer = await get();
    expect(answer).toMatchObject({ status: 200 });
    expect((answer as { body: unknown }).body).toEqual(body);
    expect(answer).not.toHaveProperty("encoding");
  });

  it.each([["image/png"], ["application/octet-stream"], [""]])(
    "gives binary data of type %j as base64",
    async (type) => {
      const bytes = Buffer.from([0x89, 0x50, 0x4e, 0x47, 0, 255]);
      server.handle = (_, response) => response.writeHead(200, type === "" ? {} : { "content-type": type }).end(bytes);
      expect(await get()).toMatchObject({ body: bytes.toString("base64"), encoding: "base64" });
    },
  );

  it("gives an error's status as an answer", async () => {
    server.handle = json({ problem: "gone" }, 404);
    expect(await get()).toMatchObject({ status: 404, body: { problem: "gone" } });
  });

  it("decompresses, and doesn't tell how it came over the wire", async () => {
    const sent = gzipSync("hello");
    server.handle = (_, response) =>
      response
        .writeHead(200, { "content-type": "text/plain", "content-encoding": "gzip", "content-length": sent.length })
        .end(sent);
    expect(await get()).toMatchObject({ body: "hello", headers: { "content-type": "text/plain" } });
    expect(await get()).not.toHaveProperty("headers.content-encoding");
    expect(await get()).not.toHaveProperty("headers.content-length");
  });

  it.each([
    ["host", "evil.example.com"],
    ["Content-Length", "0"],
    ["connection", "keep-alive"],
    ["Transfer-Encoding", "chunked"],
    ["CF-Connecting-IP", "127.0.0.1"],
    ["cf-worker", "x"],
    ["X-Forwarded-For", "127.0.0.1"],
    ["proxy-authorization", "x"],
    ["Metadata-Flavor", "Google"],
    ["X-aws-ec2-metadata-token", "x"],
    ["X-HTTP-Method-Override", "DELETE"],
    ["upgrade", "websocket"],
    ["x-note", "a\r\nx-injected: 1"],
    ["x-note", "ключ"],
    ["x-note", "a\0b"],
  ])("refuses the header %s: %j", async (name, value) => {
    expect((await failureOf(get("/", { headers: { [name]: value } }))).kind).toBe("bad-header");
    expect(server.received).toEqual([]);
  });

  it.each([
    { headers: { "bad name": "x" } },
    { headers: { "": "x" } },
    { headers: { "x\r\ny": "x" } },
    { headers: { a: 1 } },
    { headers: Object.fromEntries(Array.from({ length: 51 }, (_, at) => [`x-${at}`, ""])) },
    { timeoutMs: 0 },
    { timeoutMs: 30_001 },
    { method: "DELETE" },
    { body: "x" },
    { url: "" },
    { url: `http://example.com/${"a".repeat(9000)}` },
    { url: 7 },
  ])("takes no %j", (wrong) => {
    expect(httpGet.input.safeParse({ url: server.origin, ...wrong }).success).toBe(false);
  });
});

describe("limits", () => {
  const mebibyte = Buffer.alloc(1024 * 1024, "a");

  it("cuts off an answer that never ends", async () => {
    let sent = 0;
    server.handle = (_, response) => {
      response.writeHead(200, { "content-type": "text/plain" });
      const more = (): void => {
        while (!response.destroyed && response.write(mebibyte)) sent++;
      };
      response.on("drain", () => (sent++, more()));
      more();
    };
    expect(await failureOf(get())).toMatchObject({ kind: "too-large", data: { limitBytes: MAX_BODY_BYTES } });
    expect(sent).toBeLessThan(40);
  });

  it("believes a length that is too large, and doesn't read on", async () => {
    server.handle = (_, response) => {
      response.writeHead(200, { "content-length": MAX_BODY_BYTES + 1 });
      response.write("a");
    };
    expect((await failureOf(get())).kind).toBe("too-large");
  });

  it("counts what a small answer unpacks to", async () => {
    const bomb = gzipSync(Buffer.alloc(50 * 1024 * 1024));
    server.handle = (_, response) => response.writeHead(200, { "content-encoding": "gzip" }).end(bomb);
    expect((await failureOf(get())).kind).toBe("too-large");
  });

  it("takes an answer of just the largest size, and no larger body to send", async () => {
    const largest = Buffer.alloc(MAX_BODY_BYTES, "a");
    server.handle = (_, response) => response.writeHead(200, { "content-type": "text/plain" }).end(largest);
    expect(((await get()) as { body: string }).body).toHaveLength(MAX_BODY_BYTES);
    const post = call(httpPost, { url: server.origin, body: `${largest}b` }, { egress: server.host });
    expect((await failureOf(post)).kind).toBe("too-large");
    expect(server.received).toHaveLength(1);
  });

  it("gives up on a server that says nothing, and on one that stops in the middle", async () => {
    server.handle = () => {};
    expect(await failureOf(get("/", { timeoutMs: 50 }))).toMatchObject({ kind: "timeout", data: { timeoutMs: 50 } });
    server.handle = (_, response) => void response.writeHead(200).write("half");
    expect((await failureOf(get("/", { timeoutMs: 50 }))).kind).toBe("timeout");
  });

  it("stops with the run, and says so with the run's own reason", async () => {
    const stop = new AbortController();
    const reason = new Error("run over");
    server.handle = () => stop.abort(reason);
    const work = call(httpGet, { url: server.origin }, { egress: server.host, signal: stop.signal });
    await expect(work).rejects.toBe(reason);
  });

  it("says when nobody is there, or when the connection breaks", async () => {
    server.handle = (_, response) => response.destroy();
    expect((await failureOf(get())).kind).toBe("unreachable");
    server.handle = (_, response) => {
      response.writeHead(200, { "content-length": 10 });
      response.write("half", () => response.destroy());
    };
    expect((await failureOf(get())).kind).toBe("unreachable");
    const gone = await loopback();
    await gone.close();
    const failure = await failureOf(call(httpGet, { url: gone.origin }, { egress: gone.host }));
    expect(failure).toMatchObject({ kind: "unreachable", message: `${gone.host} could not be reached: ECONNREFUSED.` });
  });
});

describe("redirects", () => {
  const countdown = (status: number): void => {
    server.handle = ({ path }, response) => {
      const left = Number(path.slice(1));
      if (left === 0) response.end("there");
      else response.writeHead(status, { location: `/${left - 1}` }).end();
    };
  };

  it("follows five and no more", async () => {
    countdown(302);
    expect(await get("/5")).toMatchObject({ status: 200, body: "there" });
    expect((await failureOf(get("/6"))).kind).toBe("too-many-redirects");
    expect(server.received).toHaveLength(12);
  });

  it("gives a redirect without a place as it is, and refuses one to no URL", async () => {
    server.handle = (_, response) => response.writeHead(302).end("nowhere");
    expect(await get()).toMatchObject({ status: 302, body: "nowhere" });
    server.handle = (_, response) => response.writeHead(302, { location: "http://[" }).end();
    expect((await failureOf(get())).kind).toBe("bad-url");
  });

  it.each([
    [301, "POST", "GET"],
    [302, "POST", "GET"],
    [303, "POST", "GET"],
    [307, "POST", "POST"],
    [308, "POST", "POST"],
    [303, "PUT", "GET"],
    [302, "PUT", "PUT"],
    [303, "HEAD", "HEAD"],
    [302, "DELETE", "DELETE"],
  ])("after a %i, a %s goes on as %s", async (status, method, next) => {
    countdown(status);
    const body = method === "HEAD" ? {} : { body: { a: 1 } };
    await call(httpRequest, { method, url: `${server.origin}/1`, ...body }, { egress: server.host });
    expect(server.received.map((request) => request.method)).toEqual([method, next]);
    const hasBody = next !== "GET" && next !== "HEAD";
    expect(server.received[1]?.body).toBe(hasBody ? '{"a":1}' : "");
    expect(server.received[1]?.headers["content-type"]).toBe(hasBody ? "application/json" : undefined);
  });

  it("leaves what is personal behind when it goes to another origin, and only then", async () => {
    const other = await loopback(json({}));
    const egress = `${server.host},${other.host}`;
    const secrets = { TOKEN: "s3cr3t-t0ken", TOKEN_HOSTS: egress };
    const headers = {
      authorization: "Bearer {{secret:TOKEN}}",
      cookie: "a=b",
      "x-api-key": "k",
      "user-agent": "{{secret:TOKEN}}",
      accept: "text/csv",
    };
    server.handle = ({ path }, response) =>
      response.writeHead(302, { location: path === "/1" ? "/2" : `${other.origin}/3` }).end();
    await call(httpGet, { url: `${server.origin}/1`, headers }, { egress, secrets });
    for (const { headers } of server.received)
      expect(headers).toMatchObject({ authorization: "Bearer s3cr3t-t0ken", cookie: "a=b", "x-api-key": "k" });
    const [seen] = other.received;
    expect(seen?.headers["accept"]).toBe("text/csv");
    for (const name of ["authorization", "cookie", "x-api-key"]) expect(seen?.headers).not.toHaveProperty(name);
    expect(JSON.stringify(seen)).not.toContain("s3cr3t");
    await other.close();
  });

  it("doesn't repeat a write at another origin than was asked for", async () => {
    const other = await loopback();
    const egress = `${server.host},${other.host}`;
    server.handle = (_, response) => response.writeHead(307, { location: `${other.origin}/in` }).end();
    const failure = await failureOf(call(httpPost, { url: server.origin, body: { a: 1 } }, { egress }));
    expect(failure).toMatchObject({ kind: "redirect-refused", data: { location: `${other.origin}/in` } });
    expect(other.received).toEqual([]);
    await other.close();
  });
});

describe("http.post and http.request", () => {
  const post = (args: object, idempotencyKey = "cell:1"): Promise<unknown> =>
    call(httpPost, { url: server.origin, ...args }, { egress: server.host, idempotencyKey });

  it("sends data as JSON and text as it is", async () => {
    await post({ body: { a: ["ü", null] } });
    await post({ body: "plain ü" });
    await post({ body: "<a/>", headers: { "content-type": "application/xml" } });
    expect(server.received.map(({ method, headers, body }) => [method, headers["content-type"], body])).toEqual([
      ["POST", "application/json", '{"a":["ü",null]}'],
      ["POST", "text/plain; charset=utf-8", "plain ü"],
      ["POST", "application/xml", "<a/>"],
    ]);
  });

  it("sends an Idempotency-Key that is the same for the same call, other for another, or the caller's own", async () => {
    await post({ body: 1 }, 'cell:http.post {"secret":"ü"} 0');
    await post({ body: 1 }, 'cell:http.post {"secret":"ü"} 0');
    await post({ body: 1 }, 'cell:http.post {"secret":"ü"} 1');
    await post({ body: 1, headers: { "Idempotency-Key": "mine" } });
    const [first, second, third, own] = server.received.map(({ headers }) => headers["idempotency-key"]);
    expect(first).toMatch(/^[\w-]{32}$/);
    expect(second).toBe(first);
    expect(third).not.toBe(first);
    expect(own).toBe("mine");
  });

  it.each(["CONNECT", "TRACE", "TRACK"])("refuses a %s, and says so", (method) => {
    const parsed = httpRequest.input.safeParse({ method, url: server.origin });
    expect(parsed.error?.issues[0]).toMatchObject({ path: ["method"], message: expect.stringContaining(method) });
  });

  it.each(["PUT", "PATCH", "DELETE", "OPTIONS", "GET", "PROPFIND", "REPORT"])("makes a %s", async (method) => {
    const answer = await call(httpRequest, { method, url: server.origin }, { egress: server.host });
    expect(answer).toMatchObject({ status: 200, body: { ok: true } });
    expect(server.received[0]?.method).toBe(method);
  });

  it("tells the length that a HEAD asks for", async () => {
    server.handle = (_, response) => response.writeHead(200, { "content-length": 99_999_999 }).end();
    const answer = await call(httpRequest, { method: "HEAD", url: server.origin }, { egress: server.host });
    expect(answer).toMatchObject({ headers: { "content-length": "99999999" }, body: "" });
  });

  it("sends no body with a GET, and knows no CONNECT or TRACE", async () => {
    const wrong = call(httpRequest, { method: "GET", url: server.origin, body: "x" }, { egress: server.host });
    expect((await failureOf(wrong)).kind).toBe("bad-request");
    for (const method of ["CONNECT", "TRACE", "get", "G ET", "GET\r\nX: y"])
      expect(httpRequest.input.safeParse({ method, url: server.origin }).success).toBe(false);
  });

  it("asks a person and runs once, while reading does neither", () => {
    expect([httpGet, httpPost, httpRequest].map(({ effect, approval }) => [effect, approval])).toEqual([
      ["read", "never"],
      ["once", "ask"],
      ["once", "ask"],
    ]);
  });

  it("declares what it takes and gives", () => {
    for (const tool of [httpGet, httpPost, httpRequest]) {
      expect(declarationOf(tool)).toContain(`tools.${tool.name}(args: {`);
      for (const { args, result } of tool.examples ?? []) {
        expect(tool.input.safeParse(args).success).toBe(true);
        expect(tool.output?.safeParse(result).success).toBe(true);
      }
    }
  });
});

describe("secrets", () => {
  const VALUE = 'sk/l1ve+"q&a"=<x>? 42'; // as awkward as a header takes
  const bearer = { headers: { authorization: "Bearer {{secret:TOKEN}}" } };
  const secrets = (value = VALUE): Record<string, string> => ({ TOKEN: value, TOKEN_HOSTS: server.host });

  it("are put in on the way out", async () => {
    await get(
      "/",
      { headers: { authorization: "{{secret:USER}}:{{secret:TOKEN}}" } },
      {
        ...secrets("s3cr3t"),
        USER: "ada",
        USER_HOSTS: server.host,
      },
    );
    expect(server.received[0]?.headers["authorization"]).toBe("ada:s3cr3t");
  });

  it("are taken for text, not for a pattern of a replacement", async () => {
    await get("/", bearer, secrets("a$&b$1{{secret:OTHER}}"));
    expect(server.received[0]?.headers["authorization"]).toBe("Bearer a$&b$1{{secret:OTHER}}");
  });

  it.each([
    ["as they are", (value: string) => value],
    ["percent-encoded", encodeURIComponent],
    [
      "percent-encoded in small letters",
      (value: string) => encodeURIComponent(value).replace(/%../g, (hex) => hex.toLowerCase()),
    ],
    ["as a form", (value: string) => new URLSearchParams({ value }).toString()],
    ["as JSON in a text", (value: string) => JSON.stringify(JSON.stringify({ value }))],
    [
      "as HTML",
      (value: string) =>
        value.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;").replaceAll('"', "&quot;"),
    ],
    ["in hex", (value: string) => Buffer.from(value).toString("hex")],
    ["in base64", (value: string) => Buffer.from(value).toString("base64")],
    ["in base64 behind one character", (value: string) => Buffer.from(`u${value}`).toString("base64")],
    ["in base64 as Basic", (value: string) => Buffer.from(`ab:${value}`).toString("base64")],
    ["in base64 behind more", (value: string) => Buffer.from(`name:${value} and more`).toString("base64")],
    ["in base64url", (value: string) => Buffer.from(`x${value}`).toString("base64url")],
  ])("don't come back %s, in a text, in data, in a header", async (_, echo) => {
    const written = echo(VALUE);
    server.handle = (request, response) => {
      const isJson = request.path === "/json";
      response.setHeader("content-type", isJson ? "application/json" : "text/plain");
      response.setHeader("x-echo", Buffer.from(written).toString("latin1"));
      response.end(isJson ? JSON.stringify({ deep: [{ [written]: written }] }) : `<<${written}>>`);
    };
    for (const path of ["/text", "/json"]) {
      const text = JSON.stringify(await get(path, bearer, secrets()));
      expect(text).toContain("[secret TOKEN]");
      expect(text).not.toContain(JSON.stringify(written).slice(1, -1));
      expect(text).not.toContain("l1ve");
      expect(Buffer.from(text.replace(/[^A-Za-z0-9+/]/g, ""), "base64").toString("latin1")).not.toContain("sk/l1ve");
    }
  });

  it("don't come back as escapes, as a number, in binary data or in a failure", async () => {
    server.handle = (_, response) =>
      response.writeHead(200, { "content-type": "application/json" }).end('{"a":"\\u0034242424242","b":4242424242}');
    expect(await get("/", bearer, secrets("4242424242"))).toMatchObject({
      body: { a: "[secret TOKEN]", b: "[secret TOKEN]" },
    });
    server.handle = (_, response) =>
      response.writeHead(200, { "content-type": "image/png" }).end(Buffer.from("\0\x01s3cr3t-t0ken\xff", "latin1"));
    const { body } = (await get("/", bearer, secrets("s3cr3t-t0ken"))) as { body: string };
    expect(Buffer.from(body, "base64").toString("latin1")).not.toContain("cr3t");
    server.handle = (_, response) => response.writeHead(302, { location: "http://s3cr3t-t0ken.internal/" }).end();
    const failure = await failureOf(get("/", bearer, secrets("s3cr3t-t0ken")));
    expect(failure.kind).toBe("egress-refused");
    expect(JSON.stringify(failure)).not.toContain("s3cr3t");
  });

  it("that nobody set are named, and nothing else is told", async () => {
    const failure = await failureOf(get("/", { headers: { a: "{{secret:NONE}}" } }, secrets("s3cr3t")));
    expect(failure).toMatchObject({ kind: "unknown-secret" });
    expect(failure.message).toBe('No secret "NONE" is set. It is set on the host, as SECRET_NONE.');
    expect(server.received).toEqual([]);
  });

  it.each([
    "{{secret:}}",
    "{{secret:a b}}",
    "{{secret:TOKEN",
    "{{secret:TOKEN_HOSTS}}",
    "{{secret:../X}}",
    "{{secret:__proto__}}",
  ])("are not found by %s", async (value) => {
    expect((await failureOf(get("/", { headers: { a: value } }, secrets()))).kind).toBe("unknown-secret");
    expect(server.received).toEqual([]);
  });

  it.each(["s3cr3t\r\nx: y", "s3cr3t\nb", " s3cr3t", "s3cr3t-ключ"])(
    "that no header takes are refused without being shown: %j",
    async (value) => {
      const failure = await failureOf(get("/", bearer, secrets(value)));
      expect(failure.kind).toBe("secret-refused");
      expect(JSON.stringify(failure)).not.toContain("s3cr3t");
      expect(server.received).toEqual([]);
    },
  );

  it.each([
    ["without a list of hosts, where any public host is open", undefined, "https://example.com/", {}],
    ["without a list, where everything is open by a star", "*", "https://example.com/", {}],
    ["without a list, over plain http", "example.com", "http://example.com/", {}],
    ["to a host that its list doesn't name", "example.com", "https://example.com/", { TOKEN_HOSTS: "example.org" }],
    ["to a list that is a star", "example.com", "https://example.com/", { TOKEN_HOSTS: "*" }],
    ["over plain http to a listed name", "example.com", "http://example.com/", { TOKEN_HOSTS: "example.com" }],
    [
      "to a name that only begins like a listed one",
      "*",
      "https://example.com.evil.org/",
      { TOKEN_HOSTS: "example.com" },
    ],
  ])("don't go %s", async (_, egress, url, more) => {
    const around = { secrets: { TOKEN: "s3cr3t", ...more }, ...(egress === undefined ? {} : { egress }) };
    expect((await failureOf(call(httpGet, { url, ...bearer }, around))).kind).toBe("secret-refused");
  });

  it("that belong to a tool need a list of hosts to go anywhere else", async () => {
    const headers = { a: "{{secret:WEBHOOK_SECRET}}" };
    const failure = await failureOf(
      call(
        httpGet,
        { url: "https://example.com/", headers },
        { egress: "example.com", secrets: { WEBHOOK_SECRET: "s" } },
      ),
    );
    expect(failure.kind).toBe("secret-refused");
  });

  it("are put in headers only", async () => {
    await call(
      httpPost,
      { url: `${server.origin}/{{secret:TOKEN}}`, body: "{{secret:TOKEN}}" },
      { egress: server.host, secrets: secrets("s3cr3t") },
    );
    expect(JSON.stringify(server.received)).not.toContain("s3cr3t");
  });
});
