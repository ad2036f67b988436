import { z } from "zod";
import { ToolFailure } from "../define.ts";
import { boundedValue } from "../text/size.ts";

/** A table as rows. `__proto__` is no column: zod leaves it out. */
export const Rows = z.array(z.record(z.string(), z.unknown())).describe("one object per row");
export type Row = Record<string, unknown>;

export const MAX_CELLS = 1_000_000; // rows × columns, whatever the input's size says

export function boundedRows(rows: Row[]): Row[] {
  return boundedValue(rows, "rows");
}

/** The columns of all rows in the order in which they first occur. */
export function columnsOf(rows: readonly Row[]): string[] {
  const columns = new Set<string>();
  for (const row of rows) for (const column of Object.keys(row)) columns.add(column);
  return [...columns];
}

/** A table of so many rows and columns may be made. Missing cells count: one wide row would make all others wide. */
export function checkCells(rows: number, columns: number): void {
  if (rows * columns > MAX_CELLS)
    throw new ToolFailure(
      "too-large",
      `${rows} rows of ${columns} columns are more than ${MAX_CELLS} cells. Work on it in parts, or name fewer columns.`,
      { rows, columns, limit: MAX_CELLS },
    );
}

/** A cell as text: nothing for null, JSON for what has parts. */
export function cellText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return typeof value === "object" ? JSON.stringify(value) : String(value);
}

/** The named column's value, never an inherited one. */
export const cellOf = (row: Row, column: string): unknown => (Object.hasOwn(row, column) ? row[column] : undefined);
