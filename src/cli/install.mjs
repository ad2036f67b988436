// Installs the dependencies of the lock file, once, however many commands start at the same time.
import { spawn } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { withInstallLock } from "./install-lock.mjs";

const STAMP = ".praxis-install"; // in node_modules: gone when they are

/** Answers `{ ok: true }`, or `{ ok: false, problem, code }` when the dependencies could not be installed. */
export async function ensureInstalled(root) {
  if (isCurrent(root)) return { ok: true };
  return withInstallLock(root, async () => {
    if (isCurrent(root)) return { ok: true }; // the one we waited for has done it
    process.stderr.write("praxis: installing dependencies (npm ci)\n");
    const code = await npmCi(root);
    if (code !== 0) return { ok: false, problem: `npm ci failed with code ${code}; nothing was started`, code: 1 };
    writeStamp(root);
    return { ok: true };
  });
}

function isCurrent(root) {
  const modules = join(root, "node_modules");
  if (!existsSync(join(modules, ".package-lock.json"))) return false;
  const stamp = join(modules, STAMP);
  if (existsSync(stamp)) return readFileSync(stamp, "utf8") === lockHash(root);
  // Installed by hand: taken as it is when it holds what the lock file asks for.
  if (!holdsLocked(root)) return false;
  writeStamp(root);
  return true;
}

function holdsLocked(root) {
  const packagesOf = (path) => JSON.parse(readFileSync(path, "utf8")).packages ?? {};
  try {
    const wanted = packagesOf(join(root, "package-lock.json"));
    const found = packagesOf(join(root, "node_modules", ".package-lock.json"));
    return Object.entries(wanted).every(
      ([path, entry]) =>
        !path.startsWith("node_modules/") ||
        (found[path] === undefined
          ? entry.optional === true || entry.devOptional === true || entry.peer === true
          : found[path].version === entry.version && found[path].integrity === entry.integrity),
    );
  } catch {
    return false;
  }
}

const lockHash = (root) =>
  createHash("sha256")
    .update(readFileSync(join(root, "package-lock.json")))
    .digest("hex");

const writeStamp = (root) => writeFileSync(join(root, "node_modules", STAMP), lockHash(root));

function npmCi(root) {
  return new Promise((resolve) => {
    const npm = spawn("npm", ["ci", "--no-audit", "--no-fund", "--loglevel=error"], {
      cwd: root,
      // npm's own words go to stderr: stdout belongs to the command's result.
      stdio: ["ignore", 2, 2],
      shell: process.platform === "win32",
    });
    const pass = (signal) => npm.kill(signal);
    process.on("SIGINT", pass).on("SIGTERM", pass);
    const end = (code) => {
      process.off("SIGINT", pass).off("SIGTERM", pass);
      resolve(code);
    };
    npm.on("error", () => end(127));
    npm.on("exit", (code) => end(code ?? 1));
  });
}
