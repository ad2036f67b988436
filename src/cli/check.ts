import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { holdLifeline } from "./lifeline.ts";
import { addTallies, NO_TESTS, parseTally, type Tally } from "./tally.ts";
import { bin, runTool } from "./toolchain.ts";

interface Step {
  name: string;
  argv: [string, ...string[]];
  /** A vitest project: its tests are counted. */
  isTests?: true;
}

const scratch = mkdtempSync(join(tmpdir(), "praxis-check-"));
process.on("exit", () => rmSync(scratch, { recursive: true, force: true }));
const reportOf = (project: string): string => join(scratch, `${project}.json`);

const tests = (project: string): Step => ({
  name: project,
  argv: [
    bin("vitest"),
    "run",
    `--project=${project}`,
    "--reporter=default",
    "--reporter=json",
    `--outputFile.json=${reportOf(project)}`,
  ],
  isTests: true,
});

const STEPS: Step[] = [
  { name: "guest", argv: [process.execPath, "src/kernel/guest/build.mjs"] },
  { name: "lint", argv: [bin("oxlint"), "--deny-warnings"] },
  { name: "format", argv: [bin("oxfmt"), "--check"] },
  { name: "types", argv: [bin("tsc"), "--noEmit"] },
  tests("unit"),
  tests("workers"),
  tests("e2e"),
];

holdLifeline(() => process.exit(1));
process.exit(await check(process.argv.slice(2)));

async function check(names: string[]): Promise<number> {
  const unknown = names.filter((name) => !STEPS.some((step) => step.name === name));
  if (unknown.length > 0) {
    process.stderr.write(`no step "${unknown.join('", "')}". Steps: ${STEPS.map((step) => step.name).join(", ")}\n`);
    return 2;
  }
  let total: Tally | undefined;
  let code = 0;
  for (const step of STEPS.filter(({ name }) => names.length === 0 || names.includes(name))) {
    const { code: stepCode, tally } = await runStep(step);
    if (tally) total = addTallies(total ?? NO_TESTS, tally);
    code = stepCode;
    if (code !== 0) break;
  }
  if (total) process.stdout.write(`\n${total.passed} passed, ${total.failed} failed\n`);
  return code;
}

async function runStep(step: Step): Promise<{ code: number; tally?: Tally }> {
  process.stdout.write(`\n── ${step.name}\n`);
  const start = performance.now();
  const { code } = await runTool(step.argv);
  const tally = step.isTests ? loadTally(step.name) : undefined;
  // A project that runs nothing proves nothing.
  const isEmpty = tally !== undefined && tally.passed + tally.failed === 0;
  const finalCode = code === 0 && (isEmpty || (tally?.failed ?? 0) > 0) ? 1 : code;
  const verdict = finalCode === 0 ? "ok" : isEmpty ? "failed: no test ran" : `failed with code ${finalCode}`;
  process.stdout.write(`── ${step.name}: ${verdict}, ${((performance.now() - start) / 1000).toFixed(1)} s\n`);
  return { code: finalCode, ...(tally && { tally }) };
}

/** vitest writes no report when it cannot start. */
function loadTally(project: string): Tally {
  try {
    return parseTally(readFileSync(reportOf(project), "utf8"));
  } catch {
    return NO_TESTS;
  }
}
