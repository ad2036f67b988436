export function toWords(text: string): string[] {
  return text.match(/[\p{L}\p{N}]+(?:['’-][\p{L}\p{N}]+)*/gu) ?? [];
}

/** Lines of a text; a newline at the end starts no line. */
export function toLines(text: string): string[] {
  return text === "" ? [] : text.replace(/\r?\n$/, "").split(/\r\n|\n|\r/);
}

/** Sentences, trimmed: they end at `.`, `!`, `?` before a space, or at an empty line. */
export function toSentences(text: string): string[] {
  return text
    .replace(/[^\S\n]+/g, " ") // long gaps are one space: the split below must not search in them
    .split(/ ?\n ?\n/)
    .flatMap((part) => part.split(/(?<=[.!?]["'”’)]?)(?<!\b(?:Mr|Mrs|Ms|Dr|Prof|St|vs|etc|e\.g|i\.e)\.)\s+/))
    .map((sentence) => sentence.replace(/\s+/g, " ").trim())
    .filter((sentence) => /[\p{L}\p{N}]/u.test(sentence));
}

/** How often a text occurs in another, whatever the case; a word counts only as a whole word. */
export function countOccurrences(text: string, sought: string, wholeWord: boolean): number {
  const escaped = sought
    .toLowerCase()
    .replace(/[.*+?^${}()|[\]\\/]/g, String.raw`\$&`)
    .replace(/\s+/g, String.raw`\s+`);
  if (escaped === "") return 0;
  const pattern = wholeWord ? String.raw`(?<![\p{L}\p{N}_])${escaped}(?![\p{L}\p{N}_])` : escaped;
  return [...text.toLowerCase().matchAll(new RegExp(pattern, "gu"))].length;
}
