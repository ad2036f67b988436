/**
 * Keeps one server process and its descendants running, and ends them all.
 *
 * Owns: the process it spawns (a group leader), its group and descendants. Does not own: what the server stores.
 * - A server that was healthy and stops answering is killed whole and started again, and told since when (K2).
 * - One that ends by itself with an error before it lived LIVED_MS ends the supervisor with its code.
 * - When the supervisor ends, for whatever reason, so does the tree: the server holds the other end of a pipe.
 */
import { spawn, type ChildProcess } from "node:child_process";
import type { Socket } from "node:net";
import { lineFilter } from "./line-filter.ts";
import { descendants, killTree } from "./process-tree.ts";
import { Pulse } from "./pulse.ts";
import { signalCode } from "./toolchain.ts";

const LIVED_MS = 10_000; // an error later than this is a crash, not a wrong flag
const STOP_GRACE_MS = 5_000; // wrangler takes about one second to end by itself
const FIRST_ANSWER_MS = 30_000; // a busy machine; starting takes about two seconds
const MAX_FAILED_RESTARTS = 3;

/** The descriptor on which a server can see that its supervisor is gone: it reaches its end. */
export const LIFELINE_FD = 4;

export interface Launch {
  command: string;
  args: string[];
  env?: NodeJS.ProcessEnv;
  cwd?: string;
}

export interface SupervisorOptions {
  /** `hungAt`: epoch milliseconds of the moment a frozen server was killed; absent at the first start. */
  launch(attempt: { hungAt?: number }): Launch;
  /** Must not reject. Called again while earlier probes wait: a slow answer is an answer. */
  probe(): Promise<boolean>;
  /** 0 turns the watchdog off: for a debugger that stops the runtime on purpose. */
  watchdogMs: number;
  probeEveryMs: number;
  say(line: string): void;
  /** Whether a server last heard at that time (epoch milliseconds) may be silent without being hung. */
  isExcused?(heardAt: number): boolean;
  /** What the server sends over its IPC channel. */
  onMessage?(message: unknown): void;
  /** What a line of the server's stdout is; when absent they are all just shown. */
  readLine?(line: string): "shown" | "hidden" | "ready";
}

export interface Supervisor {
  /** The exit code to end with. Resolves when no process of the tree is left. */
  ended: Promise<number>;
  /** May be called twice. */
  stop(): void;
}

type Outcome =
  | { kind: "exited"; code: number; signal: NodeJS.Signals | null; livedMs: number; wasHealthy: boolean }
  | { kind: "hung"; wasHealthy: boolean }
  | { kind: "stopped" };

export function supervise(options: SupervisorOptions): Supervisor {
  const stopping = Promise.withResolvers<void>();
  return { ended: keepRunning(options, stopping.promise), stop: () => stopping.resolve() };
}

async function keepRunning(options: SupervisorOptions, stopping: Promise<void>): Promise<number> {
  const heard: { at?: number } = {};
  let hungAt: number | undefined;
  let failedRestarts = 0;
  for (;;) {
    const outcome = await runOnce(options, { stopping, heard, hungAt });
    switch (outcome.kind) {
      case "stopped":
        return 0;
      case "hung":
        failedRestarts = outcome.wasHealthy ? 0 : failedRestarts + 1;
        if (failedRestarts >= MAX_FAILED_RESTARTS) {
          options.say(`the runtime did not come back after ${failedRestarts} restarts; giving up`);
          return 1;
        }
        options.say("the runtime stopped answering: killed it and starting it again; runs go on from their journal");
        hungAt = Date.now(); // it is dead, and the next one not born: what began before was there when it froze
        break;
      case "exited":
        if (isFinal(outcome)) return outcome.code;
        options.say(`the runtime ended with code ${outcome.code}; starting it again`);
    }
  }
}

