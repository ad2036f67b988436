import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { sentencesOf } from "./sentences.ts";
import { Allowance, boundedText, LIMIT_NOTE } from "./size.ts";
import { piecesOf } from "./tokens.ts";

const MAX_CHUNKS = 50_000;

/** Something that is never cut, with what it counts towards the size of a chunk. */
interface Unit {
  start: number;
  end: number;
  weight: number;
}

const UNITS = {
  *tokens(text: string): Generator<Unit> {
    for (const { start, end, tokens } of piecesOf(text)) yield { start, end, weight: tokens };
  },
  *sentences(text: string): Generator<Unit> {
    for (const { start, end } of sentencesOf(text)) yield { start, end, weight: 1 };
  },
  *paragraphs(text: string): Generator<Unit> {
    let start = 0;
    for (const part of text.split(/(\n[^\S\n]{0,200}\n\s{0,200})/)) {
      const body = part.trim();
      if (body !== "") {
        const from = start + part.indexOf(body);
        yield { start: from, end: from + body.length, weight: 1 };
      }
      start += part.length;
    }
  },
};

interface Chunk {
  start: number;
  end: number;
}

/** Units in a row of which the first are dropped as long as they weigh more than is wanted. */
class Window {
  #units: Unit[] = [];
  #head = 0;
  weight = 0;

  push(unit: Unit): void {
    this.#units.push(unit);
    this.weight += unit.weight;
  }

  /** Where the first unit left begins, if one is left. */
  shrink(weight: number): number | undefined {
    for (; this.#head < this.#units.length && this.weight > weight; this.#head++)
      this.weight -= this.#units[this.#head]!.weight;
    if (this.#head === this.#units.length) this.weight = 0; // not what rounding left of it
    if (this.#head > 1_000 && this.#head * 2 > this.#units.length) {
      this.#units = this.#units.slice(this.#head);
      this.#head = 0;
    }
    return this.#units[this.#head]?.start;
  }
}

interface Measure {
  size: number;
  overlap: number;
}

/** Fills chunks up to `size`; each begins with as many of the last units of the one before as `overlap` holds. */
function* unitChunks(units: Iterable<Unit>, { size, overlap }: Measure): Generator<Chunk> {
  const repeated = new Window();
  let chunk: Chunk | undefined;
  let weight = 0;
  for (const unit of units) {
    if (chunk !== undefined && weight + unit.weight > size) {
      yield chunk;
      const start: number = repeated.shrink(Math.min(overlap, size - unit.weight)) ?? unit.start;
      chunk = { start, end: unit.end };
      weight = repeated.weight;
    }
    chunk = { start: chunk?.start ?? unit.start, end: unit.end };
    weight += unit.weight;
    if (overlap > 0) {
      repeated.push(unit);
      repeated.shrink(overlap);
    }
  }
  if (chunk !== undefined) yield chunk;
}

/** By UTF-16 units, but never through a surrogate pair. */
function* charChunks(text: string, { size, overlap }: Measure): Generator<Chunk> {
  const splitsPair = (at: number): boolean => /^[\ud800-\udbff][\udc00-\udfff]/.test(text.slice(at - 1, at + 1));
  let covered = 0;
  for (let start = 0; covered < text.length;) {
    let end = Math.min(start + size, text.length);
    if (splitsPair(end)) end += end - 1 > start ? -1 : 1;
    const isNew = end > covered; // not when all that follows the overlap is half a pair
    if (isNew) yield { start, end };
    covered = Math.max(covered, end);
    start = isNew ? Math.max(start + 1, end - overlap) : start + 1;
    if (splitsPair(start)) start++;
  }
}

export const chunk = defineTool({
  name: "text.chunk",
  summary: "Cuts a text into chunks of a size, with overlap if wanted.",
  description: `\`size\` and \`overlap\` count what \`by\` names. Words and sentences are never cut, except by \`chars\`; a single word of more tokens than \`size\` is a chunk of its own. ${LIMIT_NOTE} The same above 50,000 chunks or 8,000,000 characters in all chunks.`,
  input: z
    .strictObject({
      text: z.string().describe("any text"),
      size: z.int().min(1).max(1_000_000).describe("at most so many units in a chunk"),
      overlap: z
        .int()
        .min(0)
        .max(100_000)
        .optional()
        .describe("units a chunk repeats from the one before; less than size; none when left out"),
      by: z
        .enum(["chars", "tokens", "sentences", "paragraphs"])
        .optional()
        .describe("the unit; chars when left out; tokens are estimated"),
    })
    .refine(({ size, overlap = 0 }) => overlap < size, {
      message: "must be less than size; none when left out",
      path: ["overlap"],
    }),
  output: z.object({
    chunks: z
      .array(
        z.object({
          text: z.string(),
          start: z.number().describe("offset of its first character in the text"),
          end: z.number().describe("offset after its last"),
        }),
      )
      .describe("in order"),
    count: z.number().describe("how many chunks"),
  }),
  effect: "read",
  examples: [
    {
      args: { text: "abcdefgh", size: 4, overlap: 1 },
      result: {
        chunks: [
          { text: "abcd", start: 0, end: 4 },
          { text: "defg", start: 3, end: 7 },
          { text: "gh", start: 6, end: 8 },
        ],
        count: 3,
      },
    },
  ],
  execute: async ({ text, size, overlap = 0, by = "chars" }) => {
    boundedText(text, "text");
    const allowance = new Allowance("Take larger chunks or less overlap.");
    const chunks: { text: string; start: number; end: number }[] = [];
    const measure = { size, overlap };
    for (const { start, end } of by === "chars" ? charChunks(text, measure) : unitChunks(UNITS[by](text), measure)) {
      if (chunks.length === MAX_CHUNKS)
        throw new ToolFailure("too-large", `There would be more than ${MAX_CHUNKS} chunks. Take larger ones.`);
      allowance.spend(end - start);
      chunks.push({ text: text.slice(start, end), start, end });
    }
    return { chunks, count: chunks.length };
  },
});
