import { z } from "zod";
import { defineTool } from "../define.ts";
import { VALUE_NOTE } from "../text/size.ts";
import { boundedRows, cellOf, cellText, checkCells, columnsOf, Rows } from "./rows.ts";

export const toCsv = defineTool({
  name: "data.toCsv",
  summary: "Writes rows as CSV.",
  description: `RFC 4180 with \\n; fields with a delimiter, quote, line break or outer space are quoted; null is empty; lists and objects become JSON. ${VALUE_NOTE} And above 1,000,000 cells.`,
  input: z.strictObject({
    rows: Rows,
    columns: z.array(z.string()).min(1).optional().describe("which, in which order; all when left out"),
    delimiter: z.enum([",", ";", "\t", "|"]).optional().describe("a comma when left out"),
    header: z.boolean().optional().describe("whether to begin with the names; true when left out"),
  }),
  output: z.object({ csv: z.string().describe("with a line break at the end, empty without columns") }),
  effect: "read",
  examples: [
    {
      args: {
        rows: [
          { name: 'Ada "the first"', born: 1815 },
          { name: "Alan", likes: ["tea", "runs"] },
        ],
      },
      result: { csv: 'name,born,likes\n"Ada ""the first""",1815,\nAlan,,"[""tea"",""runs""]"\n' },
    },
  ],
  execute: async ({ rows, columns, delimiter = ",", header = true }) => {
    boundedRows(rows);
    const chosen = [...new Set(columns ?? columnsOf(rows))]; // each once: cells can't be multiplied
    if (chosen.length === 0) return { csv: "" };
    checkCells(rows.length, chosen.length);
    const field = (text: string): string =>
      /["\n\r]|^\s|\s$/.test(text) || text.includes(delimiter) ? `"${text.replaceAll('"', '""')}"` : text;
    const line = (cells: string[]): string => `${cells.map(field).join(delimiter)}\n`;
    const lines = rows.map((row) => line(chosen.map((column) => cellText(cellOf(row, column)))));
    return { csv: [...(header ? [line(chosen)] : []), ...lines].join("") };
  },
});
