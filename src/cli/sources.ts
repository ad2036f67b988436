import { readdirSync, statSync } from "node:fs";
import { join } from "node:path";

const FOLDERS = ["src", "durable-objects", "tool-bindings"];
const GENERATED = ".gen.ts"; // written by builds, not by people

/** When a person last changed the Worker's sources below `root`: epoch milliseconds, 0 when there are none. */
export function newestChange(root: string): number {
  const files = FOLDERS.flatMap((folder) => listFiles(join(root, folder)));
  const times = [...files, join(root, "wrangler.toml")]
    .filter((file) => !file.endsWith(GENERATED))
    .map((file) => statSync(file, { throwIfNoEntry: false }))
    .map((stat) => (stat?.isFile() === true ? stat.mtimeMs : 0)); // a folder's time changes with what builds write
  return Math.max(0, ...times);
}

function listFiles(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: "utf8" }).map((path) => join(folder, path));
  } catch {
    return [];
  }
}
