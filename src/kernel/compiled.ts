import type { CellError } from "../contract/cell.ts";

export type Compiled<T> = { ok: true; value: T } | { ok: false; error: CellError };

const LINE_BREAK = /\r\n?|[\n\u2028\u2029]/g;

/** Line and column of an offset, 1-based, with the line breaks that V8 counts. */
export const positionOf = (source: string, offset: number): { line: number; column: number } => {
  let line = 1;
  let start = 0;
  for (const match of source.matchAll(LINE_BREAK)) {
    const next = match.index + match[0].length;
    if (next > offset) break;
    line++;
    start = next;
  }
  return { line, column: offset - start + 1 };
};

/** A syntax error or a forbidden construct at an offset of the source. */
export interface Problem {
  kind: "syntax" | "forbidden";
  offset: number;
  message: string;
  hint: string;
}

export const refuse = (source: string, problem: Problem): { ok: false; error: CellError } => ({
  ok: false,
  error: {
    kind: problem.kind,
    message: problem.message,
    ...positionOf(source, problem.offset),
    hint: problem.hint,
  },
});
