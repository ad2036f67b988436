import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { MAX_GZIP_KIB, parseUpload } from "./upload.ts";
import { runTool, wranglerCli } from "./toolchain.ts";

const TARGETS = [
  { name: "default", env: "" },
  { name: "production", env: "production" },
];

process.exit(await measureAll());

async function measureAll(): Promise<number> {
  let code = 0;
  for (const target of TARGETS) code = (await measure(target)) ? code : 1;
  return code;
}

/** Builds what a deploy would upload, with no account and no network. */
async function measure({ name, env }: (typeof TARGETS)[number]): Promise<boolean> {
  const out = mkdtempSync(join(tmpdir(), "praxis-size-"));
  const flags = ["--dry-run", "--minify", "--outdir", out, `--env=${env}`];
  const { code, output } = await runTool([process.execPath, "--no-warnings", wranglerCli(), "deploy", ...flags], {
    capture: true,
  });
  rmSync(out, { recursive: true, force: true });
  const upload = code === 0 ? parseUpload(output) : undefined;
  if (upload === undefined) {
    process.stderr.write(`${output}\n${name}: the build failed with code ${code}\n`);
    return false;
  }
  const fits = upload.gzipKiB <= MAX_GZIP_KIB;
  const share = ((100 * upload.gzipKiB) / MAX_GZIP_KIB).toFixed(1);
  const verdict = fits ? "ok" : "too large";
  process.stdout.write(
    `${name}: ${upload.rawKiB.toFixed(1)} KiB, gzip ${upload.gzipKiB.toFixed(1)} KiB of ${MAX_GZIP_KIB} KiB (${share} %): ${verdict}\n`,
  );
  return fits;
}
