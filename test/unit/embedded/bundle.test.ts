import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { build, type BuildOptions } from "esbuild";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { analyseCell } from "../../../src/kernel/compile.ts";
import { SNIPPETS } from "../../../src/model/embedded/snippets/index.ts";
import type { Model } from "../../../src/model/port.ts";
import { ask, type Inputs, runCell } from "./cell-runner.ts";

const ENTRY = join(import.meta.dirname, "../../../src/model/embedded/planner.ts");
const people = [
  { name: "Ann", age: "1,031", city: "Paris", born: "1990-01-02" },
  { name: "Bob", age: 25, city: "Rome", born: "1980-01-02" },
];
const text = 'One fish, two fish. "Red" fish? a@b.co https://x.co 2024-01-02 +1 555-010-7788 #tag @dee 12\nEnd.';

// Together they use every snippet.
const GOALS: [goal: string, inputs: Inputs][] = [
  ["sum of age by city where born is after 1970-01-01 and city contains a", { people }],
  ["rows where date is after 1970 and name is Ann", { csv: "name,date\nAnn,1990-01-02\nBob,1980-01-02\n" }],
  ["people born after 1985", { people }],
  ["how many rows", { column: "name\nAnn\nBob\n" }],
  ["oldest person", { people }],
  ["max age", { people }],
  ["unique cities", { people }],
  ["describe people", { people }],
  ["extract emails, urls, dates, numbers, phone numbers, hashtags, mentions and quotes", { text }],
  ["how many times does fish appear in the text", { text }],
  ["tag each as bug or question", { xs: ["an error", "how?"] }],
  ["summarise the text in one sentence", { text }],
  ['extract the key facts about "fish" from the text', { text }],
  ['write a report titled "Fish" from the facts', { facts: [{ fact: "One fish.", source: "text" }] }],
  ["check that the text mentions every fact and has no empty section", { work: { facts: [{ fact: "a" }], text } }],
  ["how many words", { text }],
  ["how many lines", { text }],
];

describe.each<[string, BuildOptions]>([
  ["minified", { minify: true, keepNames: false }],
  ["minified with names kept", { minify: true, keepNames: true }],
  ["with names kept, as wrangler does", { keepNames: true }],
])("bundled %s, the planner", (_, options) => {
  let folder = "";
  let model: Model;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), "praxis-embedded-"));
    const outfile = join(folder, "planner.mjs");
    await build({ entryPoints: [ENTRY], outfile, bundle: true, format: "esm", target: "es2024", ...options });
    const bundled: { embeddedPlanner(): Model } = await import(/* @vite-ignore */ pathToFileURL(outfile).href);
    model = bundled.embeddedPlanner();
  });
  afterAll(() => rm(folder, { recursive: true }));

  it.each(GOALS)("writes cells that still stand alone: %s", async (goal, inputs) => {
    const [bundled, plain] = await Promise.all([ask({ goal, inputs, model }), ask({ goal, inputs })]);
    if (!bundled.ok || !plain.ok) throw new Error("expected a cell");
    const expected = await runCell(plain.value.call?.code ?? "", inputs);
    expect(await runCell(bundled.value.call?.code ?? "", inputs)).toEqual(expected);
  });
});

it("these goals use every snippet", async () => {
  const replies = await Promise.all(GOALS.map(([goal, inputs]) => ask({ goal, inputs })));
  const code = replies.map((reply) => (reply.ok ? reply.value.call?.code : "")).join("\n");
  expect(Object.keys(SNIPPETS).filter((name) => !code.includes(`const ${name} = `))).toEqual([]);
});

it("the kernel takes every cell; it declares nothing and names its input alone", async () => {
  for (const [goal, inputs] of GOALS) {
    const reply = await ask({ goal, inputs });
    const analysis = analyseCell(reply.ok ? (reply.value.call?.code ?? "") : "");
    if (!analysis.ok) throw new Error(analysis.error.message);
    const { declares, free } = analysis.value;
    expect(declares).toEqual([]);
    expect(free.filter((name) => !(name in globalThis)).sort()).toEqual(["done", ...Object.keys(inputs)].sort());
  }
});

it("a cell imports nothing and makes no code from text", async () => {
  const replies = await Promise.all(GOALS.map(([goal, inputs]) => ask({ goal, inputs })));
  for (const reply of replies)
    expect(reply.ok && reply.value.call?.code).not.toMatch(/\bimport\b|\beval\b|\bFunction\b|globalThis/);
});
