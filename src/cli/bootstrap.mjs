// Entry of every npm script. Plain JavaScript for Node 20, no dependency: a fresh clone has neither node_modules nor a
// newer Node. Installs when needed, then runs src/cli/<command>.ts with the Node that npm installed.
import { spawn } from "node:child_process";
import { readdirSync } from "node:fs";
import { constants } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { ensureInstalled } from "./install.mjs";

const COMMANDS = ["goal", "start", "check", "bench", "bench-retrieval", "size"];
const PARENT_POLL_MS = 500;
const here = dirname(fileURLToPath(import.meta.url));
const root = dirname(dirname(here));

const [command, ...args] = process.argv.slice(2);
const known = COMMANDS.filter((name) => readdirSync(here).includes(`${name}.ts`));
if (command === undefined || !known.includes(command)) {
  process.stderr.write(
    `praxis: ${command === undefined ? "no command" : `no command "${command}"`}. Commands: ${known.join(", ")}\n`,
  );
  process.exit(2);
}

const installed = await ensureInstalled(root);
if (!installed.ok) {
  process.stderr.write(`praxis: ${installed.problem}\n`);
  process.exit(installed.code);
}

const bin = join(root, "node_modules", ".bin");
const child = spawn(join(bin, "node"), [join(here, `${command}.ts`), ...args], {
  // The channel carries no messages: when this process is gone, however it ended, the child sees it close.
  stdio: ["inherit", "inherit", "inherit", "ipc"],
  env: { ...process.env, PATH: `${bin}${delimiter}${process.env.PATH ?? ""}` },
});
// npm may be killed by force, which it cannot pass on. Run by hand, outliving the shell is what the user wants.
const parent = process.ppid;
if (process.env.npm_lifecycle_event !== undefined)
  setInterval(() => process.ppid !== parent && child.kill("SIGTERM"), PARENT_POLL_MS);
for (const signal of ["SIGINT", "SIGTERM"]) process.on(signal, () => child.kill(signal));
child.on("error", (error) => {
  process.stderr.write(`praxis: cannot run Node 24 from node_modules: ${error.message}. Try: npm ci\n`);
  process.exit(1);
});
child.on("exit", (code, signal) => process.exit(code ?? 128 + constants.signals[signal ?? "SIGTERM"]));
