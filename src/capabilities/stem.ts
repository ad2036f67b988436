/** M. F. Porter's stemmer for English (1980), each step as the paper numbers it. Other scripts pass through unchanged. */
const VOWEL = /[aeiou]/;

/** Whether the letter at `i` is a consonant: `y` is one at the start and after a vowel. */
function consonant(word: string, i: number): boolean {
  const letter = word[i]!;
  if (letter === "y") return i === 0 || !consonant(word, i - 1);
  return !VOWEL.test(letter);
}

/** The paper's m: how many vowel-consonant sequences the stem has. */
function measure(stem: string): number {
  let count = 0;
  for (let i = 1; i < stem.length; i++) if (consonant(stem, i) && !consonant(stem, i - 1)) count++;
  return count;
}

const hasVowel = (stem: string): boolean => [...stem].some((_, i) => !consonant(stem, i));
const doubled = (stem: string): boolean =>
  stem.length > 1 && stem.at(-1) === stem.at(-2) && consonant(stem, stem.length - 1);

/** Consonant, vowel, consonant at the end, the last not w, x or y. */
const shortEnd = (stem: string): boolean => {
  const last = stem.length - 1;
  return (
    last >= 2 &&
    consonant(stem, last) &&
    !consonant(stem, last - 1) &&
    consonant(stem, last - 2) &&
    !/[wxy]$/.test(stem)
  );
};

const STEP_2 = pairs(
  "ational:ate tional:tion enci:ence anci:ance izer:ize abli:able alli:al entli:ent eli:e ousli:ous ization:ize ation:ate ator:ate alism:al iveness:ive fulness:ful ousness:ous aliti:al iviti:ive biliti:ble",
);
const STEP_3 = pairs("icate:ic ative: alize:al iciti:ic ical:ic ful: ness:");
const STEP_4 = pairs(
  "al: ance: ence: er: ic: able: ible: ant: ement: ment: ent: ion: ou: ism: ate: iti: ous: ive: ize:",
);

function pairs(text: string): [string, string][] {
  const list = text.split(" ").map((pair): [string, string] => [pair.split(":")[0]!, pair.split(":")[1]!]);
  return list.sort(([a], [b]) => b.length - a.length); // the longest ending decides, even when its condition fails
}

function replaceEnding(word: string, rules: readonly [string, string][], minimum: number): string {
  for (const [ending, replacement] of rules) {
    if (!word.endsWith(ending)) continue;
    const stem = word.slice(0, -ending.length);
    const fits = measure(stem) > minimum && (ending !== "ion" || /[st]$/.test(stem));
    return fits ? stem + replacement : word;
  }
  return word;
}

function plural(word: string): string {
  if (word.endsWith("sses") || word.endsWith("ies")) return word.slice(0, -2);
  return word.endsWith("s") && !word.endsWith("ss") ? word.slice(0, -1) : word;
}

function pastAndGerund(word: string): string {
  if (word.endsWith("eed")) return measure(word.slice(0, -3)) > 0 ? word.slice(0, -1) : word;
  const ending = ["ed", "ing"].find((text) => word.endsWith(text));
  if (ending === undefined) return word;
  const stem = word.slice(0, -ending.length);
  if (!hasVowel(stem)) return word;
  if (/(?:at|bl|iz)$/.test(stem)) return `${stem}e`;
  if (doubled(stem)) return /[lsz]$/.test(stem) ? stem : stem.slice(0, -1);
  return measure(stem) === 1 && shortEnd(stem) ? `${stem}e` : stem;
}

function lastE(word: string): string {
  if (!word.endsWith("e")) return word;
  const stem = word.slice(0, -1);
  const m = measure(stem);
  return m > 1 || (m === 1 && !shortEnd(stem)) ? stem : word;
}

/** The stem of a lower-case word. Words of one or two letters, and those outside a-z, are their own. */
export function stem(word: string): string {
  if (word.length < 3 || !/^[a-z]+$/.test(word)) return word;
  let text = pastAndGerund(plural(word));
  if (text.endsWith("y") && hasVowel(text.slice(0, -1))) text = `${text.slice(0, -1)}i`;
  text = replaceEnding(text, STEP_2, 0);
  text = replaceEnding(text, STEP_3, 0);
  text = replaceEnding(text, STEP_4, 1);
  text = lastE(text);
  return text.endsWith("ll") && measure(text) > 1 ? text.slice(0, -1) : text;
}
