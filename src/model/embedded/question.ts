import type { Brief } from "../../contract/model.ts";
import { inlineDataOf, inlineSources } from "./inline-data.ts";
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
  const onInputs = question(goal, variables.flatMap(sourcesOf));
  const onItself = inlineDataOf(goal).map(({ instruction, data }) => question(instruction, inlineSources(data)));
  return [onInputs, ...onItself].filter((reading) => reading !== null);
}

function question(text: string, sources: Source[]): Question | null {
  const tokens = tokensOf(text);
  return tokens === null ? null : { text: text.trim(), tokens, sources };
}
