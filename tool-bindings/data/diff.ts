import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { Allowance, boundedValue, VALUE_NOTE } from "../text/size.ts";
import { cellOf, type Row } from "./rows.ts";

const Change = z.object({
  path: z.string().describe("JSON Pointer inside the row or object"),
  before: z.unknown().optional().describe("left out when it was not there"),
  after: z.unknown().optional().describe("left out when it is gone"),
});
type Change = z.infer<typeof Change>;

const isObject = (value: unknown): value is Row => typeof value === "object" && value !== null;
const step = (key: string): string => `/${key.replaceAll("~", "~0").replaceAll("/", "~1")}`;

/** What differs between two values. Both are bounded in depth, so recursion is. */
function* changesOf(before: unknown, after: unknown, path = ""): Generator<Change> {
  if (before === after) return;
  if (!isObject(before) || !isObject(after) || Array.isArray(before) !== Array.isArray(after)) {
    yield { path, before, after };
    return;
  }
  for (const [key, value] of Object.entries(before)) {
    if (Object.hasOwn(after, key)) yield* changesOf(value, after[key], path + step(key));
    else yield { path: path + step(key), before: value };
  }
  for (const [key, value] of Object.entries(after))
    if (!Object.hasOwn(before, key)) yield { path: path + step(key), after: value };
}

/** Rows by their key, as text. Without a key a row is its own, with a number for the second of its kind. */
function byKey(rows: readonly unknown[], columns: readonly string[] | undefined): Map<string, unknown> {
  const known = new Map<string, unknown>();
  const times = new Map<string, number>();
  for (const [index, row] of rows.entries()) {
    if (columns === undefined) {
      const text = JSON.stringify(row);
      const seen = times.get(text) ?? 0;
      times.set(text, seen + 1);
      known.set(`${seen}:${text}`, row);
      continue;
    }
    const values = columns.map((column) => (isObject(row) ? cellOf(row, column) : undefined));
    if (values.some((value) => value === undefined || value === null))
      throw new ToolFailure("missing-key", `Row ${index} has no value for the key ${columns.join(", ")}.`, {
        row: index,
      });
    const key = values.length === 1 && !isObject(values[0]) ? String(values[0]) : JSON.stringify(values);
    if (known.has(key))
      throw new ToolFailure("duplicate-key", `More than one row has the key ${key.slice(0, 60)}.`, { row: index });
    known.set(key, row);
  }
  return known;
}

export const diff = defineTool({
  name: "data.diff",
  summary: "Compares two tables by key, or two objects field by field.",
  description: `Two lists: rows are matched by \`key\`; without one, equal rows are matched and the rest is added or removed. Two objects: \`changed\` has one entry with key "". Lists inside rows are compared by place. Fails as \`missing-key\`, \`duplicate-key\`, or \`not-comparable\` for a list and an object. ${VALUE_NOTE}`,
  input: z.strictObject({
    before: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).describe("rows or an object"),
    after: z.union([z.array(z.unknown()), z.record(z.string(), z.unknown())]).describe("of the same kind"),
    key: z
      .union([z.string(), z.array(z.string()).min(1).max(10)])
      .optional()
      .describe("column or columns that name a row"),
  }),
  output: z.object({
    added: z.array(z.unknown()).describe("rows only in after"),
    removed: z.array(z.unknown()).describe("rows only in before"),
    changed: z.array(z.object({ key: z.string(), changes: z.array(Change) })),
    unchanged: z.number().describe("rows that are the same"),
  }),
  effect: "read",
  examples: [
    {
      args: {
        before: [
          { id: 1, price: 5 },
          { id: 2, price: 7 },
        ],
        after: [
          { id: 2, price: 8 },
          { id: 3, price: 1 },
        ],
        key: "id",
      },
      result: {
        added: [{ id: 3, price: 1 }],
        removed: [{ id: 1, price: 5 }],
        changed: [{ key: "2", changes: [{ path: "/price", before: 7, after: 8 }] }],
        unchanged: 0,
      },
    },
  ],
  execute: async ({ before, after, key }) => {
    boundedValue(before, "before");
    boundedValue(after, "after");
    if (Array.isArray(before) !== Array.isArray(after))
      throw new ToolFailure("not-comparable", "`before` and `after` must both be lists or both be objects.");
    const columns = typeof key === "string" ? [key] : key;
    const left = Array.isArray(before) ? byKey(before, columns) : new Map<string, unknown>([["", before]]);
    const right = Array.isArray(after) ? byKey(after, columns) : new Map<string, unknown>([["", after]]);
    const allowance = new Allowance("Compare fewer rows or shorter names.");
    const changed: { key: string; changes: Change[] }[] = [];
    let unchanged = 0;
    for (const [id, row] of left) {
      if (!right.has(id)) continue;
      const changes: Change[] = [];
      for (const change of changesOf(row, right.get(id))) {
        allowance.spend(change.path.length + 1); // a long name above many fields is repeated for each
        changes.push(change);
      }
      if (changes.length === 0) unchanged++;
      else changed.push({ key: id, changes });
    }
    return {
      added: [...right].filter(([id]) => !left.has(id)).map(([, row]) => row),
      removed: [...left].filter(([id]) => !right.has(id)).map(([, row]) => row),
      changed,
      unchanged,
    };
  },
});
