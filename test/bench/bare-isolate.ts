import bare from "./bare.guest.js";

const CODE: WorkerLoaderWorkerCode = {
  compatibilityDate: "2026-09-01",
  mainModule: "bare.js",
  modules: { "bare.js": bare },
  env: {},
  globalOutbound: null,
};

export const callFresh = (loader: WorkerLoader): Promise<void> => call(loader.load(CODE));
export const callWarm = (loader: WorkerLoader): Promise<void> => call(loader.get("bare", () => CODE));

async function call(worker: WorkerStub): Promise<void> {
  // bare.guest.js, which the loader knows only as text
  const guest = worker.getEntrypoint() as unknown as { run(): Promise<number> } & Partial<Disposable>;
  try {
    if ((await guest.run()) !== 1) throw new Error("the bare isolate answered something else");
  } finally {
    guest[Symbol.dispose]?.();
  }
}
