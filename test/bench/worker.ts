import type { Library } from "../../durable-objects/library.ts";
import type { BenchCodemode } from "./codemode-object.ts";
import type { BenchKernel } from "./kernel-object.ts";
import { type LibraryTask, performLibrary } from "./retrieval/library-task.ts";
import type { Task } from "./task.ts";

export { CodemodeRuntime } from "@cloudflare/codemode";
export { Library } from "../../durable-objects/library.ts";
export { CellRunner } from "../../src/kernel/runner.ts";
export { BenchCodemode } from "./codemode-object.ts";
export { BenchKernel } from "./kernel-object.ts";

export interface BenchEnv {
  KERNEL: DurableObjectNamespace<BenchKernel>;
  CODEMODE: DurableObjectNamespace<BenchCodemode>;
  LIBRARY: DurableObjectNamespace<Library>;
  BUCKET: R2Bucket;
  LOADER: WorkerLoader;
}

export default {
  async fetch(request, env) {
    const task = await request.json<Task>();
    try {
      if (isLibraryTask(task)) return Response.json(await performLibrary(task, env.LIBRARY.getByName(task.library)));
      await perform(task, env);
      return new Response(null, { status: 204 });
    } catch (error) {
      return new Response(error instanceof Error ? (error.stack ?? error.message) : String(error), { status: 500 });
    }
  },
} satisfies ExportedHandler<BenchEnv>;

/** Every task goes through an object, so that the way there is the same and falls out of the difference. */
function perform(task: Exclude<Task, LibraryTask>, env: BenchEnv): Promise<void> {
  if (task.do === "codemode") return env.CODEMODE.getByName("calls").execute(task.code, task.count);
  return env.KERNEL.getByName("object" in task ? task.object : "calls").perform(task);
}

const isLibraryTask = (task: Task): task is LibraryTask => "library" in task;
