// A process of its own, so that wrangler's work is not on the thread that reads the clock. Ends with the one that
// started it, however that ended: the channel between them closes. The storage goes with it.
import { rmSync } from "node:fs";
import { join } from "node:path";
import { unstable_startWorker as startWorker } from "wrangler";

const storage = process.argv[2]!; // server.ts starts this with a folder of its own
const worker = await startWorker({
  config: join(import.meta.dirname, "wrangler.toml"),
  // Not watched: a file saved meanwhile would restart the runtime between two samples.
  dev: { watch: false, persist: storage, server: { port: 0 }, inspector: false, logLevel: "warn" },
});
process.once("disconnect", () => void worker.dispose().finally(end));
process.send?.({ url: (await worker.url).href });

function end(): void {
  rmSync(storage, { recursive: true, force: true });
  process.exit();
}
