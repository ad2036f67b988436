import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { ROOT, type RunningServer, startServer } from "../support/server.ts";

const execute = promisify(execFile);
let server: RunningServer;
beforeAll(async () => void (server = await startServer()));
afterAll(async () => server?.stop());

const curl = async (path: string, ...args: string[]): Promise<{ status: number; body: Record<string, unknown> }> => {
  const { stdout } = await execute("curl", ["-sS", "-w", "\n%{http_code}", ...args, server.url + path]);
  const cut = stdout.lastIndexOf("\n");
  return { status: Number(stdout.slice(cut + 1)), body: JSON.parse(stdout.slice(0, cut)) as Record<string, unknown> };
};
const submit = (body: object, ...headers: string[]): ReturnType<typeof curl> =>
  curl(
    "/v1/goals",
    "-H",
    "content-type: application/json",
    ...headers.flatMap((header) => ["-H", header]),
    "-d",
    JSON.stringify(body),
  );

describe("the embedded planner, through curl", () => {
  it("answers ten goals at once, each with its right result", async () => {
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, n) =>
        submit(
          { goal: "How many rows are there?", inputs: { rows: Array.from({ length: n + 3 }, (_item, i) => ({ i })) } },
          "prefer: wait=60",
        ),
      ),
    );
    expect(answers.map(({ status, body }) => [status, body["status"], body["result"]])).toEqual(
      Array.from({ length: 10 }, (_, n) => [200, "succeeded", n + 3]),
    );
  });

  it("gives one run for one Idempotency-Key and 409 for another body", async () => {
    const body = { goal: "count the words in: one two three" };
    const [first, second] = [await submit(body, "idempotency-key: k1"), await submit(body, "idempotency-key: k1")];
    expect(second.body["id"]).toBe(first.body["id"]);
    const clash = await submit({ goal: "something else" }, "idempotency-key: k1");
    expect([clash.status, clash.body["detail"]]).toEqual([409, expect.stringContaining("another body")]);
  });

  it("fails at once when it has no recipe, and says what it can do and how to set a model", async () => {
    const { body } = await submit({ goal: "Compose a symphony about the sea" }, "prefer: wait=30");
    expect(body).toMatchObject({
      status: "failed",
      failure: { kind: "no-recipe", message: expect.stringContaining("ANTHROPIC_API_KEY") },
    });
  });

  it("says on /healthz which model serves", async () => {
    expect((await curl("/healthz")).body).toMatchObject({ status: "ok", service: "praxis", model: "embedded planner" });
  });
});

describe("npm run goal", () => {
  const goal = (...args: string[]): Promise<{ stdout: string; stderr: string; code: number }> =>
    execute(process.execPath, ["src/cli/goal.ts", ...args, "--url", server.url], { cwd: ROOT }).then(
      (done) => ({ ...done, code: 0 }),
      (error: { stdout: string; stderr: string; code: number }) => error,
    );

  it("prints the result on stdout, progress, tokens, cost and time on stderr, and exits 0", async () => {
    const { stdout, stderr, code } = await goal("total of price", "--input", 'items=[{"price":2},{"price":40}]');
    expect([stdout.trim(), code]).toEqual(["42", 0]);
    expect(stderr).toMatch(/embedded planner/i);
    expect(stderr).toMatch(/token/);
    expect(stderr).toMatch(/\$/);
  });

  it("exits 1 when the run fails, with the reason", async () => {
    const { stderr, code } = await goal("Compose a symphony about the sea");
    expect(code).toBe(1);
    expect(stderr).toContain("embedded planner");
  });
});
