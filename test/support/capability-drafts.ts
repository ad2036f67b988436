import { env } from "cloudflare:test";
import type { FunctionDraft } from "../../src/contract/capability.ts";
import type { Author, LibraryApi, Saved, Use } from "../../src/contract/library.ts";

export type TestLibrary = Omit<LibraryApi, "remember" | "recall" | "lessons" | "forget">;

export const OUTSIDE: Author = { grants: [], by: "api" };

/** A library of its own. The cast is `libraryOf`'s: the stub's type unfolds JSON without end. */
export function openLibrary(tenant = `t-${crypto.randomUUID()}`): { library: TestLibrary; tenant: string } {
  return { library: env.LIBRARY.getByName(tenant) as unknown as TestLibrary, tenant };
}

/** Adds up amounts by customer. Does what its tests say. */
export const totals = (changes: Partial<FunctionDraft> = {}): FunctionDraft => ({
  name: "total-by-customer",
  description: "Adds up the amounts of orders by customer.",
  input: {
    type: "object",
    properties: { orders: { type: "array", items: { type: "object" } } },
    required: ["orders"],
  },
  output: { type: "object", additionalProperties: { type: "number" } },
  source: `interface Order { customer: string; amount: number }
export default async (input: { orders: Order[] }) => {
  const sums: Record<string, number> = {};
  for (const { customer, amount } of input.orders) sums[customer] = (sums[customer] ?? 0) + amount;
  return sums;
};
`,
  tests: [
    {
      input: {
        orders: [
          { customer: "ann", amount: 2 },
          { customer: "ann", amount: 3 },
        ],
      },
      expect: { ann: 5 },
    },
    { input: { orders: 7 }, throws: true },
  ],
  ...changes,
});

/** Fetches a rate; needs `http.get`. */
export const rate = (changes: Partial<FunctionDraft> = {}): FunctionDraft => ({
  name: "exchange-rate",
  description: "Gives the exchange rate between two currencies.",
  input: { type: "object", properties: { from: { type: "string" }, to: { type: "string" } }, required: ["from", "to"] },
  output: { type: "number" },
  source: `export default async (input: { from: string; to: string }) => {
  const reply = await tools.http.get({ url: \`https://rates.example.com/\${input.from}/\${input.to}\` });
  if (reply.status !== 200) throw new Error(\`no rate: \${reply.status}\`);
  return reply.body.rate;
};
`,
  tests: [
    {
      input: { from: "EUR", to: "USD" },
      expect: 1.1,
      tools: { "http.get": { status: 200, headers: {}, body: { rate: 1.1 } } },
    },
    {
      input: { from: "EUR", to: "XXX" },
      throws: "no rate: 404",
      tools: { "http.get": { status: 404, headers: {}, body: null } },
    },
  ],
  needs: ["http.get"],
  ...changes,
});

/** Converts with a rate; needs the capability `exchange-rate`. */
export const convert = (changes: Partial<FunctionDraft> = {}): FunctionDraft => ({
  name: "convert-amount",
  description: "Converts an amount of money into another currency.",
  input: {
    type: "object",
    properties: { amount: { type: "number" }, from: { type: "string" }, to: { type: "string" } },
    required: ["amount", "from", "to"],
  },
  output: { type: "number" },
  source: `export default async (input: { amount: number; from: string; to: string }) => {
  if (input.amount < 0) throw new RangeError("a negative amount");
  return input.amount * (await tools.call("exchange-rate", { from: input.from, to: input.to }));
};
`,
  tests: [
    { input: { amount: 10, from: "EUR", to: "USD" }, expect: 20, tools: { "exchange-rate": 2 } },
    { input: { amount: -1, from: "EUR", to: "USD" }, throws: "negative" },
  ],
  needs: ["exchange-rate"],
  ...changes,
});

export async function saved(library: TestLibrary, draft: FunctionDraft, author = OUTSIDE): Promise<Saved> {
  const result = await library.save(draft, author);
  if (!result.ok) throw new Error(result.failure.kind);
  return result.value;
}

let uses = 0;
/** Records uses of a version, each in a run of its own, one for each sign: `+` a success, `-` a failure. */
export async function use(
  library: TestLibrary,
  version: { name: string; version: number },
  signs: string,
): Promise<void> {
  for (const sign of signs)
    await library.record(`use-${++uses}`, useOf(version, { ok: sign === "+", caller: `s-test.run${uses}` }));
}

export const useOf = ({ name, version }: { name: string; version: number }, changes: Partial<Use> = {}): Use => ({
  name,
  version,
  ok: true,
  ms: 5,
  caller: "s-test.run",
  goal: "what did each customer spend",
  ...changes,
});
