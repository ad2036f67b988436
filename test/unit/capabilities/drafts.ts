import type { FunctionDraft } from "../../../src/contract/capability.ts";

/** A draft with nothing wrong in it, and what a test changes of it. */
export const draftWith = (changes: Partial<FunctionDraft> = {}): FunctionDraft => ({
  name: "sum-orders",
  description: "Adds up the amounts of orders by customer.",
  input: { type: "object", properties: { orders: { type: "array" } }, required: ["orders"] },
  output: { type: "object" },
  source: "export default async (input: { orders: { customer: string; amount: number }[] }) => ({});\n",
  tests: [
    { input: { orders: [] }, expect: {} },
    { input: { orders: 5 }, throws: true },
  ],
  ...changes,
});
