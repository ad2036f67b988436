/**
 * Marks around everything that instrumentation adds, so that it can be taken out of a function's text again.
 *
 * At the entry of a function or class the opening mark goes on with `:a,b`, the locals it captures; elsewhere it ends at
 * once. A cell may not contain the opening mark, so none can be forged.
 */
export const OPENING_MARK = "/*$px";
const CLOSING_MARK = "/*$*/";

export const entryFence = (captured: readonly string[], code: string): string =>
  `${OPENING_MARK}:${captured.join(",")}*/${code}${CLOSING_MARK}`;

export const fence = (code: string): string => `${OPENING_MARK}*/${code}${CLOSING_MARK}`;

// The last closing mark may be missing: the text of `x => (…, x)` ends with its bracket.
const FENCE = /\/\*\$px(?::([^*]*))?\*\/[^]*?(?:\/\*\$\*\/|$)/g;

export interface Entry {
  /** Where in the text without fences the entry stood. */
  offset: number;
  captured: string[];
}

/** The text without fences and what stands in them, and the entries that were in it. */
export const withoutFences = (text: string): { text: string; entries: Entry[] } => {
  const entries: Entry[] = [];
  const pieces: string[] = [];
  let read = 0;
  let length = 0;
  for (const match of text.matchAll(FENCE)) {
    const kept = text.slice(read, match.index);
    pieces.push(kept);
    length += kept.length;
    read = match.index + match[0].length;
    const names = match[1];
    if (names !== undefined) entries.push({ offset: length, captured: names === "" ? [] : names.split(",") });
  }
  pieces.push(text.slice(read));
  return { text: pieces.join(""), entries };
};
