/** A field of a row, or of a record in it (`customer.country`); undefined when there is none of its own by that name. */
export function read(row: unknown, field: string): unknown {
  let value = row;
  const isWhole = row !== null && typeof row === "object" && Object.hasOwn(row, field);
  for (const name of isWhole ? [field] : field.split(".")) {
    if (value === null || typeof value !== "object" || !Object.hasOwn(value, name)) return undefined;
    value = (value as Record<string, unknown>)[name]; // hasOwn says it is there
  }
  return value;
}

/** The number a value says: `"1,200"`, `"$3.50"`, `"3,5"`, `"12 %"`. NaN when it says none. */
export function toNumber(value: unknown): number {
  if (typeof value === "number") return value;
  if (typeof value !== "string" || value.length > 60) return Number.NaN; // longer than any number
  const text = value.replace(/[\s$€£%_]|^(?:USD|EUR|GBP)|(?:USD|EUR|GBP)$/g, "");
  if (!/^[-+]?[\d.,]*\d[\d.,]*(?:e[-+]?\d+)?$/i.test(text)) return Number.NaN;
  if (/^[-+]?\d{1,3}(?:,\d{3})+(?:\.\d*)?$/.test(text)) return Number(text.replaceAll(",", ""));
  if (/^[-+]?\d{1,3}(?:\.\d{3})*,\d+$/.test(text) || /^[-+]?\d+,\d+$/.test(text))
    return Number(text.replaceAll(".", "").replace(",", "."));
  return Number(text);
}

/** A value as lower-case text, for comparing. */
export function toText(value: unknown): string {
  if (value === null || value === undefined) return "";
  return (typeof value === "object" ? JSON.stringify(value) : String(value)).trim().toLowerCase();
}

/** Milliseconds of a date in any common notation. NaN when it is none. */
export function toTime(value: unknown): number {
  if (typeof value === "number") return value;
  const text = String(value ?? "").trim();
  return /\d{4}|\d{1,2}[./-]\d{1,2}/.test(text) ? Date.parse(text) : Number.NaN;
}

/** Whether a value is a calendar date: `2024-01-05`, `5.1.2024`, `01/05/2024`, with or without a time. */
export function isDate(value: unknown): boolean {
  if (Object.prototype.toString.call(value) === "[object Date]") return true;
  return (
    typeof value === "string" &&
    /^\s*(?:\d{4}-\d{1,2}(?:-\d{1,2})?|\d{1,2}[./]\d{1,2}[./]\d{4}|\d{4}\/\d{1,2}\/\d{1,2})(?![\d-])/.test(value)
  );
}

/** The year of a date, or a year as it stands. NaN when there is none. */
export function toYear(value: unknown): number {
  return Number(/(?<!\d)(?:1[5-9]|20|21)\d{2}(?!\d)/.exec(String(value ?? ""))?.[0]);
}

/** Every text and number in the data, one a line. */
export function flatten(data: unknown): string {
  if (typeof data === "string") return data;
  const parts: string[] = [];
  const waiting: unknown[] = [data];
  while (waiting.length > 0) {
    const value = waiting.pop();
    if (value !== null && typeof value === "object") waiting.push(...Object.values(value).reverse());
    else if (value !== null && value !== undefined) parts.push(String(value));
  }
  return parts.join("\n");
}
