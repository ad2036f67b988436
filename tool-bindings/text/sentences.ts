import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { boundedText, LIMIT_NOTE } from "./size.ts";

const MAX_SENTENCES = 50_000;
const LONGEST_ABBREVIATION = 12; // characters at the end of a sentence that are looked at

const SEGMENTER = new Intl.Segmenter("en", { granularity: "sentence" });
/** What Unicode takes for an end and readers don't: titles, "e.g.", an initial. */
const ABBREVIATION =
  /(?:^|[\s("“])(?:[A-Z]|Mr|Mrs|Ms|Dr|Prof|Sr|Jr|St|vs|No|Fig|Gen|Sen|Rep|cf|approx|e\.g|i\.e|z\.\s?B|d\.\s?h|u\.\s?a|bzw|Nr|Abs|Mme|Mlle|Sra?)\.\s*$/;
/** A line that was wrapped in the middle of a sentence. */
const WRAP = /(?<=[\p{Ll},;])\r?\n(?=\p{Ll})/gu;

export interface Span {
  text: string;
  /** Where it stands in the text, as UTF-16 offsets. */
  start: number;
  end: number;
}

/** The sentences of a text without the space around them. Fails as `too-large` rather than return very many. */
export function sentencesOf(text: string): Span[] {
  const spans: Span[] = [];
  const unwrapped = text.replace(WRAP, (wrap) => " ".repeat(wrap.length)); // the same length: offsets stay true
  let start = 0;
  const close = (end: number): void => {
    const raw = unwrapped.slice(start, end);
    const body = raw.trim();
    if (body !== "") {
      const from = start + raw.indexOf(body);
      if (spans.length === MAX_SENTENCES)
        throw new ToolFailure("too-large", `The text has more than ${MAX_SENTENCES} sentences. Work on it in parts.`);
      spans.push({ text: body, start: from, end: from + body.length });
    }
    start = end;
  };
  for (const { index, segment } of SEGMENTER.segment(unwrapped)) {
    const end = index + segment.length;
    if (!ABBREVIATION.test(unwrapped.slice(Math.max(start, end - LONGEST_ABBREVIATION), end))) close(end);
  }
  close(unwrapped.length);
  return spans;
}

export const sentences = defineTool({
  name: "text.sentences",
  summary: "Splits a text into its sentences.",
  description: `Unicode sentence rules, common abbreviations kept together, wrapped lines joined. ${LIMIT_NOTE} The same above 50,000 sentences.`,
  input: z.strictObject({ text: z.string().describe("any text") }),
  output: z.object({
    sentences: z.array(z.string()).describe("in order, trimmed"),
    count: z.number().describe("how many"),
  }),
  effect: "read",
  examples: [
    {
      args: { text: "Dr. Ada arrived. Was she late? No!" },
      result: { sentences: ["Dr. Ada arrived.", "Was she late?", "No!"], count: 3 },
    },
  ],
  execute: async ({ text }) => {
    const found = sentencesOf(boundedText(text, "text")).map((span) => span.text);
    return { sentences: found, count: found.length };
  },
});
