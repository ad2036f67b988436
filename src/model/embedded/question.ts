import type { Brief } from "../../contract/model.ts";
import { isFollowUp } from "./follow-up.ts";
import { inlineDataOf, inlineSources } from "./inline-data.ts";
import { withoutPoliteness } from "./politeness.ts";
import { type Source, sourcesOf } from "./source.ts";
import { type Token, tokensOf } from "./tokens.ts";

/** One way to read a goal: what is asked, and on what. */
export interface Question {
  /** The instruction alone, without data pasted after it. */
  text: string;
  tokens: readonly Token[];
  sources: readonly Source[];
}

/** The readings of a goal, the likeliest first: on its inputs, then on data it carries itself. */
export function questionsOf({ goal, variables }: Brief): Question[] {
  const text = withoutPoliteness(goal);
  const sources = variables.flatMap(sourcesOf);
  const onInputs = question(text, sources);
  if (isFollowUp(onInputs?.tokens ?? [], sources)) return [];
  const onItself = inlineDataOf(text)
    .map(({ instruction, data }) => question(instruction, inlineSources(data)))
    // "label each review: a, b" on an input called reviews is about that input or about nothing.
    .filter((reading) => reading !== null && !sources.some(({ names }) => isNamed(reading.tokens, names)));
  return [onInputs, ...onItself].filter((reading) => reading !== null);
}

const isNamed = (tokens: readonly Token[], names: ReadonlySet<string>): boolean =>
  tokens.some(({ kind, stems }) => kind === "word" && stems.length > 0 && stems.every((stem) => names.has(stem)));

function question(text: string, sources: Source[]): Question | null {
  const tokens = tokensOf(text);
  return tokens === null ? null : { text: text.trim(), tokens, sources };
}
