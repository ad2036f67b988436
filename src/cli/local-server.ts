import { spawn } from "node:child_process";
import { createServer } from "node:net";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { probeHealth } from "./client.ts";
import { descendants, killTree } from "./process-tree.ts";
import { ROOT } from "./toolchain.ts";

const PROBE_MS = 3_000;
const POLL_MS = 200;
const START_MS = 90_000; // a cold start on a busy machine; about five seconds on an idle one
const SILENT_MS = 20_000; // a frozen Praxis comes back within this: its watchdog restarts it
const STOP_MS = 10_000;
const PORTS_TO_TRY = 50;
const KEPT_OUTPUT_CHARS = 4_000;

export interface Server {
  url: string;
  /** Stops the server if it was started here; leaves one that was running alone. May be called twice. */
  stop(): Promise<void>;
}

export type Ensured = { ok: true; value: Server } | { ok: false; problem: string };

/** The Praxis at `url`, or one started for it: there, or on the next free port when something else has that one. */
export async function ensureServer(
  url: string,
  hooks: { say(line: string): void; signal: AbortSignal },
): Promise<Ensured> {
  const health = await patientHealth(url, hooks.signal);
  if (health === "praxis") return { ok: true, value: { url, stop: async () => {} } };
  const address = new URL(url);
  if (address.protocol !== "http:" || !isLoopback(address.hostname))
    return { ok: false, problem: `no Praxis answers at ${url}, and only a local one can be started from here` };
  const wanted = Number(address.port || 80);
  const port = health === "none" ? wanted : await freePort(wanted + 1);
  if (port === undefined) return { ok: false, problem: `no free port after ${wanted}` };
  if (port !== wanted) hooks.say(`port ${wanted} is taken by something else; using ${port}`);
  hooks.say("starting a local server");
  return startServer(port, hooks.signal);
}

export const isLoopback = (host: string): boolean =>
  host === "localhost" || host === "[::1]" || /^127(\.\d+){3}$/.test(host);

async function patientHealth(url: string, signal: AbortSignal): ReturnType<typeof probeHealth> {
  const until = performance.now() + SILENT_MS;
  for (;;) {
    const health = await probeHealth(url, PROBE_MS);
    if (health !== "silent" || performance.now() > until || signal.aborted) return health;
  }
}

async function freePort(from: number): Promise<number | undefined> {
  for (let port = from; port < Math.min(from + PORTS_TO_TRY, 65_536); port++) if (await isFree(port)) return port;
  return undefined;
}

const isFree = (port: number): Promise<boolean> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once("error", () => resolve(false));
    server.listen(port, "127.0.0.1", () => server.close(() => resolve(true)));
  });

async function startServer(port: number, signal: AbortSignal): Promise<Ensured> {
  const url = `http://127.0.0.1:${port}`;
  const script = join(import.meta.dirname, "start.ts");
  const child = spawn(process.execPath, [script, "--port", String(port)], {
    cwd: ROOT,
    detached: true, // Ctrl-C must not stop it before the run was cancelled through it
    stdio: ["ignore", "pipe", "pipe", "ipc"], // the channel is its lifeline: it stops when we are gone
  });
  let output = "";
  const keep = (chunk: Buffer): void => void (output = (output + chunk.toString()).slice(-KEPT_OUTPUT_CHARS));
  child.stdout?.on("data", keep);
  child.stderr?.on("data", keep);
  const ended = new AbortController();
  const exited = new Promise<void>((resolve) => ended.signal.addEventListener("abort", () => resolve()));
  child.once("exit", () => ended.abort()).once("error", () => ended.abort());

  const stop = async (): Promise<void> => {
    if (child.pid === undefined) return;
    const known = descendants(child.pid);
    child.kill("SIGTERM");
    await Promise.race([exited, sleep(STOP_MS, undefined, { ref: false })]);
    await killTree(child.pid, known);
  };

  const until = performance.now() + START_MS;
  while (!ended.signal.aborted && !signal.aborted && performance.now() < until) {
    if ((await probeHealth(url, PROBE_MS)) === "praxis" && !ended.signal.aborted)
      return { ok: true, value: { url, stop } };
    await Promise.race([exited, sleep(POLL_MS)]);
  }
  await stop();
  // Another command may have started one on this port in the same moment.
  if (ended.signal.aborted && !signal.aborted && (await probeHealth(url, PROBE_MS)) === "praxis")
    return { ok: true, value: { url, stop: async () => {} } };
  const why = signal.aborted
    ? "was interrupted"
    : ended.signal.aborted
      ? "ended"
      : `did not answer within ${START_MS / 1000} s`;
  return { ok: false, problem: `the local server ${why}${output.trim() === "" ? "" : `:\n${output.trim()}`}` };
}
