import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { decode, encode } from "../../src/kernel/codec.ts";
import { type DeskBackend, DeskTarget } from "../../src/kernel/desk-target.ts";
import { CELL_LIMITS, type CellJob, type CellOutcome } from "../../src/kernel/job.ts";
import { emitModule } from "../../src/kernel/module.ts";
import { Outcome } from "../../src/kernel/outcome.ts";
import { type CellRunnerApi, NearRunner } from "../../src/kernel/runner.ts";

const NOWHERE: CellRunnerApi = {
  run: async () => {
    throw new Error("more runs at once than this test starts");
  },
};
const runner = new NearRunner(env.LOADER, NOWHERE);
const NO_TOOLS: DeskBackend = { call: async (tool) => `no ${tool}`, log: () => {} };

async function run(id: string, source: string, given: { input: unknown; backend?: DeskBackend }): Promise<CellOutcome> {
  const emitted = emitModule(source);
  if (!emitted.ok) throw new Error(emitted.error.message);
  const job: CellJob = {
    fuel: CELL_LIMITS.fuel,
    startedAt: 0,
    seed: id,
    variables: { input: { data: encode(given.input).data } },
    limits: CELL_LIMITS,
  };
  const desk = new DeskTarget(given.backend ?? NO_TOOLS, CELL_LIMITS, new Map());
  return Outcome.parse(await runner.run({ id, module: emitted.value.module }, job, desk));
}

const output = (outcome: CellOutcome): unknown => {
  expect(outcome.error).toBeUndefined();
  return decode(outcome.done!);
};

const TOTALS = `
interface Order { customer: string; amount: number }
let runs = 0;
const add = (sums: Map<string, number>, { customer, amount }: Order) => sums.set(customer, (sums.get(customer) ?? 0) + amount);

export default async (input: { orders: Order[] }) => {
  runs++;
  const sums = new Map<string, number>();
  for (const order of input.orders) add(sums, order);
  await null;
  return { runs, sums: Object.fromEntries(sums) };
};
`;

describe("a capability's module in an isolate", () => {
  it("L1: runs twice by one id, with two inputs, and gives both results", async () => {
    const a = await run("module-test-totals", TOTALS, { input: { orders: [{ customer: "a", amount: 2 }] } });
    const b = await run("module-test-totals", TOTALS, {
      input: {
        orders: [
          { customer: "b", amount: 3 },
          { customer: "b", amount: 4 },
        ],
      },
    });
    expect(output(a)).toEqual({ runs: 1, sums: { a: 2 } });
    expect(output(b)).toEqual({ runs: 1, sums: { b: 7 } });
    expect([a.saved, b.saved]).toEqual([[], []]);
  });

  it("runs by its id: the code of a known id is what was loaded first", async () => {
    const first = await run("module-test-id", "export default () => 'first'", { input: null });
    const second = await run("module-test-id", "export default () => 'second'", { input: null });
    expect([output(first), output(second)]).toEqual(["first", "first"]);
  });

  it("runs at the same time with inputs and desks of their own", async () => {
    const backend = (answer: number): DeskBackend => ({
      call: async (tool, args) => JSON.stringify({ at: 0, ok: true, value: { tool, args: JSON.parse(args), answer } }),
      log: () => {},
    });
    const source = "export default async (input: { n: number }) => [input.n, await tools.http.get({ n: input.n })]";
    const both = await Promise.all(
      [1, 2].map((n) => run("module-test-desk", source, { input: { n }, backend: backend(n * 10) })),
    );
    expect(both.map(output)).toEqual([
      [1, { tool: "http.get", args: { n: 1 }, answer: 10 }],
      [2, { tool: "http.get", args: { n: 2 }, answer: 20 }],
    ]);
  });

  it("tells what it threw, and K2: is stopped when it doesn't end", async () => {
    const thrown = await run("module-test-throws", "export default (input) => { throw new TypeError(input.why) }", {
      input: { why: "because" },
    });
    expect(thrown).toMatchObject({ error: { name: "TypeError", message: "because" } });
    expect(thrown.done).toBeUndefined();
    const endless = await run("module-test-endless", "export default () => { for (;;) {} }", { input: null });
    expect(endless).toMatchObject({ error: { kind: "fuel" } });
    expect(endless.done).toBeUndefined();
  });
});
