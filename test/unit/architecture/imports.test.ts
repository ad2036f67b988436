import { readdirSync, readFileSync, statSync } from "node:fs";
import { dirname, join, relative, resolve } from "node:path";
import { describe, expect, it } from "vitest";

const ROOT = resolve(import.meta.dirname, "../../..");
const PRODUCT = ["src", "durable-objects", "tool-bindings"];

/** Who may import whom, by folder. A folder may always import itself. */
const MAY_IMPORT: Record<string, string[]> = {
  "src/contract": [],
  "src/model": ["src/contract"],
  "src/kernel": ["src/contract"],
  "src/orchestration": ["src/contract"],
  "src/capabilities": ["src/contract"],
  "src/http": ["src/contract"],
  "src/cli": ["src/contract"],
  "src/console": ["src/contract"],
  "tool-bindings": ["src/contract", "src/model", "src/kernel", "src/orchestration", "src/capabilities"],
  "durable-objects": [
    "src/contract",
    "src/model",
    "src/kernel",
    "src/orchestration",
    "src/capabilities",
    "tool-bindings",
  ],
  // The composition root.
  "src/index.ts": ["src/http", "src/model", "src/kernel", "src/orchestration", "tool-bindings", "durable-objects"],
};

const filesIn = (folder: string): string[] =>
  readdirSync(folder).flatMap((name) => {
    const path = join(folder, name);
    if (statSync(path).isDirectory()) return filesIn(path);
    return /(?<!\.gen)\.ts$/.test(name) ? [path] : [];
  });
const files = PRODUCT.flatMap((folder) => filesIn(join(ROOT, folder)));
const IMPORT = /^\s*(?:(?:import|export)\b[^;"]*from\s*|import\s*)"([^"]+)"/gm;
const importsOf = (file: string): string[] =>
  [...readFileSync(file, "utf8").matchAll(IMPORT)].map((match) => match[1]!);
const areaOf = (path: string): string =>
  Object.keys(MAY_IMPORT).find((area) => path === area || path.startsWith(`${area}/`)) ?? path;

describe("the direction of imports", () => {
  it("knows every file's place", () => {
    expect(files.length).toBeGreaterThan(40);
    expect(files.map((file) => areaOf(relative(ROOT, file))).filter((area) => !(area in MAY_IMPORT))).toEqual([]);
  });

  it("is kept by every file", () => {
    const wrong = files.flatMap((file) => {
      const from = areaOf(relative(ROOT, file));
      return importsOf(file)
        .filter((specifier) => specifier.startsWith("."))
        .map((specifier) => areaOf(relative(ROOT, resolve(dirname(file), specifier))))
        .filter((to) => to !== from && !MAY_IMPORT[from]!.includes(to))
        .map((to) => `${relative(ROOT, file)} imports ${to}`);
    });
    expect(wrong).toEqual([]);
  });

  it("lets the contract import zod only, and keeps the platform out of the pure core", () => {
    const outside = (area: string): string[] => [
      ...new Set(
        files
          .filter((file) => relative(ROOT, file).startsWith(area))
          .flatMap(importsOf)
          .filter((name) => !name.startsWith(".")),
      ),
    ];
    expect(outside("src/contract/")).toEqual(["zod"]);
    expect(outside("src/orchestration/").filter((name) => name.startsWith("cloudflare:") || name === "agents")).toEqual(
      [],
    );
  });
});
