/** Rows of a table of one column. Throws unless the first line is clearly a header: a list of lines has none. */
export function toColumn(text: string): Record<string, unknown>[] {
  const [header, ...cells] = text
    .replace(/^\uFEFF/, "")
    .split(/\r\n|\n|\r/)
    .map((line) => line.trim())
    .filter((line) => line !== "");
  if (header === undefined) return [];
  const isName = /^[\p{Ll}_][\p{L}\p{N}_]{0,40}$/u.test(header);
  if (!isName || cells.length === 0 || cells.some((cell) => /^[\p{Ll}_]/u.test(cell)))
    throw new Error("The text is not clearly a table with a header: ask about its lines, or send rows.");
  const isNumeric = cells.every((cell) => /^-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?$/.test(cell));
  return cells.map((cell) => Object.fromEntries([[header, isNumeric ? Number(cell) : cell]]));
}
