/**
 * The bench Worker in the real runtime, on a port of its own and with storage that is gone afterwards.
 *
 * Owns: the process tree and the folder. Both are gone when `stop` resolves.
 */
import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { z } from "zod";
import { descendants, killTree } from "../../src/cli/process-tree.ts";
import { bin, ROOT, runTool, toolEnv } from "../../src/cli/toolchain.ts";
import type { LibrarySearch, Task } from "./task.ts";

const START_MS = 60_000; // a busy machine; about three seconds on an idle one
const STOP_MS = 5_000;
const KEPT_OUTPUT_CHARS = 4_000;

export interface BenchServer {
  /** Rejects when the task went wrong inside the Worker. */
  perform(task: Task): Promise<void>;
  ask(task: LibrarySearch): Promise<string[][]>;
  /** May be called twice. */
  stop(): Promise<void>;
}

/** Rejects when it does not come up, with wrangler's last words; nothing is left behind then. */
export async function startServer(): Promise<BenchServer> {
  await buildGuest();
  const storage = mkdtempSync(join(tmpdir(), "praxis-bench-"));
  const child = spawn(bin("node"), ["--no-warnings", join(import.meta.dirname, "serve.ts"), storage], {
    cwd: ROOT,
    env: toolEnv(),
    detached: true, // a group of its own, so that one kill reaches all of it
    stdio: ["ignore", "pipe", "pipe", "ipc"],
  });
  let output = "";
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (chunk: Buffer) => (output = (output + chunk.toString()).slice(-KEPT_OUTPUT_CHARS)));
  const exited = new Promise<void>((resolve) => child.once("exit", () => resolve()).once("error", () => resolve()));

  const stop = async (): Promise<void> => {
    if (child.pid !== undefined) {
      const known = descendants(child.pid);
      if (child.connected) child.disconnect();
      await within(STOP_MS, exited);
      await killTree(child.pid, known);
    }
    rmSync(storage, { recursive: true, force: true });
  };

  const told = new Promise<unknown>((resolve) => child.once("message", resolve));
  const ready = Ready.safeParse(await within(START_MS, Promise.race([told, exited])));
  if (!ready.success) {
    await stop();
    throw new Error(`the bench Worker did not start:\n${output}`);
  }
  const { url } = ready.data;
  return {
    perform: async (task) => void (await post(url, task)),
    ask: async (task) => Found.parse(JSON.parse(await post(url, task))),
    stop,
  };
}

const Ready = z.object({ url: z.string() });
const Found = z.array(z.array(z.string()));

async function post(url: string, task: Task): Promise<string> {
  const response = await fetch(url, { method: "POST", body: JSON.stringify(task) });
  const text = await response.text();
  if (!response.ok) throw new Error(`${task.do}: ${text.slice(0, KEPT_OUTPUT_CHARS)}`);
  return text;
}

async function buildGuest(): Promise<void> {
  const { code, output } = await runTool([bin("node"), join(ROOT, "src/kernel/guest/build.mjs")], { capture: true });
  if (code !== 0) throw new Error(`the guest harness could not be built:\n${output}`);
}

async function within<T>(ms: number, promise: Promise<T>): Promise<T | undefined> {
  const late = Promise.withResolvers<undefined>();
  const timer = setTimeout(() => late.resolve(undefined), ms);
  try {
    return await Promise.race([promise, late.promise]);
  } finally {
    clearTimeout(timer);
  }
}
