import { describe, expect, it } from "vitest";
import { TEXT_TOOLS } from "../../../tool-bindings/text/index.ts";
import { caller, filled, MEGABYTES_2 } from "./tool-call.ts";

const { call, failure } = caller(TEXT_TOOLS);
const TOO_LONG = "a".repeat(MEGABYTES_2 + 1);
const KINDS = ["emails", "urls", "dates", "numbers", "phones", "hashtags"];

describe("texts that are too large", { timeout: 60_000 }, () => {
  it.each(["text.tokens", "text.keywords", "text.sentences", "text.summary"])("are refused by %s", async (name) => {
    expect((await failure(name, { text: TOO_LONG })).kind).toBe("too-large");
  });

  it("are refused by the others too", async () => {
    expect((await failure("text.chunk", { text: TOO_LONG, size: 10 })).kind).toBe("too-large");
    expect((await failure("text.diff", { before: "", after: TOO_LONG })).kind).toBe("too-large");
    expect((await failure("text.similarity", { a: TOO_LONG, b: "" })).kind).toBe("too-large");
    expect((await failure("text.extract", { text: TOO_LONG, kind: "urls" })).kind).toBe("too-large");
  });

  it("are smaller for methods whose work is a product", async () => {
    const a = "a".repeat(10_001);
    expect((await failure("text.similarity", { a, b: "b", method: "levenshtein" })).kind).toBe("too-large");
  });
});

describe("2 MB made to take for ever", { timeout: 60_000 }, () => {
  // For each kind: parts that nearly match everywhere.
  it.each(KINDS)("has no %s in it, and that is known in one pass", async (kind) => {
    const nearly = ["a", "a@", "a.", ".@", "http:", "1a", "_1-", "+", "(", "#", "jan ", "\0", "\ud800", " ", "\n"];
    for (const part of nearly) {
      expect(await call("text.extract", { text: filled(part), kind })).toEqual({
        matches: [],
        values: [],
        truncated: false,
      });
    }
  });

  it("is one token stream, whatever it is made of", async () => {
    for (const part of ["a", "A", "1", " ", "\n", "\0", "\ud800", "é", "汉", "!", "a1"]) {
      const { tokens } = (await call("text.tokens", { text: filled(part) })) as { tokens: number };
      expect(tokens).toBeGreaterThan(10_000);
      expect(tokens).toBeLessThanOrEqual(MEGABYTES_2 * 1.5);
    }
  });

  it("is one sentence, or too many", async () => {
    expect(await call("text.sentences", { text: filled("a") })).toMatchObject({ count: 1 });
    expect(await call("text.sentences", { text: filled("Mr. ") })).toMatchObject({ count: 1 });
    expect((await failure("text.sentences", { text: filled("A b. ") })).kind).toBe("too-large");
    expect((await failure("text.summary", { text: filled("你。") })).kind).toBe("too-large");
  });

  it("has as many keywords as it has words", async () => {
    const words = Array.from({ length: 200_000 }, (_, i) => `w${i % 90_000}`).join(" ");
    expect(await call("text.keywords", { text: words, limit: 1 })).toMatchObject({ keywords: [{ count: 3 }] });
    expect(await call("text.keywords", { text: filled("\ud800") })).toEqual({ keywords: [] });
  });

  it("is compared by words in one pass", async () => {
    const text = filled("tea ");
    expect(await call("text.similarity", { a: text, b: "tea" })).toEqual({ score: 1 });
    expect(await call("text.similarity", { a: text, b: filled("milk "), method: "jaccard" })).toEqual({ score: 0 });
  });

  it("is one block when it is compared by lines", async () => {
    const result = await call("text.diff", { before: filled("a\n"), after: filled("b\n") });
    expect(result).toMatchObject({ added: 1_000_000, removed: 1_000_000, minimal: false });
  });
});

describe("chunks without number", { timeout: 60_000 }, () => {
  it("are refused, by count and by what they hold together", async () => {
    const text = filled("a");
    expect((await failure("text.chunk", { text, size: 1 })).kind).toBe("too-large");
    expect((await failure("text.chunk", { text, size: 100_000, overlap: 99_999 })).kind).toBe("too-large");
    expect((await failure("text.chunk", { text: filled("a "), size: 10_000, overlap: 9_999, by: "tokens" })).kind).toBe(
      "too-large",
    );
    expect((await failure("text.chunk", { text: filled("a\n\n"), size: 1, by: "paragraphs" })).kind).toBe("too-large");
  });

  it("are whole for NUL and lone surrogates", async () => {
    const text = "\0\ud800\udc00\ud800a\udfff";
    const { chunks } = (await call("text.chunk", { text, size: 2 })) as { chunks: { text: string }[] };
    expect(chunks.map((chunk) => chunk.text).join("")).toBe(text);
  });
});
