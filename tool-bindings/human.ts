import { z } from "zod";
import { defineTool, ToolFailure } from "./define.ts";

export const ask = defineTool({
  name: "human.ask",
  summary: "Asks a person: a question, a choice, confirmation from the user. Waits for days if need be.",
  description:
    "Write it human.ask(question, { choices }). For what only people know or may decide: approve, confirm, choose, give input. The run holds nothing while it waits. Fails with call-rejected or call-expired when nobody answers.",
  input: z.strictObject({
    question: z.string().min(1).max(4_000),
    choices: z
      .array(z.string().min(1).max(200))
      .min(2)
      .max(20)
      .refine((choices) => new Set(choices).size === choices.length, "must all be different")
      .optional()
      .describe("The answers to choose from; any text when left out"),
  }),
  output: z.string(),
  effect: "read",
  answeredBy: "person",
  examples: [{ args: { question: "Which account shall I use?", choices: ["work", "private"] }, result: "work" }],
  execute: async () => {
    throw new ToolFailure("no-answer", "Only a person can answer this."); // the desk answers with what they said
  },
});
