import { execFileSync } from "node:child_process";
import { mkdtempSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { gunzipSync, gzipSync } from "node:zlib";
import { afterAll, describe, expect, it } from "vitest";
import { ARCHIVE_LIMITS, type ArchiveFile, packArchive, unpackArchive } from "../../../src/capabilities/archive.ts";
import { writeTar } from "../../../src/capabilities/tar.ts";

const FILES: ArchiveFile[] = [
  { name: "sum-orders", version: 1, text: "/* a */\nexport default () => 1;\n" },
  { name: "sum-orders", version: 12, text: "\ufeff// größer 😀\r\n" },
  { name: "empty", version: 1, text: "" },
  { name: "block", version: 1, text: "x".repeat(512) },
];

const packed = async (files: ArchiveFile[]): Promise<Uint8Array> => {
  const result = await packArchive(files);
  if (!result.ok) throw new Error(JSON.stringify(result.failure));
  return result.value;
};
const problemOf = async (bytes: Uint8Array): Promise<string> => {
  const result = await unpackArchive(bytes);
  if (result.ok) throw new Error(`unpacked ${result.value.length}`);
  return result.failure.kind === "bad-input" ? result.failure.problem : result.failure.kind;
};
/** A tar with one entry whose header is changed, its checksum made right again. */
const tampered = (change: (header: Buffer) => void, path = "a/v1.ts"): Uint8Array => {
  const tar = Buffer.from(writeTar([{ path, data: Buffer.from("text") }]));
  const header = tar.subarray(0, 512);
  change(header);
  header.write("        ", 148, "latin1");
  const sum = header.reduce((total: number, byte: number) => total + byte, 0);
  header.write(`${sum.toString(8).padStart(6, "0")}\0 `, 148, "latin1");
  return gzipSync(tar);
};

const folder = mkdtempSync(join(tmpdir(), "archive-"));
afterAll(() => rmSync(folder, { recursive: true }));

describe("an archive", () => {
  it("gives back its files, to the byte", async () => {
    expect(await unpackArchive(await packed(FILES))).toEqual({ ok: true, value: FILES });
    expect(await unpackArchive(await packed([]))).toEqual({ ok: true, value: [] });
  });

  it("is the same tar for the same files", async () => {
    expect(gunzipSync(await packed(FILES)).equals(gunzipSync(await packed(FILES)))).toBe(true);
  });

  it("is one that tar unpacks", async () => {
    writeFileSync(join(folder, "a.tgz"), await packed(FILES));
    mkdirSync(join(folder, "out"));
    execFileSync("tar", ["xzf", join(folder, "a.tgz"), "-C", join(folder, "out")]);
    for (const { name, version, text } of FILES)
      expect(readFileSync(join(folder, "out", name, `v${version}.ts`), "utf8")).toBe(text);
  });

  it("may be one that tar packed, folders included", async () => {
    mkdirSync(join(folder, "in", "sum-orders"), { recursive: true });
    writeFileSync(join(folder, "in", "sum-orders", "v2.ts"), "text\n");
    const bytes = execFileSync("tar", ["czf", "-", "--format=ustar", "-C", join(folder, "in"), "sum-orders"]);
    expect(await unpackArchive(bytes)).toEqual({
      ok: true,
      value: [{ name: "sum-orders", version: 2, text: "text\n" }],
    });
  });

  it("with a link in it, made by tar, is refused", async () => {
    mkdirSync(join(folder, "links", "a"), { recursive: true });
    symlinkSync("/etc/passwd", join(folder, "links", "a", "v1.ts"));
    const bytes = execFileSync("tar", ["czf", "-", "--format=ustar", "-C", join(folder, "links"), "a/v1.ts"]);
    expect(await problemOf(bytes)).toBe('holds "a/v1.ts", which is a link');
  });

  it.each([
    "../a/v1.ts",
    "/a/v1.ts",
    "a/../b/v1.ts",
    "./a/v1.ts",
    "a//v1.ts",
    "a\\v1.ts",
    "C:/a/v1.ts",
    "A/v1.ts",
    "con/v1.ts",
    "a/v0.ts",
    "a/v01.ts",
    "a/v1.js",
    "a/b/v1.ts",
    "a/v1.ts\n",
    "v1.ts",
    "__proto__/v1.ts",
    "a-/v1.ts",
  ])("with the path %j is refused", async (path) => {
    const bytes = gzipSync(writeTar([{ path, data: Buffer.from("x") }]));
    expect(await problemOf(bytes)).toContain("its files are <capability>/v<number>.ts");
  });

  it.each<[string, (header: Buffer) => void, string]>([
    ["a hard link", (h) => h.write("1", 156), "which is a link"],
    ["a symbolic link", (h) => h.write("2", 156), "which is a link"],
    ["a device", (h) => h.write("3", 156), "which is a device"],
    ["a long name", (h) => h.write("L", 156), "which is a long name"],
    ["an extended header", (h) => h.write("x", 156), "which is an extended header"],
    ["a type nobody knows", (h) => h.write("?", 156), "which is no plain file"],
    ["a path in the prefix", (h) => h.write("..", 345), "its files are"],
    ["a negative size", (h) => h.write("-0000001000\0", 124), "a size that is none"],
    ["a binary size", (h) => h.writeUInt8(0x80, 124), "a size that is none"],
    ["a size beyond the end", (h) => h.write("00000100000\0", 124), "is cut off"],
    ["a folder with a size", (h) => h.write("5", 156), "a size that is none"],
    ["another format", (h) => h.fill(0, 257, 265), "another format than ustar"],
  ])("with %s is refused", async (_, change, problem) => {
    expect(await problemOf(tampered(change))).toContain(problem);
  });

  it("with a wrong checksum, cut off, no gzip or no tar is refused", async () => {
    const tar = writeTar([{ path: "a/v1.ts", data: Buffer.from("text") }]);
    const wrong = Uint8Array.from(tar);
    wrong[0] = 98;
    expect(await problemOf(gzipSync(wrong))).toBe("is no tar, or damaged");
    expect(await problemOf(gzipSync(tar.subarray(0, 700)))).toBe("is cut off");
    expect(await problemOf(gzipSync(tar.subarray(0, 1024)))).toBe("is cut off");
    expect(await problemOf(gzipSync(Buffer.from("x".repeat(5_000))))).toBe("is no tar, or damaged");
    expect(await problemOf(Buffer.from("not gzip"))).toBe("is not gzip, or cut off");
    expect(await problemOf(new Uint8Array())).toBe("is not gzip, or cut off");
    expect(await problemOf(gzipSync(tar).subarray(0, 60))).toBe("is not gzip, or cut off");
  });

  it("with a file twice, in bytes that are no text, or too large is refused", async () => {
    const file = { path: "a/v1.ts", data: Buffer.from("x") };
    expect(await problemOf(gzipSync(writeTar([file, file])))).toBe("holds a/v1.ts twice");
    expect(await problemOf(gzipSync(writeTar([{ ...file, data: Buffer.from([0xff, 0xfe]) }])))).toContain("not UTF-8");
    const large = Buffer.alloc(ARCHIVE_LIMITS.fileBytes + 1, "x");
    expect(await problemOf(gzipSync(writeTar([{ ...file, data: large }])))).toContain("larger than");
  });

  it("that is a bomb is read no further than the limit", async () => {
    const bomb = gzipSync(Buffer.alloc(512 * 1024 * 1024), { level: 9 });
    expect(bomb.length).toBeLessThan(1024 * 1024);
    const before = process.memoryUsage().arrayBuffers;
    expect(await problemOf(bomb)).toBe(`unpacks to more than ${ARCHIVE_LIMITS.unpackedBytes} bytes`);
    expect(process.memoryUsage().arrayBuffers - before).toBeLessThan(2 * ARCHIVE_LIMITS.unpackedBytes);
  });

  it("of too many files is refused, both ways", async () => {
    const many = Array.from({ length: ARCHIVE_LIMITS.files + 1 }, (_, i) => ({ name: "a", version: i + 1, text: "" }));
    expect((await packArchive(many)).ok).toBe(false);
    const tar = writeTar(many.map(({ version }) => ({ path: `a/v${version}.ts`, data: new Uint8Array() })));
    expect(await problemOf(gzipSync(tar))).toBe(`holds more than ${ARCHIVE_LIMITS.files} files`);
  });

  it("is not packed with tricks", async () => {
    for (const file of [
      { name: "../a", version: 1, text: "" },
      { name: "a", version: 0, text: "" },
      { name: "a", version: 1, text: "x".repeat(ARCHIVE_LIMITS.fileBytes + 1) },
    ])
      expect((await packArchive([file])).ok).toBe(false);
  });
});
