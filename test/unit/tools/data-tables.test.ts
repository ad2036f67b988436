import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { DATA_TOOLS } from "../../../tool-bindings/data/index.ts";
import { caller, filled } from "./tool-call.ts";

const { call, failure } = caller(DATA_TOOLS);

interface Table {
  rows: Record<string, unknown>[];
  columns: string[];
  count: number;
  delimiter: string;
}
const csv = async (text: string, more: object = {}): Promise<Table> =>
  (await call("data.csv", { text, ...more })) as Table;

describe("data.csv", { timeout: 60_000 }, () => {
  it("reads back what data.toCsv wrote", async () => {
    const cell = fc.oneof(fc.string({ unit: "grapheme" }), fc.constantFrom('"', "a,b", "\n", "\r\n", "", " x "));
    const rows = fc.array(fc.record({ "a, b": cell, c: cell }), { minLength: 1, maxLength: 8 });
    await fc.assert(
      fc.asyncProperty(rows, async (original) => {
        const { csv: text } = (await call("data.toCsv", { rows: original })) as { csv: string };
        const { rows: back } = await csv(text, { types: "text", delimiter: "," });
        const unixEnds = (value: string): string => value.replace(/\r\n?/g, "\n");
        expect(back).toEqual(original.map((row) => ({ "a, b": unixEnds(row["a, b"]), c: unixEnds(row.c) })));
      }),
    );
  });

  it("reads numbers, truth values and nothing, and leaves codes and ids alone", async () => {
    const { rows } = await csv("a,b,c,d,e,f\n1.5,-2e3,true,,007,12345678901234567890");
    expect(rows).toEqual([{ a: 1.5, b: -2000, c: true, d: null, e: "007", f: "12345678901234567890" }]);
  });

  it("guesses the delimiter", async () => {
    for (const delimiter of [",", ";", "\t", "|"]) {
      const table = await csv(`a${delimiter}b\n1${delimiter}2\n`);
      expect(table).toMatchObject({ delimiter, rows: [{ a: 1, b: 2 }] });
    }
  });

  it("names columns that have no name or share one, and fills short rows", async () => {
    const { rows, columns } = await csv("a,a,,a_2\n1,2\n1,2,3,4,5");
    expect(columns).toEqual(["a", "a_2", "column_3", "a_2_2", "column_5"]);
    expect(rows[0]).toEqual({ a: 1, a_2: 2, column_3: null, a_2_2: null, column_5: null });
  });

  it("reads tables without a header, with a byte order mark, Windows line ends and empty lines", async () => {
    expect(await csv("\ufeffa,b\r\n\r\n1,2\r\n", { header: false })).toMatchObject({
      count: 2,
      rows: [
        { column_1: "a", column_2: "b" },
        { column_1: 1, column_2: 2 },
      ],
    });
    expect(await csv("")).toMatchObject({ rows: [], columns: [], count: 0 });
  });

  it("says where a quote is wrong", async () => {
    expect(await failure("data.csv", { text: 'a,b\n1,"open\n2,3' })).toMatchObject({
      kind: "bad-csv",
      data: { line: 2, column: 3 },
    });
    expect(await failure("data.csv", { text: 'a\n"x"y' })).toMatchObject({
      kind: "bad-csv",
      data: { line: 2, column: 4 },
    });
    expect((await csv('size\n5" pipe')).rows).toEqual([{ size: '5" pipe' }]);
  });

  it("has __proto__ as a column like any other", async () => {
    const { rows } = await csv("__proto__,constructor\n1,2");
    expect(Object.keys(rows[0]!)).toEqual(["__proto__", "constructor"]);
    expect(Object.getPrototypeOf(rows[0])).toBe(Object.prototype);
  });

  it("reads or refuses 2 MB of anything", async () => {
    expect(await csv(filled("a"))).toMatchObject({ count: 0 });
    expect(await csv(filled('"'))).toMatchObject({ count: 0 });
    expect(await csv(`a\n${filled('a"').slice(2)}`)).toMatchObject({ count: 1 });
    expect(await csv(filled("\n"))).toMatchObject({ count: 0 });
    expect(await csv(filled("\0"))).toMatchObject({ count: 0 });
    expect((await failure("data.csv", { text: `"${filled("a").slice(1)}` })).kind).toBe("bad-csv");
    expect((await failure("data.csv", { text: filled(",") })).kind).toBe("too-large");
    expect((await failure("data.csv", { text: filled("a,") })).kind).toBe("too-large");
    expect((await failure("data.csv", { text: `${filled("a")}aa` })).kind).toBe("too-large");
  });

  it("does not let one row or one name make all rows large", async () => {
    const tall = "b\n".repeat(900_000);
    expect((await failure("data.csv", { text: `${"a,".repeat(1_000)}\n${tall}` })).kind).toBe("too-large");
    expect((await failure("data.csv", { text: `${"x".repeat(100_000)}\n${tall}` })).kind).toBe("too-large");
  });
});

