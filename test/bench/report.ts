import type { Row } from "./row.ts";

const HEAD = ["", "what", "ours", "against", "baseline", "ratio", "target", "reached", "note"];

export function table(rows: Row[]): string {
  const lines = [HEAD, ...rows.map(cells)];
  const widths = HEAD.map((_, column) => Math.max(...lines.map((line) => line[column]!.length)));
  return lines
    .map((line) =>
      line
        .map((text, column) => text.padEnd(widths[column]!))
        .join("  ")
        .trimEnd(),
    )
    .join("\n");
}

const cells = (row: Row): string[] => [
  row.id,
  row.name,
  amount(row, row.ours),
  row.against,
  amount(row, row.baseline),
  `${row.ratio.toFixed(2)} x`,
  row.target === null ? "-" : `<= ${row.target} x`,
  row.reached === null ? "-" : row.reached ? "yes" : "no",
  row.note ?? "",
];

const amount = ({ unit }: Row, value: number): string =>
  unit === undefined ? `${value.toFixed(value < 1 ? 3 : 2)} ms` : `${value} ${unit}`;
