import { readFileSync } from "node:fs";
import { join } from "node:path";
import { parseEnv } from "node:util";
import { probeHealth } from "./client.ts";
import { holdLifeline } from "./lifeline.ts";
import { newestChange } from "./sources.ts";
import { parseStartFlags } from "./start-flags.ts";
import { supervise } from "./supervisor.ts";
import { ROOT, toolEnv, wranglerCli } from "./toolchain.ts";

/** Taken from the shell when neither a flag nor .dev.vars says otherwise. */
const HANDED_ON = [
  "ANTHROPIC_API_KEY",
  "ANTHROPIC_BASE_URL",
  "PRAXIS_MODELS",
  "PRAXIS_ROOT_KEY",
  "PRAXIS_EGRESS",
  "PRAXIS_DISTIL",
];
const WATCHDOG_MS = 8_000; // a cell within its limits never blocks the thread for so long
const PROBE_EVERY_MS = 1_000;
const MENDING_MS = 10 * 60_000; // how long an edit that broke the build may take to be mended

const flags = parseStartFlags(process.argv.slice(2));
const devVars = loadDevVars(flags.env);
const handOn = HANDED_ON.filter(
  (name) => process.env[name] !== undefined && !flags.vars.has(name) && !devVars.has(name),
);
let { port } = flags;
const hasKey =
  flags.vars.has("PRAXIS_ROOT_KEY") || devVars.has("PRAXIS_ROOT_KEY") || Boolean(process.env["PRAXIS_ROOT_KEY"]);
if (!flags.isLoopback && !hasKey) {
  process.stderr.write("praxis: set PRAXIS_ROOT_KEY first: without a key the server listens on loopback only\n");
  process.exit(2);
}

const supervisor = supervise({
  launch: ({ hungAt }) => ({
    command: process.execPath,
    args: [
      "--no-warnings",
      "--import",
      new URL("wrangler-preload.ts", import.meta.url).href,
      wranglerCli(),
      "dev",
      ...flags.args,
      ...(hungAt === undefined ? [] : ["--var", `PRAXIS_HUNG_AT:${hungAt}`]),
    ],
    env: {
      ...toolEnv(),
      PRAXIS_HAND_ON: handOn.join(","),
      ...(process.stdout.isTTY && { FORCE_COLOR: "1" }), // it writes to us, we to the terminal
    },
    cwd: ROOT,
  }),
  probe: async () => {
    const timeoutMs = Math.max(watchdogMs(), PROBE_EVERY_MS);
    return (await probeHealth(`${flags.protocol}://${flags.host}:${port}`, timeoutMs)) === "praxis";
  },
  watchdogMs: watchdogMs(),
  probeEveryMs: PROBE_EVERY_MS,
  say: (line) => process.stderr.write(`praxis: ${line}\n`),
  // While a build is broken wrangler lets requests wait. Restarting would not mend it, and would end the server.
  isExcused: (heardAt) => {
    const changedAt = newestChange(ROOT);
    return changedAt > heardAt - PROBE_EVERY_MS && Date.now() - changedAt < MENDING_MS;
  },
  onMessage: (message) => {
    port = readyPort(message) ?? port;
  },
  readLine: (line) => {
    if (/ GET \/healthz 200 OK/.test(line)) return "hidden"; // our own probes
    // Its message comes when it listens, though the build may have failed; this line when it can answer.
    return /\bReady on http/.test(line) ? "ready" : "shown";
  },
});
process.on("SIGINT", supervisor.stop).on("SIGTERM", supervisor.stop);
holdLifeline(supervisor.stop);
process.exit(await supervisor.ended);

function watchdogMs(): number {
  const given = process.env["PRAXIS_WATCHDOG_MS"]?.trim();
  return given !== undefined && /^\d+$/.test(given) ? Number(given) : WATCHDOG_MS;
}

/** As wrangler does: the environment's own file, else the common one. */
function loadDevVars(env: string | undefined): ReadonlySet<string> {
  for (const name of [...(env === undefined ? [] : [`.dev.vars.${env}`]), ".dev.vars"])
    try {
      return new Set(Object.keys(parseEnv(readFileSync(join(ROOT, name), "utf8"))));
    } catch {
      // not there: the next one
    }
  return new Set();
}

/** wrangler tells the port it listens on; it chose it when the flag was `--port 0`. */
function readyPort(message: unknown): number | undefined {
  if (typeof message !== "string") return undefined;
  try {
    const said: unknown = JSON.parse(message);
    if (typeof said === "object" && said !== null && "port" in said && typeof said.port === "number") return said.port;
  } catch {
    // not one of its messages
  }
  return undefined;
}