describe("data.table", { timeout: 60_000 }, () => {
  it("keeps cells in their cells", async () => {
    const rows = [{ a: "x|y\nz", b: null, c: { d: 1 } }, { b: 2.5 }];
    expect(await call("data.table", { rows })).toEqual({
      markdown: '| a | b | c |\n| --- | ---: | --- |\n| x\\|y<br>z |  | {"d":1} |\n|  | 2.5 |  |\n',
    });
    expect(await call("data.table", { rows, columns: ["b", "none", "b"] })).toEqual({
      markdown: "| b | none |\n| ---: | --- |\n|  |  |\n| 2.5 |  |\n",
    });
    expect(await call("data.table", { rows: [] })).toEqual({ markdown: "" });
  });

  it("takes no inherited value for a cell", async () => {
    expect(await call("data.table", { rows: [{ a: 1 }], columns: ["constructor"] })).toEqual({
      markdown: "| constructor |\n| --- |\n|  |\n",
    });
  });
});

describe("data.group", { timeout: 60_000 }, () => {
  const rows = [
    { k: "x", n: 3, t: "b" },
    { k: "y", n: null, t: "a" },
    { k: "x", n: 1, t: "b" },
    { n: 5, t: "" },
  ];

  it("aggregates in every way", async () => {
    const aggregate = Object.fromEntries(
      ["count", "sum", "mean", "median", "min", "max", "first", "last", "list", "distinct"].map((op) => [
        op,
        { op, of: "n" },
      ]),
    );
    const result = (await call("data.group", { rows, by: "k", aggregate })) as Table;
    expect(result.rows).toEqual([
      { k: "x", count: 2, sum: 4, mean: 2, median: 2, min: 1, max: 3, first: 3, last: 1, list: [3, 1], distinct: 2 },
      {
        k: "y",
        count: 0,
        sum: 0,
        mean: null,
        median: null,
        min: null,
        max: null,
        first: null,
        last: null,
        list: [],
        distinct: 0,
      },
      { k: null, count: 1, sum: 5, mean: 5, median: 5, min: 5, max: 5, first: 5, last: 5, list: [5], distinct: 1 },
    ]);
  });

  it("groups by several columns, or by none", async () => {
    expect(await call("data.group", { rows, by: ["k", "t"] })).toMatchObject({ count: 3 });
    expect(await call("data.group", { rows, by: [] })).toEqual({ rows: [{ count: 4 }], count: 1 });
  });

  it('keeps 1 and "1" apart', async () => {
    expect(await call("data.group", { rows: [{ k: 1 }, { k: "1" }], by: "k" })).toMatchObject({ count: 2 });
  });

  it("refuses to sum what is no number and to aggregate nothing", async () => {
    const sum = { total: { op: "sum", of: "t" } };
    expect(await failure("data.group", { rows, by: "k", aggregate: sum })).toMatchObject({ kind: "not-a-number" });
    expect((await failure("data.group", { rows, by: "k", aggregate: { total: { op: "sum" } } })).kind).toBe(
      "missing-column",
    );
  });

  it("does not let names or values multiply", async () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({ id: i }));
    const long = "x".repeat(100_000);
    expect((await failure("data.group", { rows: many, by: [long, "id"] })).kind).toBe("too-large");
    const copies = Object.fromEntries(Array.from({ length: 50 }, (_, i) => [`c${i}`, { op: "first", of: "t" }]));
    const text = "x".repeat(1_000_000);
    expect((await failure("data.group", { rows: [{ t: text }], by: [], aggregate: copies })).kind).toBe("too-large");
  });
});

