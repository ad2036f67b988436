import { z } from "zod";
import { defineTool } from "../define.ts";
import { VALUE_NOTE } from "../text/size.ts";
import { boundedRows, cellOf, cellText, checkCells, columnsOf, Rows } from "./rows.ts";

const escaped = (text: string): string =>
  text
    .replace(/[\\|]/g, "\\$&")
    .replace(/\r\n?|\n/g, "<br>")
    .replaceAll("\0", "\ufffd");

export const table = defineTool({
  name: "data.table",
  summary: "Writes rows as a Markdown table.",
  description: `Pipes are escaped, line breaks become <br>, numbers are aligned to the right; null is empty, lists and objects become JSON. ${VALUE_NOTE} And above 1,000,000 cells.`,
  input: z.strictObject({
    rows: Rows,
    columns: z.array(z.string()).min(1).optional().describe("which, in which order; all when left out"),
  }),
  output: z.object({ markdown: z.string().describe("empty without columns") }),
  effect: "read",
  examples: [
    {
      args: {
        rows: [
          { city: "Bern", people: 134000 },
          { city: "Basel", people: 178000 },
        ],
      },
      result: { markdown: "| city | people |\n| --- | ---: |\n| Bern | 134000 |\n| Basel | 178000 |\n" },
    },
  ],
  execute: async ({ rows, columns }) => {
    boundedRows(rows);
    const chosen = [...new Set(columns ?? columnsOf(rows))]; // each once: cells can't be multiplied
    if (chosen.length === 0) return { markdown: "" };
    checkCells(rows.length, chosen.length);
    const isNumeric = (column: string): boolean => {
      const values = rows.map((row) => cellOf(row, column)).filter((value) => value !== null && value !== undefined);
      return values.length > 0 && values.every((value) => typeof value === "number");
    };
    const line = (cells: string[]): string => `| ${cells.join(" | ")} |\n`;
    return {
      markdown: [
        line(chosen.map(escaped)),
        line(chosen.map((column) => (isNumeric(column) ? "---:" : "---"))),
        ...rows.map((row) => line(chosen.map((column) => escaped(cellText(cellOf(row, column)))))),
      ].join(""),
    };
  },
});
