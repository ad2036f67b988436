import { parseArgs } from "node:util";
import { DEFAULT_PORT } from "./flags.ts";

export interface StartFlags {
  /** For `wrangler dev`: what was given, and our defaults for what was not. */
  args: string[];
  /** Where to probe. */
  protocol: "http" | "https";
  host: string;
  port: number;
  /** Whether only this machine can reach it. */
  isLoopback: boolean;
  env?: string;
  /** Names that were given by `--var`. */
  vars: ReadonlySet<string>;
}

/** Pure. What it does not know is wrangler's to judge. */
export function parseStartFlags(argv: string[]): StartFlags {
  const { values } = parseArgs({
    args: argv,
    strict: false,
    options: {
      port: { type: "string" },
      ip: { type: "string" },
      env: { type: "string", short: "e" },
      "local-protocol": { type: "string" },
      "show-interactive-dev-session": { type: "boolean" },
    },
  });
  const text = (value: string | boolean | undefined): string | undefined =>
    typeof value === "string" ? value : undefined;
  const ip = text(values.ip) ?? "127.0.0.1";
  const env = text(values.env);
  const isGiven = (flag: string): boolean => argv.some((arg) => arg === flag || arg.startsWith(`${flag}=`));
  const args = [
    ...(isGiven("--ip") ? [] : ["--ip", ip]),
    ...(isGiven("--port") ? [] : ["--port", String(DEFAULT_PORT)]),
    // Its hotkeys put the terminal in raw mode, and a killed runtime would leave it there.
    ...(/--(no-)?show-interactive-dev-session/.test(argv.join(" ")) ? [] : ["--show-interactive-dev-session=false"]),
    ...argv,
  ];
  return {
    args,
    protocol: values["local-protocol"] === "https" ? "https" : "http",
    host: ["0.0.0.0", "*", "::"].includes(ip) ? "127.0.0.1" : ip.includes(":") ? `[${ip}]` : ip,
    port: Number(text(values.port) ?? DEFAULT_PORT),
    isLoopback: ip === "localhost" || ip === "::1" || ip.startsWith("127."),
    ...(env !== undefined && { env }),
    vars: new Set(argv.flatMap((arg) => /^(?:--var=)?([A-Za-z_]\w*):/.exec(arg)?.[1] ?? [])),
  };
}
