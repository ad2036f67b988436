import { mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { newestChange } from "../../../src/cli/sources.ts";

let root = "";
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "praxis-sources-"));
});
afterEach(() => rmSync(root, { recursive: true }));

const write = (path: string, seconds: number): void => {
  mkdirSync(join(root, path, ".."), { recursive: true });
  writeFileSync(join(root, path), "");
  utimesSync(join(root, path), seconds, seconds);
};

describe("the newest change of the sources", () => {
  it("is found at any depth, and not in what builds write or in other folders", () => {
    write("src/a/b/c.ts", 4_000_000_300);
    write("durable-objects/d.ts", 4_000_000_100);
    write("src/kernel/guest.gen.ts", 4_000_000_900);
    write("test/t.ts", 4_000_000_900);
    utimesSync(join(root, "src/kernel"), 4_000_000_900, 4_000_000_900);
    expect(newestChange(root)).toBe(4_000_000_300_000);
  });

  it("is 0 where there are none", () => {
    expect(newestChange(root)).toBe(0);
  });
});
