import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { get } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it, vi } from "vitest";
import { probeHealth } from "../../../src/cli/client.ts";
import { isAlive } from "../../../src/cli/process-tree.ts";
import { supervise, type Supervisor, type SupervisorOptions } from "../../../src/cli/supervisor.ts";

const WATCHDOG_MS = 600;
const SERVER = join(import.meta.dirname, "fixtures", "server.mjs");

let folder = "";
let port = 0;
let supervisor: Supervisor | undefined;
let said: string[] = [];
let heard = 0;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "praxis-supervisor-"));
  port = await unusedPort();
  said = [];
});
afterEach(async () => {
  supervisor?.stop();
  await supervisor?.ended;
  rmSync(folder, { recursive: true });
});

const unusedPort = (): Promise<number> =>
  new Promise((resolve) => {
    const server = createServer();
    server.listen(0, "127.0.0.1", () => {
      const { port } = server.address() as AddressInfo; // a TCP server's address is one
      server.close(() => resolve(port));
    });
  });

const log = (): string => join(folder, "log");

function start(more: Partial<SupervisorOptions> = {}): Supervisor {
  supervisor = supervise({
    launch: ({ hungAt }) => ({
      command: process.execPath,
      args: [SERVER, "dev", String(port), log(), ...(hungAt === undefined ? [] : [String(hungAt)])],
    }),
    probe: async () => {
      const isHealthy = (await probeHealth(`http://127.0.0.1:${port}`, WATCHDOG_MS)) === "praxis";
      heard += isHealthy ? 1 : 0;
      return isHealthy;
    },
    watchdogMs: WATCHDOG_MS,
    probeEveryMs: 50,
    say: (line) => said.push(line),
    ...more,
  });
  return supervisor;
}

/** What `server.mjs` logs. */
interface Life {
  pids: number[];
  args: string[];
}

const lives = (): Life[] =>
  existsSync(log())
    ? readFileSync(log(), "utf8")
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line) as Life) // the fixture's own format
    : [];

/** The n-th life of the server, once it answers. */
const life = (number: number): Promise<Life> =>
  vi.waitFor(
    async () => {
      const found = lives()[number - 1];
      if (found === undefined || (await probeHealth(`http://127.0.0.1:${port}`, 100)) !== "praxis")
        throw new Error("not yet");
      return found;
    },
    { timeout: 15_000, interval: 20 },
  );

/** Resolves when the server has taken the request; it never answers these. */
const tell = (path: string): Promise<void> =>
  new Promise((resolve) => {
    const request = get(`http://127.0.0.1:${port}${path}`);
    request.on("error", () => {});
    request.on("finish", () => resolve());
  });

/** The supervisor has heard an answer since now. */
const heardAgain = (): Promise<void> => {
  const before = heard;
  return vi.waitFor(() => expect(heard).toBeGreaterThan(before), { timeout: 15_000, interval: 10 });
};

describe("the supervisor", { timeout: 30_000 }, () => {
  it("K2: kills a frozen server whole, starts it again and tells it since when", async () => {
    start();
    const first = await life(1);
    expect(first.args).toEqual([]);
    await heardAgain();
    const frozenAt = Date.now();
    await tell("/freeze");
    const second = await life(2);
    expect(Number(second.args[0])).toBeGreaterThan(frozenAt);
    expect(Number(second.args[0])).toBeLessThanOrEqual(Date.now());
    expect(first.pids.map(isAlive)).toEqual([false, false]);
    expect(said).toEqual([expect.stringContaining("stopped answering")]);
  });

  it("lets a silent server be while it is excused, and no longer", async () => {
    const livesWhenAsked: number[] = [];
    const isExcused = (): boolean => livesWhenAsked.push(lives().length) < 5;
    start({ isExcused });
    await life(1);
    await heardAgain();
    await tell("/freeze");
    await life(2);
    expect(livesWhenAsked.slice(0, 5)).toEqual([1, 1, 1, 1, 1]);
  });

  it("leaves no process when it is stopped, though the server is frozen", async () => {
    const { ended, stop } = start();
    const { pids } = await life(1);
    await tell("/freeze");
    stop();
    stop();
    expect(await ended).toBe(0);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it("ends with the code of a server that leaves shortly after its start, and ends what it left behind", async () => {
    const { ended } = start();
    const { pids } = await life(1);
    await tell("/leave");
    expect(await ended).toBe(7);
    expect(pids.map(isAlive)).toEqual([false, false]);
    expect(lives()).toHaveLength(1);
  });

  it("ends the child of a server that was killed from outside", async () => {
    const { ended } = start();
    const { pids } = await life(1);
    process.kill(pids[0] ?? 0, "SIGKILL");
    expect(await ended).toBe(137);
    expect(pids.map(isAlive)).toEqual([false, false]);
  });

  it("says so by code 127 when the server cannot be started", async () => {
    const { ended } = supervise({
      launch: () => ({ command: join(folder, "absent"), args: [] }),
      probe: async () => false,
      watchdogMs: WATCHDOG_MS,
      probeEveryMs: 50,
      say: (line) => said.push(line),
    });
    expect(await ended).toBe(127);
  });
});

/** As every user of the machine sees it. */
const commandLine = (pid: number): string =>
  existsSync("/proc/self/cmdline")
    ? readFileSync(`/proc/${pid}/cmdline`, "utf8")
    : execFileSync("ps", ["-o", "args=", "-p", String(pid)], { encoding: "utf8" });

describe("a server under a supervisor process", { timeout: 30_000 }, () => {
  const spawnHost = (env: NodeJS.ProcessEnv): number => {
    const host = spawn(
      process.execPath,
      [join(import.meta.dirname, "fixtures", "supervised.ts"), String(port), log()],
      {
        env: { ...process.env, ...env },
        stdio: "ignore",
      },
    );
    return host.pid ?? 0;
  };

  it("ends with all its children when the supervisor is killed by force", async () => {
    const host = spawnHost({});
    const { pids } = await life(1);
    process.kill(host, "SIGKILL");
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), { timeout: 10_000, interval: 20 });
  });

  it("gets the shell's secrets as arguments that the process list does not show", async () => {
    const host = spawnHost({ PRAXIS_HAND_ON: "ANTHROPIC_API_KEY", ANTHROPIC_API_KEY: "sk-hidden:1" });
    const { pids, args } = await life(1);
    expect(args).toEqual(["--var", "ANTHROPIC_API_KEY:sk-hidden:1"]);
    const shown = commandLine(pids[0] ?? 0);
    expect(shown).toContain("server.mjs");
    expect(shown).not.toContain("sk-hidden");
    process.kill(host, "SIGKILL");
    await vi.waitFor(() => expect(pids.map(isAlive)).toEqual([false, false]), { timeout: 10_000, interval: 20 });
  });
});
