import { wordNumber } from "./numbers.ts";

/** One word, number, quoted text or sign of a goal. */
export interface Token {
  kind: "word" | "number" | "date" | "quoted" | "sign";
  /** As written; the inside, for quoted text. */
  text: string;
  lower: string;
  /** Its parts without endings, so that `cities`, `City` and `city` are one, and `unitPrice` is two. */
  stems: string[];
  /** Of a number, written in digits or as a word. */
  value?: number;
}

const MAX_TOKENS = 300; // a longer instruction is prose, and no recipe reads prose

const QUOTED = /"([^"]{0,4000})"|“([^”]{0,400})”|`([^`]{0,4000})`|(?<![\p{L}\p{N}])'([^'\n]{0,400})'(?![\p{L}\p{N}])/u;
const DATE = /\d{4}-\d{2}(?:-\d{2})?(?:T\d{2}:\d{2}(?::\d{2}(?:\.\d+)?)?Z?)?(?![\p{L}\p{N}])/u;
const NUMBER = /(?:[$€£]\s?)?(?<![\p{L}\p{N}])-?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?(?:k|m|bn)?(?![\p{L}\p{N}_])%?/u;
const WORD = /[\p{L}\p{N}_$#][\p{L}\p{N}_$]{0,80}(?:[-.'’@/][\p{L}\p{N}_$]{1,80}){0,12}/u;
const SIGN = />=|<=|!=|<>|==?|[><≥≤≠,;:*+×÷]/u;
const TOKEN = new RegExp(
  `${QUOTED.source}|(${DATE.source})|(${NUMBER.source})|(${WORD.source})|(${SIGN.source})`,
  "gu",
);

const IRREGULAR: ReadonlyMap<string, string> = new Map([
  ["people", "person"],
  ["children", "child"],
  ["men", "man"],
  ["women", "woman"],
]);

/** Null when the text is too long to be an instruction. */
export function tokensOf(text: string): Token[] | null {
  const tokens: Token[] = [];
  for (const match of text.matchAll(TOKEN)) {
    tokens.push(...tokenOf(match));
    if (tokens.length > MAX_TOKENS) return null;
  }
  return tokens;
}

function tokenOf(match: RegExpMatchArray): Token[] {
  const [, double, curly, tick, single, date, number, word, sign] = match;
  const quoted = double ?? curly ?? tick ?? single;
  if (quoted !== undefined) return [plain("quoted", quoted)];
  if (date !== undefined) return [plain("date", date)];
  if (number !== undefined) return [{ ...plain("number", number.trim()), value: digitsValue(number) }];
  if (sign !== undefined) return [plain("sign", sign)];
  const text = (word ?? "").replaceAll("’", "'");
  const negated = /^(is|are|was|were|do|does|did|has|have)n't$/i.exec(text)?.[1];
  if (negated !== undefined) return [plain("word", negated), plain("word", "not")];
  const token = plain("word", text.replace(/'s$/i, ""));
  const value = wordNumber(token.lower);
  return [value === undefined ? token : { ...token, value }];
}

const plain = (kind: Token["kind"], text: string): Token => ({
  kind,
  text,
  lower: text.toLowerCase(),
  stems: stemsOf(text),
});

/** Splits a name at case changes and separators, and takes plural endings off. */
export const stemsOf = (name: string): string[] =>
  name
    .slice(0, 400)
    .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, "$1 $2")
    .toLowerCase()
    .split(/[^\p{L}\p{N}]+/u)
    .filter((part) => part !== "")
    .map(stem);

/** Not a linguist's stem: all that counts is that the forms of one noun come out the same. */
function stem(word: string): string {
  let root = IRREGULAR.get(word) ?? word;
  while (root.length > 2 && /(?:e|[^s]s)$/.test(root)) root = root.slice(0, -1);
  return root.replace(/y$/, "i");
}

const SCALE: Record<string, number> = { k: 1e3, m: 1e6, bn: 1e9 };

function digitsValue(text: string): number {
  const [, digits = "", unit = ""] = /^[$€£]?\s?(-?[\d,.]+)(k|m|bn)?%?$/.exec(text.trim()) ?? [];
  return Number(digits.replaceAll(",", "")) * (SCALE[unit] ?? 1);
}
