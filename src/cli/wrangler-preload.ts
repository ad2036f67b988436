/**
 * Loaded by Node before wrangler (`--import`), in wrangler's own process.
 *
 * - Hands variables of the shell on as `--var`. Here and not on the command line: every user of a machine can read
 *   the command lines of all processes, but only the owner their environment. wrangler shows them as "(hidden)".
 * - Ends the process group when the supervisor is gone, even by SIGKILL, so that no runtime is left behind.
 */
import { Socket } from "node:net";
import { isMainThread } from "node:worker_threads";
import { LIFELINE_FD } from "./supervisor.ts";

const names = process.env["PRAXIS_HAND_ON"]?.split(",").filter(Boolean) ?? [];
if (isMainThread && process.argv[2] === "dev") {
  for (const name of names) process.argv.push("--var", `${name}:${process.env[name] ?? ""}`);
  const lifeline = new Socket({ fd: LIFELINE_FD, readable: true, writable: false });
  lifeline.on("error", () => {});
  lifeline.on("close", () => process.kill(-process.pid, "SIGKILL"));
  lifeline.resume();
  lifeline.unref();
}
