import { WorkerEntrypoint } from "cloudflare:workers";
import { GUEST } from "./guest.gen.ts";
import type { CellJob, DeskApi } from "./job.ts";

const COMPATIBILITY_DATE = "2026-09-01";

/** How a cell is reached: the Coordinator holds a loopback stub of it. */
export interface CellRunnerApi {
  run(module: string, job: CellJob, desk: DeskApi): Promise<unknown>;
}

/**
 * Runs one cell in an isolate of its own.
 *
 * A stateless entrypoint, not a method of the Coordinator: the platform caps the Dynamic Workers in flight per Durable
 * Object, and a stateless caller has no such cap. The isolate gets no binding and no network (K3), only the desk.
 */
export class CellRunner extends WorkerEntrypoint<{ LOADER: WorkerLoader }> implements CellRunnerApi {
  async run(module: string, job: CellJob, desk: DeskApi): Promise<unknown> {
    // load(), not get(): a cell runs once.
    const worker = this.env.LOADER.load({
      compatibilityDate: COMPATIBILITY_DATE,
      mainModule: "guest.js",
      modules: { "guest.js": GUEST, "cell.js": module },
      env: {},
      globalOutbound: null,
      limits: { cpuMs: 5_000, subRequests: job.limits.calls + 1_000 },
    });
    // The entrypoint is the guest's `run`; what it answers is checked by the caller, so `unknown` is its true type.
    const guest = worker.getEntrypoint() as unknown as {
      run(job: CellJob, desk: DeskApi): Promise<unknown>;
    } & Partial<Disposable>;
    try {
      return await guest.run(job, desk);
    } finally {
      guest[Symbol.dispose]?.();
    }
  }
}
