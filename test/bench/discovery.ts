/** Finding tools among many: what it costs in tokens, and how long a search takes. */
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import type { SearchEntry } from "../../src/capabilities/search-index.ts";
import { RUN_CODE, systemPrompt } from "../../src/model/prompt.ts";
import { CATALOG } from "../../tool-bindings/catalog.ts";
import { declarationOf, schemaOf } from "../../tool-bindings/declaration.ts";
import { entryOf } from "../../tool-bindings/discovery.ts";
import { compared, type Row } from "./row.ts";
import type { BenchServer } from "./server.ts";
import { measure } from "./stopwatch.ts";

const TOOLS = 2_500;
const ENTRIES = 10_000;
const HITS = 5;
const SEARCH_MS = 10; // design.md's limit for one search here
const FILL_BATCH = 1_000;

/** As many tools as wanted: the catalogue over and over, under other names. */
const many = (count: number): SearchEntry[] =>
  Array.from({ length: count }, (_, i) => {
    const entry = entryOf(CATALOG[i % CATALOG.length]!);
    return { ...entry, name: `${entry.name}_${i}`, summary: `${entry.summary.slice(0, -1)} of system ${i}.` };
  });

/** One job with one tool out of many: all definitions up front, as direct calls need them, against search and describe. */
export async function discoveryTokens(): Promise<Row[]> {
  const definitions = many(TOOLS).map(({ name, summary }, i) => ({
    name,
    description: summary,
    input_schema: schemaOf(CATALOG[i % CATALOG.length]!.input, "input"),
  }));
  const hits = many(HITS).map(({ name, summary }) => ({ name, summary, score: 1 }));
  const ours = [systemPrompt(), JSON.stringify(RUN_CODE), JSON.stringify(hits), declarationOf(CATALOG[0]!)];
  const subject = {
    id: "f",
    name: `one job among ${TOOLS} tools, by search and describe`,
    against: "all definitions up front",
    target: 0.02,
    unit: "tokens",
  };
  return [compared(subject, countTokens(ours.join("\n")), countTokens(JSON.stringify(definitions)))];
}

export async function searchTime(server: BenchServer): Promise<Row[]> {
  const entries = many(ENTRIES);
  for (let from = 0; from < ENTRIES; from += FILL_BATCH)
    await server.perform({ do: "index", entries: entries.slice(from, from + FILL_BATCH) });
  const queries = [
    "parse a CSV file into rows",
    "send an e-mail",
    "hash a text",
    "difference between two dates",
    "fetch a web page of system 77",
  ];
  const [ours] = await measure(server, [{ task: { do: "search", queries }, per: queries.length }], 25);
  return [
    compared({ id: "g", name: `one search among ${ENTRIES} tools`, against: "the limit", target: 1 }, ours!, SEARCH_MS),
  ];
}
