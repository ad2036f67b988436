import { describe, expect, it } from "vitest";
import { answer, ask, runCell } from "./cell-runner.ts";

const HOSTILE = [
  '"; done(1); "',
  "`${done(1)}`",
  "${process.exit()}",
  "*/ done(1) /*",
  "// \n done(1)",
  "\u2028 done(1) \u2029",
  "\\",
  "'",
  '"',
  "a.*b(c[d]{2}+?^$|",
  "</script>",
  "toRows(data)",
];
const LIMIT_MS = 2000; // a search that grows with the square of the goal takes longer
const rows = HOSTILE.map((word, id) => ({ id, word }));

describe("a goal's own words in a cell", () => {
  it.each(HOSTILE)("are data when a row is sought by %j", async (word) => {
    const reply = await ask({ goal: `rows where word is ${quote(word)}`, inputs: { rows } });
    const code = reply.ok ? (reply.value.call?.code ?? "") : "";
    expect(await runCell(code, { rows })).toEqual(rows.filter((row) => row.word === word));
  });

  it.each(["a.b", "c++", "(x)", "[y]", "$5", "^", "a|b", "-"])("are no pattern when %j is counted", async (word) => {
    const text = `${word} z axb ${word}`;
    expect(await answer(`count occurrences of "${word}" in the text`, { text })).toBe(2);
  });

  it("are data when they are labels", async () => {
    const goal = "tag each as __proto__, constructor or toString";
    expect(await answer(goal, { xs: ["a constructor", "none"] })).toEqual(["constructor", null]);
  });

  it("can't leave the comment that names the recipe", async () => {
    expect(await answer('how many times does "a\ndone(7)" appear in the text', { text: "a\ndone(7)" })).toBe(1);
  });

  const quote = (word: string): string => (word.includes('"') ? `\`${word}\`` : `"${word}"`);
});

describe("fields named like parts of every object", () => {
  const odd: unknown[] = JSON.parse('[{"__proto__": "a", "constructor": 1}, {"__proto__": "b"}, {"constructor": 5}]');

  it.each([
    ['unique values of "__proto__"', ["a", "b"]],
    ["sum of constructor", 6],
    ["count by __proto__", { a: 1, b: 1, "(none)": 1 }],
    ["max constructor", 5],
  ])("%s", async (goal, expected) => {
    expect(JSON.stringify(await answer(goal, { odd }))).toBe(JSON.stringify(expected));
  });

  it("are columns of a CSV like any other", async () => {
    const table = "__proto__,constructor\nx,1\ny,2\n";
    const found = await answer("rows where constructor is 2", { table });
    expect(JSON.stringify(found)).toBe('[{"__proto__":"y","constructor":2}]');
  });

  it("are group keys like any other", async () => {
    const groups = await answer("count by kind", { xs: [{ kind: "__proto__" }, { kind: "constructor" }] });
    expect(JSON.stringify(groups)).toBe('{"__proto__":1,"constructor":1}');
  });
});

describe("inputs named like what a cell uses", () => {
  it.each(["rows", "data", "toRows", "row", "all", "groups", "text", "read", "distinct"])("%s", async (name) => {
    expect(await answer("total of amount by city", { [name]: [{ city: "Rome", amount: "1,000" }] })).toEqual({
      Rome: 1000,
    });
  });

  it("hides no built-in: the input has to be renamed", async () => {
    const reply = await ask({ goal: "how many rows", inputs: { Map: [{ a: 1 }] } });
    expect(reply).toMatchObject({
      failure: {
        kind: "no-recipe",
        recipes: expect.arrayContaining([expect.stringContaining("rename the input Map")]),
      },
    });
  });
});

describe("very long goals", () => {
  const long = 30_000;
  it.each([
    ["words", "word ".repeat(long / 5)],
    ["one word", "x".repeat(long)],
    ["open quotes", '"“`'.repeat(long / 3)],
    ["digits", "1,".repeat(long / 2)],
    ["parentheses", "(".repeat(long)],
    ["spaces", `how many${" ".repeat(long)}rows where`],
    ["newlines", "\n".repeat(long)],
    ["gaps after as", `tag each as${" ".repeat(long)}x:`],
    ["gaps after say", `say${" ".repeat(long / 2)}x${" ".repeat(long / 2)}x`],
    ["gaps in data", `frobnicate: a${" ".repeat(long)}b`],
    ["marks", `what${"?".repeat(long)}x`],
    ["how many times", "how many times does ".repeat(long / 20)],
    ["conditions", `rows where ${"age is 1 and ".repeat(long / 13)}age is 2`],
  ])("of %s are refused at once", async (_, goal) => {
    const started = performance.now();
    const reply = await ask({ goal, inputs: { people: [{ name: "Ann", age: 1 }] } });
    expect(reply.ok).toBe(false);
    expect(performance.now() - started).toBeLessThan(LIMIT_MS);
  });

  it("carry as much data as they may", async () => {
    expect(await answer(`count the words in: ${"word ".repeat(long / 5)}`)).toBe(long / 5);
  });

  it("are planned at once for a hundred inputs of forty fields", async () => {
    const row = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`some_field_${i}`, i]));
    const inputs = Object.fromEntries(Array.from({ length: 100 }, (_, i) => [`input${i}`, [row]]));
    const started = performance.now();
    const reply = await ask({
      goal: `rows of input7 where ${"some field 3 is 1 or ".repeat(40)}some field 4 is 4`,
      inputs,
    });
    expect(performance.now() - started).toBeLessThan(LIMIT_MS);
    expect(reply.ok).toBe(true);
  });
});

it.each([
  ["gaps", " ".repeat(1_000_000)],
  ["newlines", "\n".repeat(1_000_000)],
  ["digits", "1".repeat(1_000_000)],
  ["letters", "a".repeat(1_000_000)],
  ["marks", `http://a${"!".repeat(1_000_000)}`],
  ["quotes", '"'.repeat(1_000_000)],
])("searches a million %s at once", async (_, filling) => {
  const text = `x${filling}x`;
  const started = performance.now();
  await answer("extract emails, urls, dates, numbers, phone numbers, hashtags, mentions and quotes", { text });
  await answer("summarise the text", { text });
  await answer("how many paragraphs", { text });
  await answer("sum of a", { table: `a,b\n1,2\n3,4\n5,6\n${text},3\n` });
  expect(performance.now() - started).toBeLessThan(4 * LIMIT_MS);
});

it("reads a large table in linear time", async () => {
  const table = `city,amount\n${'"Rome, ""old""",1\nOslo,2\n'.repeat(50_000)}`;
  expect(await answer("total amount by city", { table })).toEqual({ 'Rome, "old"': 50_000, Oslo: 100_000 });
});
