import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { PraxisClient, probeHealth } from "../../../src/cli/client.ts";
import { follow, type FollowOptions } from "../../../src/cli/follow.ts";
import type { StoredEvent } from "../../../src/contract/event.ts";

type Handler = (request: IncomingMessage, response: ServerResponse) => void;
const closers: (() => void)[] = [];
afterEach(() => {
  for (const close of closers.splice(0)) close();
});

async function serve(handler: Handler): Promise<string> {
  const server = createServer(handler);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  closers.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`; // a TCP server's address is one
}

const TOTAL = 9;
const frame = (id: number): string => {
  const event =
    id === TOTAL ? { type: "run-ended", status: "succeeded" } : { type: "cell-logged", cell: 1, text: `${id}` };
  return `id: ${id}\nevent: ${event.type}\ndata: ${JSON.stringify({ at: "2026-01-01T00:00:00Z", ...event })}\n\n`;
};

const collect = (
  url: string,
  more: Partial<FollowOptions> = {},
): { events: StoredEvent[]; end: ReturnType<typeof follow> } => {
  const events: StoredEvent[] = [];
  const onEvent = (event: StoredEvent): void => void events.push(event);
  const signal = new AbortController().signal;
  const options = { onEvent, signal, after: 0, patienceMs: 5_000, retryMs: 1, ...more };
  return { events, end: follow(new PraxisClient({ url }), "s.1", options) };
};

describe("following a run", () => {
  it("shows every event once and in order when the stream drops in the middle of an event", async () => {
    const asked: (string | undefined)[] = [];
    const url = await serve((request, response) => {
      const after = Number(request.headers["last-event-id"] ?? 0);
      asked.push(request.headers["last-event-id"]?.toString());
      response.writeHead(200, { "content-type": "text/event-stream" });
      const text = Array.from({ length: TOTAL - after }, (_, index) => frame(after + index + 1)).join("");
      if (asked.length > 3) return response.end(text);
      // Two whole events and half of a third, then the connection breaks.
      const cut = (frame(after + 1) + frame(after + 2)).length + 20;
      return response.write(text.slice(0, cut), () => response.destroy());
    });
    const { events, end } = collect(url);
    expect(await end).toEqual({ kind: "ended", after: TOTAL });
    expect(events.map((event) => event.id)).toEqual([1, 2, 3, 4, 5, 6, 7, 8, 9]);
    expect(asked).toEqual([undefined, "2", "4", "6"]);
  });

  it("does not show again what a server repeats", async () => {
    let requests = 0;
    const url = await serve((_, response) => {
      requests += 1;
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.end([1, 2, 3].map(frame).join("") + (requests === 2 ? frame(TOTAL) : ""));
    });
    const { events, end } = collect(url);
    await end;
    expect(events.map((event) => event.id)).toEqual([1, 2, 3, TOTAL]);
  });

  it("waits for a server that answers 503 while it restarts", async () => {
    let requests = 0;
    const drops: string[] = [];
    const url = await serve((_, response) => {
      requests += 1;
      if (requests < 3) return response.writeHead(503).end("restarting");
      return response.writeHead(200, { "content-type": "text/event-stream" }).end(frame(TOTAL));
    });
    const { end } = collect(url, { onDrop: (trouble) => drops.push(trouble.kind) });
    expect(await end).toEqual({ kind: "ended", after: TOTAL });
    expect(drops).toEqual(["refused", "refused"]);
  });

  it("ends at once when the run is unknown, with what the server says", async () => {
    const url = await serve((_, response) => {
      response.writeHead(404, { "content-type": "application/problem+json" });
      response.end(JSON.stringify({ title: "No such run", detail: "s.1 is not here", status: 404 }));
    });
    const problem = { status: 404, title: "No such run", detail: "s.1 is not here" };
    expect(await collect(url).end).toEqual({ kind: "lost", trouble: { kind: "refused", problem }, after: 0 });
  });

  it("gives up on a server that stays away, and says after which event", async () => {
    const url = await serve((_, response) => response.writeHead(503).end());
    const { end } = collect(url, { after: 4, patienceMs: 20 });
    expect(await end).toMatchObject({ kind: "lost", after: 4, trouble: { kind: "refused" } });
  });

  it("stops when it is told to", async () => {
    const stop = new AbortController();
    const url = await serve((_, response) => {
      response.writeHead(200, { "content-type": "text/event-stream" });
      response.write(frame(1));
    });
    const { end } = collect(url, { signal: stop.signal, onEvent: () => stop.abort() });
    expect(await end).toEqual({ kind: "aborted" });
  });
});

describe("the API client", () => {
  it("sends the goal with its key and an idempotency key", async () => {
    const seen: { headers: IncomingMessage["headers"]; body: string }[] = [];
    const url = await serve((request, response) => {
      let body = "";
      request.on("data", (chunk: Buffer) => (body += chunk.toString()));
      request.on("end", () => {
        seen.push({ headers: request.headers, body });
        response.writeHead(202, { "content-type": "application/json" }).end('{"id":"s.1"}');
      });
    });
    const answer = await new PraxisClient({ url, key: "k1" }).submit({ goal: "add" }, "once");
    expect(answer).toEqual({ ok: true, value: { id: "s.1" } });
    expect(seen[0]?.headers).toMatchObject({ authorization: "Bearer k1", "idempotency-key": "once" });
    expect(JSON.parse(seen[0]?.body ?? "")).toEqual({ goal: "add" });
  });

  it("answers a problem with the fields the server names", async () => {
    const url = await serve((_, response) => {
      response.writeHead(400).end(
        JSON.stringify({
          title: "Bad input",
          detail: "goal is empty",
          errors: [{ field: "goal" }, { field: "session" }],
        }),
      );
    });
    expect(await new PraxisClient({ url }).cancel("s.1")).toEqual({
      ok: false,
      trouble: {
        kind: "refused",
        problem: {
          status: 400,
          title: "Bad input",
          detail: 'goal is empty\n  {"field":"goal"}\n  {"field":"session"}',
        },
      },
    });
  });

  it("answers unreachable, with the cause, when nothing listens", async () => {
    const url = await serve(() => {});
    closers.pop()?.();
    const answer = await new PraxisClient({ url }).view("s.1");
    expect(answer).toMatchObject({
      ok: false,
      trouble: { kind: "unreachable", reason: expect.stringContaining("ECONNREFUSED") },
    });
  });
});

describe("the health probe", () => {
  it("tells Praxis from another server, from a silent one and from none", async () => {
    const praxis = await serve((_, response) => response.end('{"status":"ok","service":"praxis"}'));
    const other = await serve((_, response) => response.writeHead(404).end("nginx"));
    const silent = await serve(() => {});
    const none = await serve(() => {});
    closers.pop()?.();
    expect(await probeHealth(praxis, 5_000)).toBe("praxis");
    expect(await probeHealth(other, 5_000)).toBe("other");
    expect(await probeHealth(silent, 50)).toBe("silent");
    expect(await probeHealth(none, 5_000)).toBe("none");
  });
});
