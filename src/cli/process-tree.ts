import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";

const POLL_MS = 20;
const GONE_WITHIN_MS = 5_000; // SIGKILL works at once unless the kernel is stuck on a device

interface ProcessRow {
  pid: number;
  parent: number;
  group: number;
  state: string;
}

/** Every process below `pid`, nearest first. Empty when the system does not tell. */
export function descendants(pid: number): number[] {
  const rows = listProcesses();
  const found = [pid];
  // The list grows while it is walked: each process adds its children.
  for (const parent of found) for (const row of rows) if (row.parent === parent) found.push(row.pid);
  return found.slice(1);
}

/** False for a process that ended and was not collected by its parent yet. */
export function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
  } catch (error) {
    return error instanceof Error && "code" in error && error.code === "EPERM";
  }
  return readRow(pid)?.state !== "Z";
}

/**
 * Ends a group leader that this process spawned `detached`, its group, and `known` descendants, which may have left
 * the group. Resolves when all are gone. May be called for one that has ended: then it ends what it left behind.
 */
export async function killTree(leader: number, known: readonly number[] = []): Promise<void> {
  const pids = [...new Set([leader, ...known, ...descendants(leader)])];
  send(-leader);
  for (const pid of pids) if (isAlive(pid)) send(pid);
  const until = performance.now() + GONE_WITHIN_MS;
  while ((pids.some(isAlive) || groupLives(leader)) && performance.now() < until) await sleep(POLL_MS);
}

function send(pid: number): void {
  try {
    process.kill(pid, "SIGKILL");
  } catch {
    // gone already
  }
}

const groupLives = (group: number): boolean => listProcesses().some((row) => row.group === group && row.state !== "Z");

function listProcesses(): ProcessRow[] {
  try {
    const pids = readdirSync("/proc").map(Number).filter(Number.isInteger);
    if (pids.length > 0) return pids.flatMap((pid) => readRow(pid) ?? []);
  } catch {
    // no /proc here: macOS
  }
  try {
    const table = execFileSync("ps", ["-A", "-o", "pid=,ppid=,pgid=,state="], { encoding: "utf8" });
    return table.trim().split("\n").map(parsePsLine);
  } catch {
    return [];
  }
}

function parsePsLine(line: string): ProcessRow {
  const [pid, parent, group, state = ""] = line.trim().split(/\s+/);
  return { pid: Number(pid), parent: Number(parent), group: Number(group), state: state.charAt(0) };
}

/** From /proc, where there is one. */
function readRow(pid: number): ProcessRow | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "utf8");
    // After the command's name, which may hold spaces and brackets: state, parent, group.
    const [state = "", parent, group] = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    return { pid, parent: Number(parent), group: Number(group), state };
  } catch {
    return undefined;
  }
}
