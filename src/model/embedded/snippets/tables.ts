/** Sorted copy: numbers by size, all else by text, rows without a value last in either direction. */
export function sortBy<T>(rows: T[], key: (row: T) => unknown, descending: boolean): T[] {
  return rows
    .map((row) => {
      const value = key(row);
      const text = value === null || value === undefined ? "" : String(value);
      const number = text.trim() === "" ? Number.NaN : Number(text.replace(/[$€£%\s]|,(?=\d{3}\b)/g, ""));
      return { row, text, number };
    })
    .sort((a, b) => {
      if (a.text === "" || b.text === "") return Number(a.text === "") - Number(b.text === "");
      const byNumber = a.number - b.number;
      const order = Number.isNaN(byNumber) ? a.text.localeCompare(b.text, "en") : byNumber;
      return descending ? -order : order;
    })
    .map((entry) => entry.row);
}

/** Rows by the value of a key, in order of first appearance. */
export function groupBy<T>(rows: T[], key: (row: T) => unknown): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const row of rows) {
    const value = key(row);
    const name = value === null || value === undefined || value === "" ? "(none)" : String(value);
    const group = groups.get(name);
    if (group === undefined) groups.set(name, [row]);
    else group.push(row);
  }
  return groups;
}

/** Distinct values in order of first appearance; empty ones are left out. */
export function distinct(values: unknown[]): unknown[] {
  const seen = new Map<string, unknown>();
  for (const value of values) {
    const name =
      value !== null && typeof value === "object" ? JSON.stringify(value) : `${typeof value} ${String(value)}`;
    if (value !== null && value !== undefined && value !== "" && !seen.has(name)) seen.set(name, value);
  }
  return [...seen.values()];
}
