import { wordSet } from "./word-set.ts";
import type { Value } from "./condition.ts";
import { numberAt } from "./numbers.ts";
import type { Token } from "./tokens.ts";

// Words that end a value written without quotes: they begin another clause or another request.
const STOPS = wordSet(`
    and or but by per each every sort sorted order ordered rank ranked group grouped where whose with without
    then in from for at count list show sum total average mean median return give how what which who only top
    first last is are was were have has had do does that please than highest lowest most least largest smallest
    ascending descending asc desc contains contain above below over under between there here column columns
    field fields values this today yesterday tomorrow now next ago
  `);
const ARTICLES = new Set(["the", "a", "an", "any", "either"]);
const MEASURES = wordSet(`
    dollars dollar euros euro usd eur pounds years year old kg km percent units points days minutes hours cents
  `);
const LENGTHS = new Set(["letters", "letter", "characters", "character", "chars"]);
const MAX_WORDS = 6;

export interface ValueMention {
  value: Value;
  next: number;
  /** It was followed by `letters` or `characters`. */
  isLength: boolean;
}

/** The value written at `index`: quoted, a number, a date, or the words up to the next clause. */
export function valueAt(
  tokens: readonly Token[],
  index: number,
  ends: (index: number) => boolean,
): ValueMention | null {
  // "A" is a letter to look for; "a" is an article.
  const isArticle = ARTICLES.has(tokens[index]?.text ?? "") && tokens[index + 1] !== undefined;
  const after = isArticle ? index + 1 : index;
  const isYear = tokens[after]?.lower === "year" && tokens[after + 1]?.kind === "number";
  const start = isYear ? after + 1 : after;
  const first = tokens[start];
  if (first === undefined || first.kind === "sign") return null;
  if (first.kind === "quoted" || first.kind === "date")
    return { value: { text: first.text }, next: start + 1, isLength: false };
  const number = numberAt(tokens, start);
  if (number !== null && first.kind === "number") return numberMention(tokens, { start, ...number });

  let end = start;
  while (end < start + MAX_WORDS && isValueWord(tokens[end]) && (end === start || !ends(end))) end++;
  if (number !== null && end <= number.next + 1) return numberMention(tokens, { start, ...number });
  if (end === start) return null;
  const text = tokens
    .slice(start, end)
    .map((token) => token.text)
    .join(" ");
  return { value: { text }, next: end, isLength: false };
}

function numberMention(
  tokens: readonly Token[],
  { start, value, next }: { start: number; value: number; next: number },
): ValueMention {
  let end = next;
  let isLength = false;
  while (MEASURES.has(tokens[end]?.lower ?? "") || LENGTHS.has(tokens[end]?.lower ?? "")) {
    isLength ||= LENGTHS.has(tokens[end]?.lower ?? "");
    end++;
  }
  return { value: { text: tokens[start]?.text ?? "", number: value }, next: end, isLength };
}

const isValueWord = (token: Token | undefined): boolean =>
  token !== undefined && (token.kind === "number" || (token.kind === "word" && !STOPS.has(token.lower)));