describe("data.stats", { timeout: 60_000 }, () => {
  it("agrees with the definitions", async () => {
    const values = fc.array(fc.double({ min: -1e6, max: 1e6, noNaN: true }), { minLength: 2, maxLength: 50 });
    await fc.assert(
      fc.asyncProperty(values, async (numbers) => {
        const result = (await call("data.stats", { values: numbers })) as {
          mean: number;
          stddev: number;
          min: number;
          max: number;
          histogram: { count: number }[];
          quantiles: { value: number }[];
        };
        const mean = numbers.reduce((a, b) => a + b, 0) / numbers.length;
        const variance = numbers.reduce((sum, x) => sum + (x - mean) ** 2, 0) / (numbers.length - 1);
        expect(result.mean).toBeCloseTo(mean, 5);
        expect(result.stddev).toBeCloseTo(Math.sqrt(variance), 4);
        expect(result.histogram.reduce((sum, bin) => sum + bin.count, 0)).toBe(numbers.length);
        for (const { value } of result.quantiles) {
          expect(value).toBeGreaterThanOrEqual(result.min);
          expect(value).toBeLessThanOrEqual(result.max);
        }
      }),
    );
  });

  it("does not lose small numbers beside large ones", async () => {
    expect(await call("data.stats", { values: [1e16, 1, -1e16] })).toMatchObject({ sum: 1 });
    expect(await call("data.stats", { values: [7] })).toMatchObject({
      stddev: 0,
      median: 7,
      histogram: [{ from: 7, to: 7, count: 1 }],
    });
  });

  it("refuses what has no statistics", async () => {
    expect((await failure("data.stats", { values: [] })).kind).toBe("no-values");
    expect((await failure("data.stats", { values: [null] })).kind).toBe("no-values");
    expect((await failure("data.stats", { values: [1.7e308, 1.7e308] })).kind).toBe("out-of-range");
    expect((await failure("data.stats", { values: ["1"] })).kind).toBe("bad-arguments");
    expect((await failure("data.stats", { values: Array.from({ length: 500_001 }, () => 1) })).kind).toBe("too-large");
  });
});

describe("data.diff", { timeout: 60_000 }, () => {
  it("says what changed inside a row, by pointer", async () => {
    const before = [{ id: 1, tags: ["a", "b"], "x/y": { "~": 1 }, gone: 1 }];
    const after = [{ id: 1, tags: ["a", "c", "d"], "x/y": { "~": 2 }, come: null }];
    expect(await call("data.diff", { before, after, key: "id" })).toMatchObject({
      changed: [
        {
          key: "1",
          changes: [
            { path: "/tags/1", before: "b", after: "c" },
            { path: "/tags/2", after: "d" },
            { path: "/x~1y/~0", before: 1, after: 2 },
            { path: "/gone", before: 1 },
            { path: "/come", after: null },
          ],
        },
      ],
      unchanged: 0,
    });
  });

  it("finds a table equal to itself, with a key and without", async () => {
    const rows = [{ id: "a" }, { id: "b" }, { id: "b2" }];
    const same = { added: [], removed: [], changed: [], unchanged: 3 };
    expect(await call("data.diff", { before: rows, after: rows.toReversed(), key: "id" })).toEqual(same);
    expect(await call("data.diff", { before: rows, after: rows.toReversed() })).toEqual(same);
  });

  it("counts equal rows without a key", async () => {
    expect(await call("data.diff", { before: [1, 1, 2], after: [1, 3] })).toEqual({
      added: [3],
      removed: [1, 2],
      changed: [],
      unchanged: 1,
    });
  });

  it("compares objects", async () => {
    expect(await call("data.diff", { before: { a: 1 }, after: { a: [1] } })).toMatchObject({
      changed: [{ key: "", changes: [{ path: "/a", before: 1, after: [1] }] }],
    });
  });

  it("refuses rows that can't be told apart or compared", async () => {
    const args = { after: [], key: "id" };
    expect((await failure("data.diff", { ...args, before: [{ id: 1 }, { id: 1 }] })).kind).toBe("duplicate-key");
    expect((await failure("data.diff", { ...args, before: [{ no: 1 }] })).kind).toBe("missing-key");
    expect((await failure("data.diff", { ...args, before: [{ x: 1 }], key: "constructor" })).kind).toBe("missing-key");
    expect((await failure("data.diff", { before: [], after: {} })).kind).toBe("not-comparable");
  });

  it("does not repeat a long name for each of many fields", async () => {
    const name = "x".repeat(100_000);
    const fields = (value: number): object =>
      Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`f${i}`, value]));
    const { kind } = await failure("data.diff", { before: { [name]: fields(1) }, after: { [name]: fields(2) } });
    expect(kind).toBe("too-large");
  });
});

describe("rows that are too large or too deep", { timeout: 60_000 }, () => {
  const deep = (levels: number): unknown => JSON.parse(`${"[".repeat(levels)}${"]".repeat(levels)}`);

  it.each(["data.toCsv", "data.table", "data.group"])("are refused by %s", async (name) => {
    const more = name === "data.group" ? { by: "a" } : {};
    expect((await failure(name, { rows: [{ a: deep(150) }], ...more })).kind).toBe("too-deep");
    expect((await failure(name, { rows: [{ a: filled("x"), b: "y" }], ...more })).kind).toBe("too-large");
    expect((await failure(name, { rows: [{ a: Array.from({ length: 500_001 }, () => 0) }], ...more })).kind).toBe(
      "too-large",
    );
  });

  it.each(["data.toCsv", "data.table"])("are refused by %s when most cells would be empty", async (name) => {
    const sparse = Array.from({ length: 2_000 }, (_, i) => ({ [`c${i}`]: i }));
    expect((await failure(name, { rows: sparse })).kind).toBe("too-large");
  });
});
