import { describe, expect, it } from "vitest";
import { runCells } from "../support/runs.ts";

describe("files", () => {
  it("are written, read and listed in the run's workspace", async () => {
    const { answers } = await runCells([
      `await files.write("notes/a.md", "# A"); await files.write("b.json", { n: 1 }); (await files.list()).map((file) => [file.path, file.size])`,
      `[await files.read("notes/a.md"), JSON.parse(await files.read("b.json")).n, (await files.list("notes")).length]`,
    ]);
    expect(answers.map(({ value, error }) => error ?? value)).toEqual([
      '[["b.json", 12], ["notes/a.md", 3]]',
      '["# A", 1, 1]',
    ]);
  });

  it("of one run are not seen by another", async () => {
    await runCells([`await files.write("secret.txt", "x")`]);
    const { answers } = await runCells([
      `[(await files.list()).length, await files.read("secret.txt").catch((error) => error.kind)]`,
    ]);
    expect(answers[0]!.value).toBe('[0, "no-file"]');
  });

  it.each(["../x", "/etc/passwd", "a/../../b", "a//b", "", ".", "a\\\\b", " a", "a\\u0000b", "x".repeat(400)])(
    "refuse the path %j",
    async (path) => {
      const { answers } = await runCells([
        `await files.write(${JSON.stringify(path).replaceAll("\\\\", "\\")}, "x").catch((error) => error.kind)`,
      ]);
      expect(answers[0]!.value).toBe("bad-arguments");
    },
  );

  it("refuse what is too large", async () => {
    const { answers } = await runCells([
      `await files.write("big.txt", "x".repeat(5_000_000)).catch((error) => error.kind)`,
    ]);
    expect(answers[0]!.value).toBe("too-large");
  });
});
