// One installer at a time. The lock is the directory .wrangler/install.lock, which holds the owner's pid; it lies
// outside node_modules because npm ci deletes those. It appears whole (a rename), so it never lacks the pid. The owner
// renews it; one whose owner is dead, or was silent for STALE_MS, is taken over.
import { mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

const RENEW_MS = 2_000;
const STALE_MS = 30_000; // 15 renewals: a pid that lives but belongs to another process, or to another container
const POLL_MS = 100;
const PATIENCE_MS = 15 * 60_000; // a slow network's npm ci, and then some

/** Runs `work` while no other process of this checkout does. Answers what `work` answers. */
export async function withInstallLock(root, work) {
  const lock = join(root, ".wrangler", "install.lock");
  const until = Date.now() + PATIENCE_MS;
  while (!take(lock)) {
    if (Date.now() > until)
      return { ok: false, problem: `another install does not end; remove ${lock} if there is none`, code: 1 };
    await sleep(POLL_MS);
  }
  const isOurs = () => ownerOf(lock) === process.pid; // it is not once we were silent for too long
  const renewal = setInterval(() => isOurs() && utimesSync(join(lock, "pid"), new Date(), new Date()), RENEW_MS);
  const release = () => isOurs() && rmSync(lock, { recursive: true, force: true });
  process.once("exit", release);
  try {
    return await work();
  } finally {
    clearInterval(renewal);
    process.off("exit", release);
    release();
  }
}

function take(lock) {
  const mine = `${lock}.${process.pid}`;
  mkdirSync(mine, { recursive: true });
  writeFileSync(join(mine, "pid"), String(process.pid));
  try {
    renameSync(mine, lock); // fails when the lock is held: it is not empty
    return true;
  } catch {
    rmSync(mine, { recursive: true, force: true });
    return takeOver(lock);
  }
}

/** Of those who find the same dead owner, the one that makes `after-<pid>` becomes the next. */
function takeOver(lock) {
  const owner = staleOwner(lock);
  if (owner === undefined) return false;
  const claim = join(lock, `after-${owner}`);
  try {
    mkdirSync(claim);
  } catch {
    return false;
  }
  try {
    // The lock may be a new one by now, with a living owner.
    if (staleOwner(lock) !== owner) return false;
    writeFileSync(join(lock, "next"), String(process.pid));
    renameSync(join(lock, "next"), join(lock, "pid"));
    return true;
  } finally {
    rmSync(claim, { recursive: true, force: true });
  }
}

function staleOwner(lock) {
  const pid = ownerOf(lock);
  if (pid === undefined) return undefined;
  const silentMs = Date.now() - (statSync(join(lock, "pid"), { throwIfNoEntry: false })?.mtimeMs ?? Date.now());
  return isAlive(pid) && silentMs < STALE_MS ? undefined : pid;
}

function ownerOf(lock) {
  try {
    return Number(readFileSync(join(lock, "pid"), "utf8"));
  } catch {
    return undefined; // released in this moment
  }
}

function isAlive(pid) {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    return error.code === "EPERM";
  }
}
