import { CELL_API } from "../../../src/contract/cell.ts";
import { analyseCell, emitCell } from "../../../src/kernel/compile.ts";
import type { CellAnalysis, EmittedCell, Load } from "../../../src/kernel/compile.ts";

export class OutOfFuel extends Error {}

export interface RunOptions {
  loads?: Load[];
  fuel?: number;
  /** What the cell API answers; each name not given is a function that answers its own name. */
  api?: Record<string, unknown>;
  /** Values of loaded variables that hold no function. */
  values?: Record<string, unknown>;
}

export interface Ran {
  value: unknown;
  error: unknown;
  /** What each name of the scope holds; names not assigned yet are left out. */
  scope: Record<string, unknown>;
  fuelLeft: number;
  cell: EmittedCell;
}

export const analysed = (source: string): CellAnalysis => {
  const result = analyseCell(source);
  if (!result.ok) throw new Error(`${result.error.kind}: ${result.error.message} at ${result.error.line}`);
  return result.value;
};

export const emitted = (source: string, loads: Load[] = []): EmittedCell => {
  const result = emitCell(analysed(source), loads);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

/** Runs a cell for real: its module is imported, its host is this object. */
export const runCell = async (source: string, options: RunOptions = {}): Promise<Ran> => {
  const cell = emitted(source, options.loads);
  // The name makes every module a new one: two runs of one text must not share state.
  const address = `data:text/javascript;base64,${Buffer.from(`${cell.module}//${modules++}`).toString("base64")}`;
  const { default: run }: { default: (host: unknown) => Promise<void> } = await import(/* @vite-ignore */ address);
  let names: Record<string, () => unknown> = {};
  let left = (): number => 0;
  const host = {
    fuel: options.fuel ?? 10_000_000,
    value: undefined as unknown, // set by the cell
    api: { ...Object.fromEntries(CELL_API.map((name) => [name, () => name])), ...options.api },
    stop(): never {
      throw new OutOfFuel("out of fuel");
    },
    load: (name: string, functions: (() => unknown)[]): unknown =>
      functions.length > 0 ? functions.map((make) => make())[0] : options.values?.[name],
    scope(getters: Record<string, () => unknown>, fuel: () => number): void {
      names = getters;
      left = fuel;
    },
  };
  const error = await run(host).then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  return { value: host.value, error, scope: readScope(names), fuelLeft: left(), cell };
};

let modules = 0;

const readScope = (names: Record<string, () => unknown>): Record<string, unknown> => {
  const scope: Record<string, unknown> = {};
  for (const [name, read] of Object.entries(names)) {
    try {
      scope[name] = read();
    } catch (error) {
      if (!(error instanceof ReferenceError)) throw error;
    }
  }
  return scope;
};