const isFinal = (outcome: Extract<Outcome, { kind: "exited" }>): boolean =>
  outcome.code === 0 || // asked to, by a key or a flag such as --help
  outcome.code === signalCode("SIGINT") ||
  outcome.code === signalCode("SIGTERM") ||
  !outcome.wasHealthy ||
  outcome.livedMs < LIVED_MS;

interface Attempt {
  stopping: Promise<void>;
  heard: { at?: number };
  hungAt: number | undefined;
}

/** One life of the server. When it resolves, the whole tree is gone. */
async function runOnce(options: SupervisorOptions, { stopping, heard, hungAt }: Attempt): Promise<Outcome> {
  const { command, args, env, cwd } = options.launch(hungAt === undefined ? {} : { hungAt });
  const child = spawn(command, args, {
    ...(env && { env }),
    ...(cwd !== undefined && { cwd }),
    detached: true, // a group of its own: Ctrl-C reaches it through us, and one kill reaches all of it
    stdio: ["ignore", options.readLine ? "pipe" : "inherit", "inherit", "ipc", "pipe"],
  });
  const born = performance.now();
  ignoreErrors(child.stdio[LIFELINE_FD]);
  if (options.onMessage) child.on("message", options.onMessage);

  const pulse = new Pulse(
    { hungAfterMs: options.watchdogMs, firstAnswerMs: FIRST_ANSWER_MS, gapMs: 2 * options.probeEveryMs },
    { now: born, isRestart: hungAt !== undefined },
  );
  const keepLine = (line: string): boolean => {
    const kind = options.readLine?.(line);
    if (kind === "ready") {
      pulse.expect(performance.now());
      heard.at = Date.now(); // it may freeze before the first probe
    }
    return kind !== "hidden";
  };
  child.stdout?.pipe(lineFilter(keepLine)).pipe(process.stdout, { end: false });
  const exited = exitOf(child).then((exit): Outcome => {
    const livedMs = performance.now() - born;
    return { kind: "exited", ...exit, livedMs, wasHealthy: pulse.wasHealthy };
  });
  const hung = Promise.withResolvers<Outcome>();
  const look = (): void => {
    const isHung = options.watchdogMs > 0 && pulse.look(performance.now()) === "hung";
    if (isHung && options.isExcused?.(heard.at ?? 0) !== true)
      hung.resolve({ kind: "hung", wasHealthy: pulse.wasHealthy });
    void options.probe().then((isHealthy) => {
      if (!isHealthy || child.exitCode !== null || child.signalCode !== null) return;
      pulse.hear(performance.now());
      heard.at = Date.now();
    });
  };
  look();
  const timer = setInterval(look, options.probeEveryMs);
  const outcome = await Promise.race([exited, hung.promise, stopping.then((): Outcome => ({ kind: "stopped" }))]);
  clearInterval(timer);
  if (child.pid !== undefined) await endTree(child, { gently: outcome.kind === "stopped", exited });
  return outcome;
}

async function endTree(child: ChildProcess, how: { gently: boolean; exited: Promise<unknown> }): Promise<void> {
  const { pid } = child;
  if (pid === undefined) return;
  const known = descendants(pid);
  if (how.gently && child.kill("SIGTERM")) {
    const patience = Promise.withResolvers<void>();
    const timer = setTimeout(patience.resolve, STOP_GRACE_MS);
    await Promise.race([how.exited, patience.promise]);
    clearTimeout(timer);
  }
  await killTree(pid, known);
  await how.exited;
}

function exitOf(child: ChildProcess): Promise<{ code: number; signal: NodeJS.Signals | null }> {
  return new Promise((resolve) => {
    child.once("error", () => resolve({ code: 127, signal: null })); // it could not be started
    child.once("exit", (code, signal) => resolve({ code: code ?? signalCode(signal), signal }));
  });
}

/** A server that dies resets the pipe; its exit tells us already. */
const ignoreErrors = (stream: ChildProcess["stdio"][4]): void =>
  void (stream as Socket | undefined)?.on("error", () => {}); // with "pipe" it is a Socket
