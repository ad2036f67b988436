import type { CellHandle } from "./handle.ts";

/** Written by the compiler for each cell; beside the harness in the isolate, never in this folder. */
declare const cell: (handle: CellHandle) => Promise<void>;
export default cell;
