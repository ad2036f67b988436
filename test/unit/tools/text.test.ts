import { applyPatch } from "diff";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { TEXT_TOOLS } from "../../../tool-bindings/text/index.ts";
import { caller } from "./tool-call.ts";

const { call, failure } = caller(TEXT_TOOLS);

interface Chunks {
  chunks: { text: string; start: number; end: number }[];
  count: number;
}
const chunk = async (args: object): Promise<Chunks> => (await call("text.chunk", args)) as Chunks;

describe("text.chunk", () => {
  it("covers any text, in order, within the size, with the overlap", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.string({ unit: "grapheme", maxLength: 200 }),
        fc.integer({ min: 2, max: 20 }),
        fc.integer({ min: 0, max: 19 }),
        async (text, size, overlap) => {
          fc.pre(overlap < size);
          const { chunks } = await chunk({ text, size, overlap });
          let covered = 0;
          for (const { text: part, start, end } of chunks) {
            expect(part).toBe(text.slice(start, end));
            expect(part.length).toBeLessThanOrEqual(size);
            expect(start).toBeLessThanOrEqual(covered);
            expect(end).toBeGreaterThan(covered);
            covered = end;
          }
          expect(covered).toBe(text.length);
        },
      ),
    );
  });

  it("never cuts through a surrogate pair", async () => {
    const { chunks } = await chunk({ text: "a😀😀b", size: 1 });
    expect(chunks.map(({ text }) => text)).toEqual(["a", "😀", "😀", "b"]);
  });

  it("repeats whole sentences", async () => {
    const { chunks } = await chunk({ text: "One. Two. Three.", size: 2, overlap: 1, by: "sentences" });
    expect(chunks.map(({ text }) => text)).toEqual(["One. Two.", "Two. Three."]);
  });

  it("keeps paragraphs whole", async () => {
    const { chunks } = await chunk({ text: "a\nb\n\nc\r\n\r\nd", size: 1, by: "paragraphs" });
    expect(chunks.map(({ text }) => text)).toEqual(["a\nb", "c", "d"]);
  });

  it("counts tokens without cutting words", async () => {
    const { chunks } = await chunk({ text: "one two three four five", size: 2, by: "tokens" });
    expect(chunks.map(({ text }) => text.trim())).toEqual(["one two", "three four", "five"]);
  });

  it("has nothing to cut in an empty text", async () => {
    expect(await chunk({ text: "", size: 5 })).toEqual({ chunks: [], count: 0 });
  });

  it("refuses an overlap that leaves no way forward", async () => {
    expect((await failure("text.chunk", { text: "abc", size: 2, overlap: 2 })).kind).toBe("bad-arguments");
  });
});

describe("text.diff", () => {
  it("gives a patch that turns one text into the other", async () => {
    const line = fc.constantFrom("a\n", "b\n", "c\n", "\n", "no end");
    const text = fc.array(line, { maxLength: 12 }).map((lines) => lines.join(""));
    await fc.assert(
      fc.asyncProperty(text, text, async (before, after) => {
        const { diff, equal } = (await call("text.diff", { before, after })) as { diff: string; equal: boolean };
        expect(equal).toBe(before === after);
        if (!equal) expect(applyPatch(before, diff)).toBe(after);
      }),
    );
  });

  it("gives one block, still a patch, when the texts differ too much to compare", async () => {
    const lines = (word: string): string => Array.from({ length: 3_000 }, (_, i) => `${word} ${i}`).join("\n");
    const before = `same\n${lines("old")}\nend\n`;
    const after = `same\n${lines("new")}\nend\n`;
    const result = (await call("text.diff", { before, after })) as { diff: string; minimal: boolean };
    expect(result).toMatchObject({ added: 3_000, removed: 3_000, minimal: false });
    expect(applyPatch(before, result.diff)).toBe(after);
  });
});

describe("text.similarity", () => {
  const score = async (a: string, b: string, method: string): Promise<number> =>
    ((await call("text.similarity", { a, b, method })) as { score: number }).score;

  it.each(["cosine", "jaccard", "levenshtein"])(
    "is 1 for a text and itself and 0 for strangers, by %s",
    async (method) => {
      expect(await score("tea and milk", "tea and milk", method)).toBe(1);
      expect(await score("", "", method)).toBe(1);
      expect(await score("aaa", "bbb", method)).toBe(0);
      expect(await score("aaa", "", method)).toBe(0);
    },
  );

  it("counts edits by characters, not by units", async () => {
    expect(await score("😀a", "😀b", "levenshtein")).toBe(0.5);
  });

  it("counts words in languages without spaces", async () => {
    expect(await score("我喜欢绿茶", "我喜欢红茶", "jaccard")).toBeGreaterThan(0);
  });
});

describe("text.keywords", () => {
  it("leaves out stop words and what a phrase already says", async () => {
    const text = "The wind farm pays. A wind farm is built. This wind farm and that wind farm.";
    expect(await call("text.keywords", { text, limit: 3 })).toMatchObject({
      keywords: [{ term: "wind farm", count: 4 }, { term: "pays" }, { term: "built" }],
    });
  });

  it("finds nothing in nothing", async () => {
    expect(await call("text.keywords", { text: "... the and 12" })).toEqual({ keywords: [] });
  });
});

describe("text.sentences", () => {
  const split = async (text: string): Promise<string[]> =>
    ((await call("text.sentences", { text })) as { sentences: string[] }).sentences;

  it("keeps titles, initials and abbreviations together", async () => {
    expect(await split("Mr. J. Smith met Dr. Jones, i.e. Ada. They talked.")).toEqual([
      "Mr. J. Smith met Dr. Jones, i.e. Ada.",
      "They talked.",
    ]);
  });

  it("joins wrapped lines and parts paragraphs", async () => {
    expect(await split("This goes on\nover the line. Next\n\nHeading\n\nBody.")).toEqual([
      "This goes on over the line.",
      "Next",
      "Heading",
      "Body.",
    ]);
  });

  it("knows the full stops of other scripts", async () => {
    expect(await split("你好。再见！")).toEqual(["你好。", "再见！"]);
  });
});

describe("text.summary", () => {
  it("keeps the order of the text and never asks for more than there is", async () => {
    const text = "Cats sleep. Cats and dogs sleep in the sun. Dogs bark at the sun.";
    expect(await call("text.summary", { text, sentences: 50 })).toMatchObject({ summary: text });
    expect(await call("text.summary", { text: "" })).toEqual({ summary: "", sentences: [] });
  });
});
