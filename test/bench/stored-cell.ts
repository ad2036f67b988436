import { DeskTarget } from "../../src/kernel/desk-target.ts";
import { CELL_LIMITS, type CellJob } from "../../src/kernel/job.ts";
import { Outcome } from "../../src/kernel/outcome.ts";
import type { CellCode, CellRunnerApi } from "../../src/kernel/runner.ts";
import { compiled } from "./program.ts";

const JOB: CellJob = { fuel: CELL_LIMITS.fuel, startedAt: 0, seed: "bench", variables: {}, limits: CELL_LIMITS };

/** Code that was compiled and stored before; its id stands for the content hash. */
export const storedCell = (): CellCode => ({ id: "bench-stored", module: compiled("6 * 7") });

export async function runStored(runner: CellRunnerApi, code: CellCode): Promise<void> {
  const desk = new DeskTarget({ call: async () => "", log: () => {} }, CELL_LIMITS, new Map());
  const outcome = Outcome.parse(await runner.run(code, JOB, desk));
  if (outcome.value !== "42") throw new Error(JSON.stringify(outcome));
}
