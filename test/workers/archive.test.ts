import { describe, expect, it } from "vitest";
import { ARCHIVE_LIMITS, packArchive, unpackArchive } from "../../src/capabilities/archive.ts";

describe("an archive in workerd", () => {
  it("gives back its files", async () => {
    const files = Array.from({ length: 200 }, (_, i) => ({
      name: `capability-${i}`,
      version: (i % 5) + 1,
      text: `// ${i} größer 😀\nexport default () => ${i};\n`.repeat(20),
    }));
    const packed = await packArchive(files);
    if (!packed.ok) throw new Error(JSON.stringify(packed.failure));
    expect(await unpackArchive(packed.value)).toEqual({ ok: true, value: files });
  });

  it("that is a bomb, cut off or followed by other bytes is refused", async () => {
    const megabyte = new Uint8Array(1024 * 1024);
    let left = 2 * (ARCHIVE_LIMITS.unpackedBytes / megabyte.length);
    const zeros = new ReadableStream<Uint8Array>({
      pull: (controller) => (left-- > 0 ? controller.enqueue(megabyte) : controller.close()),
    });
    const bomb = new Uint8Array(await new Response(zeros.pipeThrough(new CompressionStream("gzip"))).arrayBuffer());
    const problem = async (bytes: Uint8Array): Promise<unknown> => {
      const result = await unpackArchive(bytes);
      return result.ok ? result.value : result.failure;
    };
    expect(await problem(bomb)).toMatchObject({
      problem: `unpacks to more than ${ARCHIVE_LIMITS.unpackedBytes} bytes`,
    });
    const packed = await packArchive([{ name: "a", version: 1, text: "x" }]);
    if (!packed.ok) throw new Error(JSON.stringify(packed.failure));
    expect(await problem(packed.value.subarray(0, -9))).toMatchObject({ problem: "is not gzip, or cut off" });
    expect(await problem(Uint8Array.from([...packed.value, 1, 2, 3]))).toMatchObject({
      problem: "is not gzip, or cut off",
    });
  });
});
