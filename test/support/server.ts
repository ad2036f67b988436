/** A real server as people start it: `npm start -- <flags>`, here without npm in between. */
import { type ChildProcess, spawn } from "node:child_process";
import { mkdtemp, readFile, rm } from "node:fs/promises";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { descendants, killTree } from "../../src/cli/process-tree.ts";

export const ROOT = resolve(import.meta.dirname, "../..");
const START_MS = 90_000;

export interface RunningServer {
  url: string;
  output: () => string;
  /** Resident memory of the process that runs the Worker, in bytes. */
  memory(): Promise<number>;
  /** Kills the process that runs the Worker, as a crash would. wrangler starts it again. */
  killRuntime(): Promise<void>;
  stop(): Promise<void>;
}

export async function startServer(
  options: { vars?: Record<string, string>; env?: Record<string, string> } = {},
): Promise<RunningServer> {
  const port = await freePort();
  const url = `http://127.0.0.1:${port}`;
  const state = await mkdtemp(join(tmpdir(), "praxis-e2e-"));
  const vars = Object.entries(options.vars ?? {}).flatMap(([name, value]) => ["--var", `${name}:${value}`]);
  const child = spawn(process.execPath, ["src/cli/start.ts", "--port", String(port), "--persist-to", state, ...vars], {
    cwd: ROOT,
    env: { ...process.env, ...options.env },
    detached: true,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let output = "";
  child.stdout?.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  child.stderr?.on("data", (chunk: Buffer) => void (output += chunk.toString()));
  const stop = async (): Promise<void> => {
    if (child.pid !== undefined) await killTree(child.pid, descendants(child.pid));
    await rm(state, { recursive: true, force: true });
  };
  try {
    await untilHealthy(url, child);
  } catch (error) {
    await stop();
    throw new Error(`${String(error)}\n${output}`, { cause: error });
  }
  return {
    url,
    output: () => output,
    stop,
    memory: async () => residentBytes(await workerOf(child.pid!, port)),
    killRuntime: async () => void process.kill(await workerOf(child.pid!, port), "SIGKILL"),
  };
}

/** Polls, for there is nothing to wait for: a server that is not there yet can't say when it will be. */
export async function untilHealthy(url: string, child?: ChildProcess): Promise<void> {
  for (const until = Date.now() + START_MS; ;) {
    if (child !== undefined && child.exitCode !== null) throw new Error("the server ended");
    const answer = await fetch(`${url}/healthz`, { signal: AbortSignal.timeout(2_000) }).catch(() => undefined);
    if (answer?.ok === true) return;
    if (Date.now() > until) throw new Error("the server did not answer in time");
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
}

/** Of wrangler's two runtimes the one that does not listen on our port runs the Worker. */
async function workerOf(parent: number, port: number): Promise<number> {
  for (const pid of descendants(parent)) {
    const command = await readFile(`/proc/${pid}/cmdline`, "utf8").catch(() => "");
    if (command.includes("workerd") && command.includes("entry=") && !command.includes(`:${port}`)) return pid;
  }
  throw new Error("found no runtime");
}

const residentBytes = async (pid: number): Promise<number> =>
  1024 * Number(/^VmRSS:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, "utf8"))?.[1] ?? 0);

const freePort = (): Promise<number> =>
  new Promise((done, failed) => {
    const probe = createServer();
    probe.once("error", failed);
    probe.listen(0, "127.0.0.1", () => {
      const address = probe.address();
      probe.close(() => done(typeof address === "object" && address !== null ? address.port : 0));
    });
  });
