const SEGMENTER = new Intl.Segmenter("en", { granularity: "word" });

export interface Word {
  /** Lower case, with composed letters. */
  word: string;
  /** Whether nothing but a space or a hyphen stands between it and the word before it. */
  follows: boolean;
}

/** The words of a text in their order. Languages without spaces are cut by dictionary. */
export function* wordsOf(text: string): Generator<Word> {
  let follows = false;
  for (const { segment, isWordLike } of SEGMENTER.segment(text)) {
    if (isWordLike === true) {
      yield { word: segment.normalize("NFC").toLowerCase(), follows };
      follows = true;
    } else if (segment !== " " && segment !== "-") follows = false;
  }
}

/** How often each word occurs. */
export function countsOf(text: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { word } of wordsOf(text)) counts.set(word, (counts.get(word) ?? 0) + 1);
  return counts;
}
