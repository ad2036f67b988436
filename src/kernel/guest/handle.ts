/** What the compiled cell is handed. `emitCell` writes code against it. */
export interface CellHandle {
  fuel: number;
  stop: () => never;
  api: Record<string, unknown>;
  load(name: string, functions: (() => unknown)[], classes: Record<string, () => unknown>): unknown;
  /** A getter that throws says that its variable is not assigned yet. */
  scope(getters: Record<string, () => unknown>, fuelLeft: () => number, drain?: () => void): void;
  value?: unknown;
}
