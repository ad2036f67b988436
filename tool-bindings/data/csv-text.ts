import { ToolFailure } from "../define.ts";
import { placeOf } from "./json-text.ts";
import { checkCells, MAX_CELLS } from "./rows.ts";

/**
 * RFC 4180 in one pass, with every offset known: a quoted field runs to its closing quote, any other to the next
 * delimiter or line end. Quotes inside an unquoted field are kept as they stand. Empty lines are passed over.
 */
export function csvRecords(source: string, delimiter: string): string[][] {
  const text = lineEnds(source);
  const nextDelimiter = forward(text, delimiter);
  const nextLine = forward(text, "\n");
  const records: string[][] = [];
  let record: string[] = [];
  let cells = 0;
  for (let at = text.startsWith("\ufeff") ? 1 : 0; at <= text.length;) {
    const isQuoted = text[at] === '"';
    const quoted = isQuoted ? quotedField(text, at) : undefined;
    const end = quoted?.end ?? Math.min(nextDelimiter(at), nextLine(at));
    if (isQuoted && end < text.length && text[end] !== delimiter && text[end] !== "\n")
      throw badCsv(text, end, `Expected a delimiter after the closing quote, found ${JSON.stringify(text[end])}`);
    record.push(quoted?.value ?? text.slice(at, end));
    if (++cells > MAX_CELLS) checkCells(1, cells);
    at = end + 1;
    if (text[end] === delimiter) continue;
    const isEmptyLine = record.length === 1 && record[0] === "" && !isQuoted;
    if (isEmptyLine) cells--;
    else records.push(record);
    record = [];
  }
  return records;
}

function quotedField(text: string, start: number): { value: string; end: number } {
  const parts: string[] = [];
  for (let from = start + 1; ;) {
    const quote = text.indexOf('"', from);
    if (quote === -1) throw badCsv(text, start, "The quote that opens here is never closed");
    parts.push(text.slice(from, quote));
    if (text[quote + 1] !== '"') return { value: parts.join('"'), end: quote + 1 };
    from = quote + 2;
  }
}

const lineEnds = (text: string): string => (text.includes("\r") ? text.replace(/\r\n?/g, "\n") : text);

/** The next place of a character at or after one that only grows; the end when there is none. */
function forward(text: string, char: string): (at: number) => number {
  let known = -1;
  return (at) => {
    if (known < at) {
      const found = text.indexOf(char, at);
      known = found === -1 ? text.length : found;
    }
    return known;
  };
}

function badCsv(text: string, offset: number, problem: string): ToolFailure {
  const { line, column } = placeOf(text, offset);
  return new ToolFailure(
    "bad-csv",
    `${problem}, at line ${line}, column ${column}. A quote inside a quoted field is doubled.`,
    { line, column },
  );
}
