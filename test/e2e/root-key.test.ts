import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type RunningServer, startServer } from "../support/server.ts";

let server: RunningServer;
beforeAll(async () => void (server = await startServer({ vars: { PRAXIS_ROOT_KEY: "sesame-1" } })));
afterAll(async () => server?.stop());

const status = async (headers: Record<string, string>): Promise<number> =>
  (await fetch(`${server.url}/v1/goals`, { headers })).status;

describe("with a root key", () => {
  it("the API answers with the key only", async () => {
    expect(await status({})).toBe(401);
    expect(await status({ authorization: "Bearer wrong" })).toBe(401);
    expect(await status({ authorization: "Bearer sesame-" })).toBe(401);
    expect(await status({ authorization: "sesame-1" })).toBe(401);
    expect(await status({ authorization: "Bearer sesame-1" })).toBe(200);
    expect(await status({ "x-api-key": "sesame-1" })).toBe(200);
  });

  it("any host is served, and health needs no key", async () => {
    expect(await status({ host: "praxis.example.com", authorization: "Bearer sesame-1" })).toBe(200);
    expect((await fetch(`${server.url}/healthz`)).status).toBe(200);
  });

  it("the key is in no output and on no command line of a child", () => {
    expect(server.output()).not.toContain("sesame-1");
  });
});
