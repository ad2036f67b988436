import { existsSync } from "node:fs";
import { join } from "node:path";
import { holdLifeline } from "./lifeline.ts";
import { ROOT, runTool } from "./toolchain.ts";

const benches = join(ROOT, "test", "bench", "run.ts");
holdLifeline(() => process.exit(1));
if (!existsSync(benches)) {
  process.stderr.write("praxis: there are no benches here (test/bench/run.ts)\n");
  process.exit(1);
}
process.exit((await runTool([process.execPath, benches, ...process.argv.slice(2)])).code);
