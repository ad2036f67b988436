import { WorkerEntrypoint } from "cloudflare:workers";
import { GUEST } from "./guest.gen.ts";
import type { CellJob, DeskApi } from "./job.ts";

const COMPATIBILITY_DATE = "2026-09-01";

export interface CellCode {
  module: string;
  /**
   * For stored code: its content hash within one tenant. Such code runs in an isolate that stays warm and is billed once a
   * day; a one-off cell has none and gets an isolate of its own.
   */
  id?: string;
}

/** How a cell is reached: the Coordinator holds a loopback stub of it. */
export interface CellRunnerApi {
  run(code: CellCode, job: CellJob, desk: DeskApi): Promise<unknown>;
}

/** The platform allows 4 Dynamic Workers in flight per request and 10 per object; what is beyond goes the longer way. */
const MAX_NEAR = 3;

/**
 * Runs a few cells at a time straight from the object, which saves a hop, and the others through `CellRunner`.
 */
export class NearRunner implements CellRunnerApi {
  readonly #loader: WorkerLoader;
  readonly #far: CellRunnerApi;
  #running = 0;

  constructor(loader: WorkerLoader, far: CellRunnerApi) {
    this.#loader = loader;
    this.#far = far;
  }

  async run(code: CellCode, job: CellJob, desk: DeskApi): Promise<unknown> {
    if (this.#running >= MAX_NEAR) return this.#far.run(code, job, desk);
    this.#running++;
    try {
      return await runIsolate(this.#loader, code, { job, desk });
    } finally {
      this.#running--;
    }
  }
}

/**
 * A stateless entrypoint, not a method of the Coordinator: the platform caps the Dynamic Workers in flight per Durable
 * Object, and a stateless caller has no such cap.
 */
export class CellRunner extends WorkerEntrypoint<{ LOADER: WorkerLoader }> implements CellRunnerApi {
  run(code: CellCode, job: CellJob, desk: DeskApi): Promise<unknown> {
    return runIsolate(this.env.LOADER, code, { job, desk });
  }
}

/** Runs code in an isolate that has no binding and no network (K3), only the desk it is handed with each run. */
async function runIsolate(
  loader: WorkerLoader,
  { module, id }: CellCode,
  { job, desk }: { job: CellJob; desk: DeskApi },
): Promise<unknown> {
  const code: WorkerLoaderWorkerCode = {
    compatibilityDate: COMPATIBILITY_DATE,
    compatibilityFlags: ["nodejs_als"], // what the harness tells concurrent runs apart with
    mainModule: "guest.js",
    modules: { "guest.js": GUEST, "cell.js": module },
    env: {},
    globalOutbound: null,
    limits: { cpuMs: 5_000, subRequests: job.limits.calls + 1_000 },
  };
  // load(), not get(), for a cell: it runs once.
  const worker = id === undefined ? loader.load(code) : loader.get(id, () => code);
  // The entrypoint is the guest's `run`; what it answers is checked by the caller, so `unknown` is its true type.
  const guest = worker.getEntrypoint() as unknown as {
    run(job: CellJob, desk: DeskApi): Promise<unknown>;
  } & Partial<Disposable>;
  try {
    return await guest.run(id === undefined ? job : { ...job, isShared: true }, desk);
  } finally {
    guest[Symbol.dispose]?.();
    // A cell's isolate serves once: the sooner it is let go, the sooner its memory can be.
    if (id === undefined) (worker as Partial<Disposable>)[Symbol.dispose]?.();
  }
}
