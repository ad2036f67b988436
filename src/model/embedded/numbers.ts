// prettier-ignore
const WORDS = ["zero","one","two","three","four","five","six","seven","eight","nine","ten","eleven","twelve","thirteen","fourteen","fifteen","sixteen","seventeen","eighteen","nineteen","twenty"];
const VALUES: ReadonlyMap<string, number> = new Map([
  ...WORDS.map((word, value): [string, number] => [word, value]),
  ["thirty", 30],
  ["forty", 40],
  ["fifty", 50],
  ["hundred", 100],
  ["thousand", 1000],
  ["million", 1e6],
]);

/** `three` → 3; undefined for any other word. */
export const wordNumber = (lower: string): number | undefined => VALUES.get(lower);

const SCALES: ReadonlyMap<string, number> = new Map([
  ["hundred", 100],
  ["thousand", 1000],
  ["million", 1e6],
  ["billion", 1e9],
]);

/** The number that starts at `index`, with a scale word after it: `2 million`, `three`, `$1,000`. */
export function numberAt(
  tokens: readonly { lower: string; value?: number }[],
  index: number,
): { value: number; next: number } | null {
  const value = tokens[index]?.value;
  if (value === undefined) return null;
  const scale = SCALES.get(tokens[index + 1]?.lower ?? "");
  return scale === undefined ? { value, next: index + 1 } : { value: value * scale, next: index + 2 };
}
