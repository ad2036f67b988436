import { FILE_HEADERS_ONLY, formatPatch, structuredPatch, type StructuredPatch } from "diff";

const CONTEXT_LINES = 3;
const MAX_EDITS = 2_000; // the search's work grows with its square; beyond it the whole file counts as rewritten
const NO_NEWLINE = "\\ No newline at end of file";

export interface VersionFile {
  name: string;
  version: number;
  text: string;
}

export interface VersionPatch {
  /** A unified diff that `patch` and `git apply` take; empty when the files are the same. */
  patch: string;
  added: number;
  removed: number;
}

/** What changed from one version's file to another's. */
export function patchBetween(before: VersionFile, after: VersionFile): VersionPatch {
  if (before.text === after.text) return { patch: "", added: 0, removed: 0 };
  const names = [`a/${pathOf(before)}`, `b/${pathOf(after)}`] as const;
  const found =
    structuredPatch(...names, before.text, after.text, undefined, undefined, {
      context: CONTEXT_LINES,
      maxEditLength: MAX_EDITS,
    }) ?? rewritten(names, before.text, after.text);
  const lines = found.hunks.flatMap((hunk) => hunk.lines);
  return {
    patch: formatPatch(found, FILE_HEADERS_ONLY),
    added: lines.filter((line) => line.startsWith("+")).length,
    removed: lines.filter((line) => line.startsWith("-")).length,
  };
}

const pathOf = ({ name, version }: VersionFile): string => `${name}/v${version}.ts`;

const rewritten = ([from, to]: readonly [string, string], before: string, after: string): StructuredPatch => {
  const [old, young] = [linesOf(before), linesOf(after)];
  const marked = (sign: string, lines: string[]): string[] =>
    lines.flatMap((line) => (line.endsWith("\n") ? [sign + line.slice(0, -1)] : [sign + line, NO_NEWLINE]));
  const hunk = {
    oldStart: 1,
    oldLines: old.length,
    newStart: 1,
    newLines: young.length,
    lines: [...marked("-", old), ...marked("+", young)],
  };
  return {
    oldFileName: from,
    newFileName: to,
    oldHeader: undefined,
    newHeader: undefined,
    hunks: [hunk],
  };
};

/** Lines with their ends. */
const linesOf = (text: string): string[] => text.match(/[^\n]*\n|[^\n]+/g) ?? [];
