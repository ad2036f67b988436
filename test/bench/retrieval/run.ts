/**
 * `npm run bench:retrieval -- --data DIR [--json]`: how well and how fast the real Library finds, beside plain BM25.
 *
 * Exit code: 0 when measured, whatever it says; 1 when it could not be; 2 for a folder that is not of the form.
 */
import { startServer } from "../server.ts";
import { type Dataset, DatasetError, loadDataset } from "./dataset.ts";
import { measureQuality } from "./quality.ts";
import { measureScale } from "./scale.ts";

const [folder, flag] = process.argv.slice(2); // src/cli/bench-retrieval.ts checked them
process.exit(await main(folder!, flag === "--json"));

async function main(path: string, json: boolean): Promise<number> {
  let data: Dataset;
  try {
    data = loadDataset(path);
  } catch (error) {
    if (!(error instanceof DatasetError)) throw error;
    process.stderr.write(`bench:retrieval: ${error.message}\n`);
    return 2;
  }
  try {
    await measure(data, json);
    return 0;
  } catch (error) {
    process.stderr.write(`bench:retrieval: ${error instanceof Error ? error.message : String(error)}\n`);
    return 1;
  }
}

async function measure(data: Dataset, json: boolean): Promise<void> {
  const server = await startServer();
  const end = (): void => void server.stop().finally(() => process.exit(1));
  process.once("SIGINT", end).once("SIGTERM", end);
  try {
    const quality = await measureQuality(server, data);
    if (json) {
      process.stdout.write(`${JSON.stringify(quality)}\n`);
      return;
    }
    const { tools, seen, check } = data;
    process.stdout.write(
      `${tools.length} tools, ${seen.length} seen goals, ${check.length} to check; nDCG@10\n` +
        `plain BM25            ${quality.bm25.toFixed(4)}\n` +
        `cold                  ${quality.cold.toFixed(4)}\n` +
        `ten seen goals a tool ${quality.ten.toFixed(4)}\n` +
        `all seen goals        ${quality.all.toFixed(4)}\n\n`,
    );
    const scale = await measureScale(server);
    process.stdout.write(
      `10,000 capabilities, 3,000 learned goals\n` +
        `index                 ${(scale.indexMs / 1_000).toFixed(2)} s\n` +
        `learn one goal        ${scale.learnMs.toFixed(2)} ms\n` +
        `search p50            ${scale.searchP50Ms.toFixed(2)} ms\n` +
        `search p99            ${scale.searchP99Ms.toFixed(2)} ms\n` +
        `reindex, 2 % changed  ${(scale.reindexMs / 1_000).toFixed(2)} s\n`,
    );
  } finally {
    process.off("SIGINT", end).off("SIGTERM", end);
    await server.stop();
  }
}
