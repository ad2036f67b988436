import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { parseArgs } from "node:util";
import { holdLifeline } from "./lifeline.ts";
import { ROOT, runTool } from "./toolchain.ts";
import { reasonOf } from "./usage.ts";

const HELP = `npm run bench:retrieval -- --data DIR [--json]

  --data DIR   a folder with tools.json ([{name, description}]), seen.jsonl and check.jsonl ({query, tool} a line)
  --json       print {"bm25":…,"cold":…,"ten":…,"all":…} and nothing else
`;
const bench = join(ROOT, "test", "bench", "retrieval", "run.ts");

holdLifeline(() => process.exit(1));
const flags = readFlags();
if ("problem" in flags) {
  process.stderr.write(`bench:retrieval: ${flags.problem}\n\n${HELP}`);
  process.exit(2);
}
if (!existsSync(bench)) {
  process.stderr.write("bench:retrieval: there are no benches here (test/bench/retrieval/run.ts)\n");
  process.exit(1);
}
const argv = [flags.data, ...(flags.json ? ["--json"] : [])];
process.exit((await runTool([process.execPath, "--no-warnings", bench, ...argv])).code);

/** The folder is looked up from where the user was, not from where npm went. */
function readFlags(): { data: string; json: boolean } | { problem: string } {
  try {
    const { values } = parseArgs({ options: { data: { type: "string" }, json: { type: "boolean" } } });
    if (values.data === undefined || values.data === "") return { problem: "--data DIR is missing" };
    return { data: resolve(process.env["INIT_CWD"] ?? process.cwd(), values.data), json: values.json ?? false };
  } catch (error) {
    return { problem: reasonOf(error) };
  }
}
