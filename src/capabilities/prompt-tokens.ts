/**
 * How many tokens a text takes, told from its characters alone and rather too many than too few: what is chosen by it must
 * fit, and models count differently. The test holds it against two real tokenizers. Only letters at random take more.
 */
const PIECE =
  /(?<word>[a-z]+)|(?<name>[A-Za-z]+)|(?<digits>\d+)|(?<letters>[\u0080-\u052f\u0590-\u06ff]+)|(?<signs>[\u3040-\u30ff\u3400-\u9fff\uac00-\ud7af]+)|(?<space>\s+)|(?<other>[^])/gu;

// Tokens for each character, beside at least one for each piece.
const PER_CHARACTER = {
  word: 0.2, // five letters
  name: 0.4, // capitals, identifiers
  unspeakable: 0.75, // letters without vowels are in no vocabulary
  digits: 0.5,
  letters: 0.7, // of other alphabets
  signs: 1.4, // Chinese, Japanese, Korean
  space: 0.5,
  other: 1,
  beyondAscii: 3, // bytes
  pair: 2, // four bytes in two units
} as const;
const LETTERS_PER_VOWEL = 6;

export function estimateTokens(text: string): number {
  let tokens = 0;
  for (const { 0: piece, groups } of text.matchAll(PIECE)) {
    if (piece !== " ") tokens += Math.max(1, piece.length * weightOf(piece, groups ?? {}));
  }
  return Math.ceil(tokens);
}

function weightOf(piece: string, kind: Record<string, string | undefined>): number {
  if (kind["word"] !== undefined || kind["name"] !== undefined) {
    const vowels = piece.match(/[aeiouy]/gi)?.length ?? 0;
    if (vowels * LETTERS_PER_VOWEL < piece.length) return PER_CHARACTER.unspeakable;
    return kind["word"] === undefined ? PER_CHARACTER.name : PER_CHARACTER.word;
  }
  if (kind["digits"] !== undefined) return PER_CHARACTER.digits;
  if (kind["letters"] !== undefined) return PER_CHARACTER.letters;
  if (kind["signs"] !== undefined) return PER_CHARACTER.signs;
  if (kind["space"] !== undefined) return PER_CHARACTER.space;
  if (piece.length === 2) return PER_CHARACTER.pair;
  return piece.charCodeAt(0) < 0x80 ? PER_CHARACTER.other : PER_CHARACTER.beyondAscii;
}
