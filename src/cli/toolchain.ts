import { spawn } from "node:child_process";
import { createRequire } from "node:module";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";

/** The repository's root. */
export const ROOT = dirname(dirname(import.meta.dirname));

const BIN = join(ROOT, "node_modules", ".bin");

/** An installed package's command. */
export const bin = (name: string): string => join(BIN, name);

/** wrangler itself, not its launcher: the launcher adds a process that does not pass every signal on. */
export const wranglerCli = (): string => createRequire(import.meta.url).resolve("wrangler");

/**
 * The environment for tools: their own `node` must be the installed one. wrangler's local trace store is off unless it is asked for:
 * it writes every span to disk on the thread that runs the Worker, which is most of what a call costs then.
 */
export const toolEnv = (): NodeJS.ProcessEnv => ({
  X_LOCAL_OBSERVABILITY: "false",
  ...process.env,
  PATH: `${BIN}${delimiter}${process.env["PATH"] ?? ""}`,
});

export interface ToolRun {
  code: number;
  /** stdout and stderr together; empty unless captured. */
  output: string;
}

/** Runs a tool in the repository to its end. Must not reject: one that cannot be started has code 127. */
export function runTool(argv: readonly [string, ...string[]], { capture = false } = {}): Promise<ToolRun> {
  return new Promise((resolve) => {
    const [command, ...args] = argv;
    const stdio = capture ? "pipe" : "inherit";
    const child = spawn(command, args, { cwd: ROOT, env: toolEnv(), stdio: ["inherit", stdio, stdio] });
    let output = "";
    for (const stream of [child.stdout, child.stderr]) stream?.on("data", (chunk: Buffer) => (output += chunk));
    const pass = (signal: NodeJS.Signals): void => void child.kill(signal);
    process.on("SIGINT", pass).on("SIGTERM", pass);
    const end = (code: number): void => {
      process.off("SIGINT", pass).off("SIGTERM", pass);
      resolve({ code, output });
    };
    child.on("error", (error) => {
      output += error.message;
      end(127);
    });
    child.on("close", (code, signal) => end(code ?? signalCode(signal)));
  });
}

/** What a shell reports for a process ended by a signal. */
export const signalCode = (signal: NodeJS.Signals | null): number =>
  128 + (signal === null ? 0 : constants.signals[signal]);
