import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { applyPatch } from "diff";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { patchBetween, type VersionPatch } from "../../../src/capabilities/patch.ts";

const between = (before: string, after: string): VersionPatch =>
  patchBetween({ name: "sum-orders", version: 1, text: before }, { name: "sum-orders", version: 2, text: after });

const folder = mkdtempSync(join(tmpdir(), "patch-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("the patch between two versions", () => {
  it("is a unified diff with the names of both", () => {
    expect(between("a\nb\nc\n", "a\nB\nc\nd\n")).toEqual({
      patch: "--- a/sum-orders/v1.ts\n+++ b/sum-orders/v2.ts\n@@ -1,3 +1,4 @@\n a\n-b\n+B\n c\n+d\n",
      added: 2,
      removed: 1,
    });
  });

  it("is empty for the same text", () => {
    expect(between("a\n", "a\n")).toEqual({ patch: "", added: 0, removed: 0 });
  });

  it("tells about the end of the file", () => {
    expect(between("a", "a\n")).toMatchObject({ added: 1, removed: 1 });
    expect(between("a", "a\n").patch).toContain("\\ No newline at end of file");
  });

  it("is one that git applies, also when everything was rewritten", () => {
    const before = Array.from({ length: 3_000 }, (_, i) => `old ${i}\n`).join("");
    const after = `${Array.from({ length: 2_500 }, (_, i) => `new ${i}\n`).join("")}end`;
    const { patch, added, removed } = between(before, after);
    expect({ added, removed }).toEqual({ added: 2_501, removed: 3_000 });
    writeFileSync(join(folder, "file"), before);
    writeFileSync(join(folder, "file.patch"), patch.replaceAll(/(?<=^(?:---|\+\+\+) [ab]\/).*$/gm, "file"));
    execFileSync("git", ["apply", "file.patch"], { cwd: folder });
    expect(readFileSync(join(folder, "file"), "utf8")).toBe(after);
  });

  it("leads from the one to the other, whatever they are", () => {
    const text = fc
      .array(fc.constantFrom("a\n", "b\n", "--- c\n", "+++ d\n", "@@\n", "é\r\n", "\n", "x"), { maxLength: 30 })
      .map((lines) => lines.join(""));
    fc.assert(
      fc.property(text, text, (before, after) => {
        fc.pre(before !== after);
        expect(applyPatch(before, between(before, after).patch, { autoConvertLineEndings: false })).toBe(after);
      }),
      { numRuns: 500, seed: 6 },
    );
  });
});
