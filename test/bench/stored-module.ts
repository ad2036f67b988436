import { encode } from "../../src/kernel/codec.ts";
import { emitModule, type EmittedModule } from "../../src/kernel/module.ts";
import { moduleId, runModule } from "../../src/kernel/module-run.ts";
import type { CellRunnerApi } from "../../src/kernel/runner.ts";

export interface StoredModule {
  module: EmittedModule;
  id: string;
}

/** A capability's module that was compiled before. */
export function storedModule(): StoredModule {
  const module = emitModule("export default (input: number) => 6 * input;");
  if (!module.ok) throw new Error(module.error.message);
  return { module: module.value, id: moduleId("bench", module.value) };
}

export async function runStored(runner: CellRunnerApi, stored: StoredModule): Promise<void> {
  const backend = { call: async () => "", log: () => {} };
  const ran = await runModule({ ...stored, input: encode(7).data, startedAt: 0, seed: "bench", backend, runner });
  if (!ran.ok || ran.output !== 42) throw new Error(JSON.stringify(ran));
}
