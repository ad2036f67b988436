import type { Token } from "./tokens.ts";

/** The index after the first of the phrases that stands at `i`; null when none does. */
export function phraseEnd(tokens: readonly Token[], i: number, phrases: readonly string[]): number | null {
  for (const phrase of phrases) {
    const words = phrase.split(" ");
    if (words.every((word, offset) => tokens[i + offset]?.lower === word && tokens[i + offset]?.kind !== "quoted"))
      return i + words.length;
  }
  return null;
}
