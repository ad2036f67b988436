import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatchHunk } from "diff";
import { z } from "zod";
import { defineTool } from "../define.ts";
import { boundedText, LIMIT_NOTE } from "./size.ts";

const CONTEXT_LINES = 3;
const MAX_EDITS = 1_000; // the search's work and memory grow with its square
const MAX_LINES = 50_000; // and with lines × edits
const NO_NEWLINE = "\\ No newline at end of file";

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];

/** The smallest difference, or nothing when it isn't found in bounded work. */
function minimalHunks(before: string, after: string): StructuredPatchHunk[] | undefined {
  return structuredPatch("before", "after", before, after, undefined, undefined, {
    context: CONTEXT_LINES,
    maxEditLength: MAX_EDITS,
  })?.hunks;
}

/** One hunk from the first line that differs to the last. */
function coarseHunk(before: string[], after: string[]): StructuredPatchHunk {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const from = Math.max(0, head - CONTEXT_LINES);
  const kept = Math.max(0, tail - CONTEXT_LINES);
  const marked = (sign: string, lines: string[]): string[] =>
    lines.flatMap((line) => (line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE]));
  return {
    oldStart: from + 1,
    oldLines: before.length - kept - from,
    newStart: from + 1,
    newLines: after.length - kept - from,
    lines: [
      ...marked(" ", before.slice(from, head)),
      ...marked("-", before.slice(head, before.length - tail)),
      ...marked("+", after.slice(head, after.length - tail)),
      ...marked(" ", before.slice(before.length - tail, before.length - kept)),
    ],
  };
}

export const diff = defineTool({
  name: "text.diff",
  summary: "Compares two texts line by line: a unified diff and its counts.",
  description: `With more than 1,000 edits or 50,000 lines the diff is one block from the first difference to the last, and \`minimal\` is false. ${LIMIT_NOTE}`,
  input: z.strictObject({ before: z.string().describe("the old text"), after: z.string().describe("the new text") }),
  output: z.object({
    diff: z.string().describe("unified diff with 3 lines of context; empty when equal"),
    added: z.number().describe("lines added"),
    removed: z.number().describe("lines removed"),
    equal: z.boolean().describe("whether the texts are the same"),
    minimal: z.boolean().describe("whether it is the smallest difference"),
  }),
  effect: "read",
  examples: [
    {
      args: { before: "one\ntwo\n", after: "one\n2\n" },
      result: {
        diff: "--- before\n+++ after\n@@ -1,2 +1,2 @@\n one\n-two\n+2\n",
        added: 1,
        removed: 1,
        equal: false,
        minimal: true,
      },
    },
  ],
  execute: async ({ before, after }) => {
    boundedText(before, "before");
    boundedText(after, "after");
    if (before === after) return { diff: "", added: 0, removed: 0, equal: true, minimal: true };
    const old = linesOf(before);
    const now = linesOf(after);
    const minimal = old.length + now.length > MAX_LINES ? undefined : minimalHunks(before, after);
    const hunks = minimal ?? [coarseHunk(old, now)];
    const count = (sign: string): number =>
      hunks.reduce((sum, hunk) => sum + hunk.lines.filter((line) => line.startsWith(sign)).length, 0);
    const patch = { oldFileName: "before", newFileName: "after", oldHeader: undefined, newHeader: undefined, hunks };
    return {
      diff: formatPatch(patch, FILE_HEADERS_ONLY),
      added: count("+"),
      removed: count("-"),
      equal: false,
      minimal: minimal !== undefined,
    };
  },
});
