/**
 * Rows of a table: an array of objects, a JSON text of one, or a CSV text with a header (`,` `;` tab or `|`). Throws when two
 * columns have one name.
 */
export function toRows(data: unknown): Record<string, unknown>[] {
  let value = data;
  if (typeof value === "string" && /^\s*[[{]/.test(value)) {
    try {
      value = JSON.parse(value);
    } catch {
      // Not JSON after all: read it as CSV.
    }
  }
  if (typeof value !== "string") {
    if (value !== null && typeof value === "object" && !Array.isArray(value))
      value = Object.values(value).find((part) => Array.isArray(part) && typeof part[0] === "object") ?? [value];
    return Array.isArray(value)
      ? value.map((row) => (row !== null && typeof row === "object" ? row : { value: row }))
      : [];
  }

  const text = value.replace(/^\uFEFF/, "");
  const firstLine = (/^.*$/m.exec(text.trimStart())?.[0] ?? "").replace(/"[^"]*"/g, "");
  const separator =
    [",", ";", "\t", "|"].sort((a, b) => firstLine.split(b).length - firstLine.split(a).length)[0] ?? ",";
  const end = `([${separator}]|\\r\\n|\\n|\\r|$)`;
  const cell = new RegExp(`[ ]*"([^"]*(?:""[^"]*)*)"[ ]*${end}|([^${separator}\\r\\n]*)${end}`, "y");
  const lines: string[][] = [];
  let line: string[] = [];
  for (;;) {
    const [, quoted, quotedEnd, plain = "", plainEnd] = cell.exec(text) ?? [];
    line.push(quoted === undefined ? plain.trim() : quoted.replaceAll('""', '"'));
    const ending = quotedEnd ?? plainEnd ?? "";
    if (ending === separator) continue;
    if (line.some((part) => part !== "")) lines.push(line);
    line = [];
    if (ending === "") break;
  }

  const header = (lines.shift() ?? []).map((name, column) => name || `column ${column + 1}`);
  const twice = header.find((name, column) => header.indexOf(name) !== column);
  if (twice !== undefined)
    throw new Error(`Two columns have the same name, ${JSON.stringify(twice.slice(0, 100))}: rename one of them.`);
  // A column is numbers when all of it is; 007 and +1 are codes.
  const isNumeric = header.map(
    (_, column) =>
      lines.some((cells) => (cells[column] ?? "") !== "") &&
      lines.every((cells) => /^(?:-?(?:0|[1-9]\d{0,14})(?:\.\d{1,12})?)?$/.test(cells[column] ?? "")),
  );
  return lines.map((cells) =>
    Object.fromEntries(
      header.map((name, column) => {
        const part = cells[column] ?? "";
        if (!isNumeric[column]) return [name, part];
        return [name, part === "" ? null : Number(part)];
      }),
    ),
  );
}
