/** What is in a table: for each field its kind, how many rows lack it, and its range or its most frequent values. */
export function describeRows(rows: unknown[]): { rows: number; fields: Record<string, unknown> } {
  const columns = new Map<string, unknown[]>();
  for (const row of rows) {
    for (const [field, value] of Object.entries(row !== null && typeof row === "object" ? row : { value: row })) {
      const isEmpty = value === null || value === undefined || value === "";
      const column = columns.get(field) ?? [];
      columns.set(field, column);
      if (!isEmpty) column.push(value);
    }
  }
  const fields = [...columns].map(([field, values]) => {
    const missing = rows.length - values.length;
    const numbers = values.map((value) => Number(String(value).replace(/[$€£%\s]|,(?=\d{3}\b)/g, "")));
    if (values.length > 0 && !numbers.some((number) => Number.isNaN(number))) {
      const sorted = numbers.sort((a, b) => a - b);
      const sum = sorted.reduce((total, number) => total + number, 0);
      const range = { min: sorted[0], max: sorted.at(-1), average: sum / sorted.length };
      return [field, { type: "number", missing, ...range }];
    }
    const counts = new Map<string, number>();
    for (const value of values) {
      const text = typeof value === "object" ? JSON.stringify(value) : String(value);
      counts.set(text, (counts.get(text) ?? 0) + 1);
    }
    const top = [...counts].sort((a, b) => b[1] - a[1]).slice(0, 3);
    return [field, { type: "text", missing, distinct: counts.size, top: top.map((entry) => entry[0]) }];
  });
  return { rows: rows.length, fields: Object.fromEntries(fields) };
}
