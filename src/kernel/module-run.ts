import { createHash } from "node:crypto";
import type { CellError } from "../contract/cell.ts";
import { GUEST } from "./guest.gen.ts";
import { type IsolatedRequest, cellError, locate, runIsolated } from "./kernel.ts";
import { type EmittedModule, INPUT } from "./module.ts";
import { toPlain } from "./plain.ts";

export interface ModuleRequest extends IsolatedRequest {
  module: EmittedModule;
  /** As `moduleId` gives it: names the isolate that stays warm. */
  id: string;
  /** Encoded. */
  input: string;
}

export type ModuleRun = { ok: true; output: unknown } | { ok: false; error: CellError };

/**
 * The isolate's name: by tenant (E1) and by all that runs in it (L1), harness included, for the platform serves what it has
 * under a name it knows.
 */
export const moduleId = (tenant: string, module: EmittedModule): string =>
  createHash("sha256")
    .update(JSON.stringify([tenant, module.module]))
    .update(GUEST)
    .digest("hex");

/** Runs a capability's function once: its output as plain data, or what went wrong with the place in its source. Writes nothing. */
export async function runModule(request: ModuleRequest): Promise<ModuleRun> {
  const { module, id, input } = request;
  const ran = await runIsolated({ module: module.module, id }, [[INPUT, input]], request);
  if (!ran.ok) return ran;
  const { error, done } = ran.outcome;
  if (error !== undefined) return { ok: false, error: locate(error, module.locate) };
  if (done === undefined) return { ok: false, error: cellError("lost", "The isolate gave no output.") };
  return { ok: true, output: toPlain(done) };
}
