/**
 * `npm run bench [-- --json] [--only a,c]`: ours and theirs side by side in one run of the real runtime.
 *
 * Exit code: 0 when every row was measured, whatever it says; 1 when one could not be; 2 for a wrong flag.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { cpus, loadavg } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { ROOT } from "../../src/cli/toolchain.ts";
import { table } from "./report.ts";
import type { Row } from "./row.ts";
import { ROWS } from "./rows.ts";
import { type BenchServer, startServer } from "./server.ts";
import { checkClock } from "./stopwatch.ts";

const flags = readFlags();
if ("problem" in flags) {
  process.stderr.write(`bench: ${flags.problem}\n`);
  process.exit(2);
}
process.exit(await main(flags.only, flags.json));

async function main(only: string[], json: boolean): Promise<number> {
  const rows: Row[] = [];
  const problems: string[] = [];
  for (const id of only) {
    process.stderr.write(`bench: measuring ${id}\n`);
    try {
      rows.push(...(await measureIn(ROWS[id]!)));
    } catch (error) {
      problems.push(`${id}: ${error instanceof Error ? error.message : String(error)}`);
    }
  }
  const result = { at: new Date().toISOString(), cpus: cpus().length, load: loadavg()[0], rows, problems };
  save(result);
  process.stdout.write(json ? `${JSON.stringify(result)}\n` : `${table(rows)}\n`);
  for (const problem of problems) process.stderr.write(`bench: could not measure ${problem}\n`);
  return problems.length === 0 ? 0 : 1;
}

/** In a runtime of its own: workerd keeps about 2 MB of every isolate it loaded, and slows down with them. */
async function measureIn(group: (server: BenchServer) => Promise<Row[]>): Promise<Row[]> {
  const server = await startServer();
  const end = (): void => void server.stop().finally(() => process.exit(1));
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    await checkClock(server);
    return await group(server);
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    await server.stop();
  }
}

function save(result: object): void {
  const folder = join(ROOT, "bench-results");
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, "latest.json"), `${JSON.stringify(result, null, 2)}\n`);
}

function readFlags(): { json: boolean; only: string[] } | { problem: string } {
  const known = Object.keys(ROWS);
  try {
    const { values } = parseArgs({ options: { json: { type: "boolean" }, only: { type: "string" } } });
    const only = values.only?.split(",") ?? known;
    const unknown = only.filter((id) => !known.includes(id));
    if (unknown.length > 0) return { problem: `no row "${unknown.join(", ")}". Rows: ${known.join(", ")}` };
    return { json: values.json ?? false, only };
  } catch (error) {
    return { problem: error instanceof Error ? error.message : String(error) };
  }
}
