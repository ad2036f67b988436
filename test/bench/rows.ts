import { manyAgents, transcriptTokens } from "./agents.ts";
import { discoveryTokens, searchTime } from "./discovery.ts";
import { compared, type Row } from "./row.ts";
import type { BenchServer } from "./server.ts";
import { measure } from "./stopwatch.ts";
import type { Task } from "./task.ts";

/** Every group of rows by its letter, in the order they are measured. Each rejects when it could not be measured. */
export const ROWS: Record<string, (server: BenchServer) => Promise<Row[]>> = {
  a: freshCell,
  b: storedCode,
  c: journaledCall,
  d: manyVariables,
  e: compileTime,
  f: discoveryTokens,
  g: searchTime,
  h: transcriptTokens,
  i: manyAgents,
};

async function freshCell(server: BenchServer): Promise<Row[]> {
  const count = 10;
  const source = "const answer = await tools.bench.echo({ n: 1 });\nanswer";
  const [ours, bare] = await measure(
    server,
    [
      { task: { do: "cells", object: "calls", source, count }, per: count },
      { task: { do: "bare-loads", count }, per: count },
    ],
    20,
  );
  const subject = { id: "a", name: "one cell, one tool call", against: "bare load() + one RPC", target: 1.5 };
  return [compared(subject, ours!, bare!)];
}

async function storedCode(server: BenchServer): Promise<Row[]> {
  const count = 100;
  const [ours, whole, bare] = await measure(
    server,
    [
      { task: { do: "stored-cells", count }, per: count },
      { task: { do: "capability-runs", count }, per: count },
      { task: { do: "bare-gets", count }, per: count },
    ],
    20,
  );
  const against = "bare warm get() call";
  return [
    compared({ id: "b", name: "a warm capability run", against, target: 3 }, ours!, bare!),
    compared(
      {
        id: "b (all)",
        name: "chosen, journaled, run, checked, recorded",
        against,
        target: null,
        note: "two calls of the Library",
      },
      whole!,
      bare!,
    ),
  ];
}

/** The cost of one call is the slope: a run with many calls less a run with one, so that the isolate falls out. */
async function journaledCall(server: BenchServer): Promise<Row[]> {
  const calls = 200;
  const cell = (n: number): Task => ({
    do: "cells",
    object: "calls",
    source: `for (let i = 0; i < ${n}; i++) await tools.bench.echo({ n: i });`,
    count: 1,
  });
  const codemode = (n: number): Task => ({
    do: "codemode",
    code: `async () => { for (let i = 0; i < ${n}; i++) await bench.echo({ n: i }); }`,
    count: 1,
  });
  const [many, one, theirMany, theirOne] = await measure(
    server,
    [cell(calls), cell(1), codemode(calls), codemode(1)].map((task) => ({ task, per: 1 })),
    9,
  );
  const subject = { id: "c", name: "journaled call", against: "codemode's logged call", target: 0.5 };
  return [compared(subject, (many! - one!) / (calls - 1), (theirMany! - theirOne!) / (calls - 1))];
}

const LARGE_CHARS = 100_000;
const SMALL_CHARS = 100;
const FILL_BATCH = 50; // 5 MB a transaction

async function manyVariables(server: BenchServer): Promise<Row[]> {
  for (let from = 0; from < 1_000; from += FILL_BATCH)
    await server.perform({ do: "fill", object: "thousand", from, to: from + FILL_BATCH, chars: LARGE_CHARS });
  for (const object of ["ten", "ten-one-large"])
    await server.perform({ do: "fill", object, from: 0, to: 10, chars: SMALL_CHARS });
  await server.perform({ do: "fill", object: "ten-one-large", from: 7, to: 8, chars: LARGE_CHARS });

  const count = 5;
  const naming = (object: string) => ({
    task: { do: "cells", object, source: "const rows = v7.length;\nrows", count } as const,
    per: count,
  });
  const [thousand, ten, tenOneLarge] = await measure(
    server,
    [naming("thousand"), naming("ten"), naming("ten-one-large")],
    25,
  );
  const name = "a cell naming 1 of 1,000 variables, 100 MB in all";
  return [
    compared({ id: "d", name, against: "1 of 10 small ones", target: 1.2 }, thousand!, ten!),
    compared({ id: "d (K1)", name, against: "the same variable among 10", target: 1.2 }, thousand!, tenOneLarge!),
  ];
}

async function compileTime(server: BenchServer): Promise<Row[]> {
  const rows: Row[] = [];
  for (const kilobytes of [1, 10, 100]) {
    const chars = kilobytes * 1_000;
    const count = Math.max(2, 100 / kilobytes); // about as much text in each request
    const [ours, parse] = await measure(
      server,
      [
        { task: { do: "compile", chars, count }, per: count },
        { task: { do: "parse", chars, count }, per: count },
      ],
      15,
    );
    const note = `${(ours! / kilobytes).toFixed(3)} ms per KB`;
    rows.push(
      compared(
        { id: "e", name: `compile ${kilobytes} KB`, against: "its parse alone", target: null, note },
        ours!,
        parse!,
      ),
    );
  }
  return rows;
}
