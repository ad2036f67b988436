import { emitModule, type EmittedModule } from "../../../src/kernel/module.ts";

export const emitted = (source: string): EmittedModule => {
  const result = emitModule(source);
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message} at ${result.error.line}`);
  return result.value;
};

export interface ModuleRun {
  outputs: unknown[];
  error: unknown;
  /** Names the run would send back. */
  kept: string[];
}

let modules = 0;

/** Runs a module for real: what was emitted is imported, its host is here. */
export async function runModule(source: string, input: unknown, api: Record<string, unknown> = {}): Promise<ModuleRun> {
  const { module } = emitted(source);
  const address = `data:text/javascript;base64,${Buffer.from(`${module}//${modules++}`).toString("base64")}`;
  const { default: run }: { default: (host: unknown) => Promise<void> } = await import(/* @vite-ignore */ address);
  const ran: ModuleRun = { outputs: [], error: undefined, kept: [] };
  const host = {
    fuel: 1_000_000,
    value: undefined as unknown, // set by the module
    api: { ...api, done: (value: unknown) => void ran.outputs.push(value) },
    stop(): never {
      throw new Error("out of fuel");
    },
    load: (name: string): unknown => (name === "input" ? input : undefined),
    scope: (names: Record<string, unknown>): void => void ran.kept.push(...Object.keys(names)),
  };
  await run(host).catch((error: unknown) => (ran.error = error));
  return ran;
}
