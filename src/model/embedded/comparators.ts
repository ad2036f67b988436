import type { Operator } from "./condition.ts";
import type { Token } from "./tokens.ts";

export interface Comparator {
  operator: Operator | "between";
  negated: boolean;
  next: number;
}

const WORD_VERBS =
  "contains contain containing includes include including mentions mention mentioning has have having with".split(" ");
const WORD_NOUNS = ["phrase", "text", "term", "string", "letter", "letters", "words"];

// The words of each comparison, phrases apart by bars.
const PHRASES: readonly [Operator | "between", string][] = [
  ["at-least", "at least|no less than|not less than|not below|not under|a minimum of|minimum|>=|≥"],
  ["at-least", "since|on or after|from or after"],
  ["at-most", "until|till|on or before"],
  ["at-least", "greater than or equal to|more than or equal to"],
  ["at-most", "at most|no more than|not more than|not above|not over|up to|a maximum of|maximum|<=|≤"],
  ["at-most", "less than or equal to|smaller than or equal to"],
  [
    "above",
    "above|over|more than|greater than|larger than|higher than|bigger than|better than|exceeds|exceed|exceeding|>",
  ],
  ["above", "later than|newer than|older than|taller than|heavier than|after|past"],
  ["below", "below|under|less than|fewer than|lower than|smaller than|cheaper than|worse than|<"],
  ["below", "earlier than|younger than|lighter than|before"],
  ["between", "between|ranging from|in the range|from"],
  ["contains", "contains|contain|containing|contained|includes|include|including|mentions|mention|mentioning"],
  ["has-word", WORD_VERBS.map((verb) => `${verb} the word`).join("|")],
  ["contains", WORD_VERBS.flatMap((verb) => WORD_NOUNS.map((noun) => `${verb} the ${noun}`)).join("|")],
  ["contains", "matches|matching"],
  ["starts", "starts with|start with|starting with|begins with|begin with|beginning with"],
  ["ends", "ends with|end with|ending with|ends in|end in|ending in"],
  ["empty", "empty|missing|blank|null|unknown|not set|unset"],
  [
    "is",
    "equals|equal to|equal|equals to|is|are|was|were|be|being|=|==|:|of|one of|any of|either|in|during|on|set to|exactly|priced at",
  ],
];

const BY_LENGTH = PHRASES.flatMap(([operator, phrases]) =>
  phrases.split("|").map((phrase) => ({ operator, words: phrase.split(" ") })),
).sort((a, b) => b.words.length - a.words.length);

const FILLERS = new Set("is are was were be has have had of a an the value that do does did strictly".split(" "));
const UNEQUAL = new Set(["!=", "<>", "≠"]);

/** The comparison that starts at `index`: `is at least`, `does not contain`, `>=`. Null when there is none. */
export function comparatorAt(tokens: readonly Token[], index: number): Comparator | null {
  const start = skipFillers(tokens, index);
  const word = tokens[start]?.lower ?? "";
  if (UNEQUAL.has(word)) return { operator: "is", negated: true, next: start + 1 };
  const beyond = phraseAt(tokens, start);
  if (beyond !== null) return { ...beyond, negated: false };
  if (word === "not" || word === "without") {
    const after = phraseAt(tokens, skipFillers(tokens, start + 1));
    if (after !== null) return { ...after, negated: true };
    const noun = tokens[start + 1]?.lower === "the" && word === "without" ? (tokens[start + 2]?.lower ?? "") : "";
    if (noun === "word") return { operator: "has-word", negated: true, next: start + 3 };
    if (WORD_NOUNS.includes(noun)) return { operator: "contains", negated: true, next: start + 3 };
    return { operator: word === "without" ? "contains" : "is", negated: true, next: start + 1 };
  }
  const here = phraseAt(tokens, index);
  return here === null ? null : { ...here, negated: false };
}

function skipFillers(tokens: readonly Token[], index: number): number {
  let i = index;
  while (FILLERS.has(tokens[i]?.lower ?? "") && tokens[i]?.kind === "word") i++;
  return i;
}

function phraseAt(tokens: readonly Token[], index: number): { operator: Comparator["operator"]; next: number } | null {
  for (const { operator, words } of BY_LENGTH) {
    if (
      words.every((word, offset) => tokens[index + offset]?.lower === word && tokens[index + offset]?.kind !== "quoted")
    )
      return { operator, next: index + words.length };
  }
  return null;
}
