import { z } from "zod";
import { defineTool } from "../define.ts";
import { Allowance, boundedText, LIMIT_NOTE } from "../text/size.ts";
import { csvRecords } from "./csv-text.ts";
import { checkCells } from "./rows.ts";

const DELIMITERS = [",", ";", "\t", "|"];
const PROBE_CHARS = 20_000; // the head of the text by which the delimiter is guessed
const NUMBER = /^[+-]?(?:0|[1-9]\d{0,14})(?:\.\d{1,15})?(?:e[+-]?\d{1,3})?$/i; // 007 is a code, 20 digits are an id

/** The one that splits the head into the most cells per line, evenly. */
function guessDelimiter(text: string): string {
  const lines = text
    .slice(0, PROBE_CHARS)
    .split("\n", 20)
    .filter((line) => line.trim() !== "");
  const scored = DELIMITERS.map((delimiter) => {
    const counts = lines.map((line) => line.split(delimiter).length - 1);
    const agreeing = counts.filter((count) => count === counts[0]).length;
    return { delimiter, score: (counts[0] ?? 0) === 0 ? 0 : agreeing * 1_000 + counts[0]! };
  });
  return scored.reduce((best, next) => (next.score > best.score ? next : best)).delimiter;
}

/** Names for the columns: those of the header, each once, and `column_3` where there is none. */
function columnNames(header: readonly string[], width: number): string[] {
  const used = new Map<string, number>();
  return Array.from({ length: width }, (_, index) => {
    const base = header[index]?.trim() || `column_${index + 1}`;
    let times = used.get(base) ?? 0;
    let name = base;
    while (used.has(name)) name = `${base}_${++times + 1}`;
    used.set(base, times);
    used.set(name, used.get(name) ?? 0);
    return name;
  });
}

function typed(text: string): string | number | boolean | null {
  if (text === "") return null;
  if (text === "true" || text === "TRUE" || text === "True") return true;
  if (text === "false" || text === "FALSE" || text === "False") return false;
  return NUMBER.test(text) ? Number(text) : text;
}

export const csv = defineTool({
  name: "data.csv",
  summary: "Parses CSV, TSV and the like into rows.",
  description: `Quoted fields, doubled quotes, line breaks in quotes, byte order mark. Columns without a name become column_N, repeated ones name_2; missing cells are null. Fails as \`bad-csv\` with the line, for instance when a quote is never closed. ${LIMIT_NOTE} The same above 1,000,000 cells.`,
  input: z.strictObject({
    text: z.string().describe("the CSV text"),
    delimiter: z
      .string()
      .regex(/^[^"\r\n]$/, "must be one character, no quote or line break")
      .optional()
      .describe("one character; guessed from , ; tab | when left out"),
    header: z.boolean().optional().describe("whether the first row names the columns; true when left out"),
    types: z
      .enum(["infer", "text"])
      .optional()
      .describe("infer (when left out): numbers, true/false, empty as null; text: everything as it stands"),
  }),
  output: z.object({
    rows: z.array(z.record(z.string(), z.union([z.string(), z.number(), z.boolean(), z.null()]))),
    columns: z.array(z.string()).describe("in order"),
    count: z.number().describe("rows"),
    delimiter: z.string().describe("the one that was used"),
  }),
  effect: "read",
  examples: [
    {
      args: { text: 'name;age\n"Lovelace; Ada";36\nAlan;' },
      result: {
        rows: [
          { name: "Lovelace; Ada", age: 36 },
          { name: "Alan", age: null },
        ],
        columns: ["name", "age"],
        count: 2,
        delimiter: ";",
      },
    },
  ],
  execute: async ({ text, delimiter, header = true, types = "infer" }) => {
    boundedText(text, "text");
    const used = delimiter ?? guessDelimiter(text);
    const records = csvRecords(text, used);
    const body = header ? records.slice(1) : records;
    const width = records.reduce((widest, record) => Math.max(widest, record.length), 0);
    checkCells(body.length, width);
    const columns = columnNames(header ? (records[0] ?? []) : [], width);
    const namesPerRow = columns.reduce((sum, column) => sum + column.length + 4, 0);
    new Allowance("Shorten the column names or work on it in parts.").spend(text.length + namesPerRow * body.length);
    const read = types === "infer" ? typed : (cell: string) => cell;
    const rows = body.map((record) =>
      // Not assigned one by one: `__proto__` is a column like any other.
      Object.fromEntries(columns.map((column, i) => [column, record[i] === undefined ? null : read(record[i])])),
    );
    return { rows, columns, count: rows.length, delimiter: used };
  },
});
