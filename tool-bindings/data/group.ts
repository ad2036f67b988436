import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { Allowance, VALUE_NOTE } from "../text/size.ts";
import { boundedRows, cellOf, checkCells, type Row, Rows } from "./rows.ts";
import { exactSum, quantile } from "./stats.ts";

const OPERATIONS = ["count", "sum", "mean", "median", "min", "max", "first", "last", "list", "distinct"] as const;
type Operation = (typeof OPERATIONS)[number];
const NUMERIC = new Set<Operation>(["sum", "mean", "median", "min", "max"]);

const Aggregate = z.object({
  op: z.enum(OPERATIONS).describe("distinct: how many different values; list: the values"),
  of: z.string().optional().describe("the column; needed by all but count"),
});

const isEmpty = (value: unknown): boolean => value === null || value === undefined || value === "";

function aggregate(rows: readonly Row[], { op, of }: z.infer<typeof Aggregate>): unknown {
  if (of === undefined) {
    if (op === "count") return rows.length;
    throw new ToolFailure("missing-column", `"${op}" needs \`of\`, the column it is taken of.`);
  }
  const values = rows.map((row) => cellOf(row, of)).filter((value) => !isEmpty(value));
  if (op === "count") return values.length;
  if (op === "list") return values;
  if (op === "distinct") return new Set(values.map((value) => JSON.stringify(value))).size;
  if (!NUMERIC.has(op)) return (op === "first" ? values[0] : values.at(-1)) ?? null;
  return numeric(
    values.map((value) => numberOf(value, of)),
    op,
  );
}

function numberOf(value: unknown, column: string): number {
  if (typeof value === "number") return value;
  throw new ToolFailure(
    "not-a-number",
    `Column "${column}" holds ${JSON.stringify(value).slice(0, 60)}, which is no number. Convert it first.`,
    { column },
  );
}

function numeric(numbers: number[], op: Operation): number | null {
  if (op === "sum") return exactSum(numbers);
  if (numbers.length === 0) return null;
  if (op === "mean") return exactSum(numbers) / numbers.length;
  const sorted = numbers.sort((a, b) => a - b);
  if (op === "median") return quantile(sorted, 0.5);
  return (op === "min" ? sorted[0] : sorted.at(-1))!;
}

const sizeOf = (value: unknown): number =>
  typeof value === "string" ? value.length : typeof value === "object" ? JSON.stringify(value).length : 8;

export const group = defineTool({
  name: "data.group",
  summary: "Groups rows by columns and aggregates each group.",
  description: `One row per group, in the order of first occurrence. null and "" are left out of all aggregates; a missing column counts as null. Fails as \`not-a-number\` when a value can't be summed, \`missing-column\` when \`of\` is left out. ${VALUE_NOTE}`,
  input: z.strictObject({
    rows: Rows,
    by: z.union([z.string(), z.array(z.string()).max(20)]).describe("column or columns; [] makes one group of all"),
    aggregate: z
      .record(z.string(), Aggregate)
      .refine((named) => Object.keys(named).length <= 50, "must hold at most 50 names")
      .optional()
      .describe("new column → how it is made; the count of rows when left out"),
  }),
  output: z.object({
    rows: z.array(z.record(z.string(), z.unknown())).describe("the columns of `by`, then the aggregates"),
    count: z.number().describe("groups"),
  }),
  effect: "read",
  examples: [
    {
      args: {
        rows: [
          { city: "Bern", n: 1 },
          { city: "Basel", n: 5 },
          { city: "Bern", n: 2 },
        ],
        by: "city",
        aggregate: { total: { op: "sum" as const, of: "n" } },
      },
      result: {
        rows: [
          { city: "Bern", total: 3 },
          { city: "Basel", total: 5 },
        ],
        count: 2,
      },
    },
  ],
  execute: async ({ rows, by, aggregate: named = { count: { op: "count" as const } } }) => {
    boundedRows(rows);
    const columns = typeof by === "string" ? [by] : by;
    checkCells(rows.length, columns.length + Object.keys(named).length);
    const groups = new Map<string, { keys: [string, unknown][]; rows: Row[] }>();
    for (const row of rows) {
      const keys = columns.map((column): [string, unknown] => [column, cellOf(row, column) ?? null]);
      const id = JSON.stringify(keys.map(([, value]) => value));
      const known = groups.get(id);
      if (known === undefined) groups.set(id, { keys, rows: [row] });
      else known.rows.push(row);
    }
    const allowance = new Allowance("Group by fewer columns, shorten names, or aggregate less.");
    const grouped = [...groups.values()].map(({ keys, rows: members }) => {
      const made = Object.entries(named).map(([name, how]): [string, unknown] => [name, aggregate(members, how)]);
      const entries = [...keys, ...made];
      for (const [name, value] of entries) allowance.spend(name.length + sizeOf(value));
      return Object.fromEntries(entries);
    });
    return { rows: grouped, count: grouped.length };
  },
});
