import { literal } from "../cell.ts";
import { numberAt } from "../numbers.ts";
import type { Question } from "../question.ts";
import type { Recipe } from "../recipe.ts";
import type { Source } from "../source.ts";
import { hasAny, hasOnly } from "../table-query.ts";
import { eachText, wordsOf } from "../text-request.ts";
import { tokensOf } from "../tokens.ts";
import { SIGNS } from "./tag-signs.ts";

const VERBS = (
  "tag tags label labels classify categorize categorise sort mark assign keyword keywords topic topics " +
  "key words main terms extract suggest important most"
).split(" ");
const ASKS = "tag tags label labels classify categorize categorise keyword keywords topics".split(" ");
const FILLERS = "each every five one by according whether either single".split(" ");
const LABELS =
  /\b(?:as|into|with|between|whether it is|whether they are)\s+(?:either\s+|one of\s+|a\s+)?(?:the\s+)?(?:(?:tags?|labels?|categor(?:y|ies)|groups|classes)\b)?\s*:?\s*([^:]{1,600})$/i;
const AFTER_COLON = /:\s*([^:]{1,600})$/;
const OPTIONAL = /,? (?:or|else) (?:null|nothing) (?:if|when|where) (?:none|nothing|no label) (?:fits|applies)[ .]?$/i;
const MAX_CHARS = 2000; // of the goal that are looked at for labels
const KEYWORDS = 5; // tags per text when the goal does not say

export const tag: Recipe = {
  name: "tag",
  summary: "tag texts with given labels by their keywords, or with their own frequent words",
  example: "tag each message as bug, feature or question",
  match(question, source) {
    if (source === null) return null;
    const asked = tagsOf(question, source);
    if (asked === null) return null;
    const { labels, limit } = asked;
    const body =
      labels.length > 1
        ? eachText(source, { field: "tag", of: (text) => `tagOf(${text})` })
        : eachText(source, { field: "tags", of: (text) => `keywords(${text}, ${limit})` });
    if (body === null) return null;
    return {
      score: source.shape.kind === "text" && question.sources[0]?.shape.kind === "table" ? 40 : 58,
      title: labels.length > 1 ? `tag as ${labels.join(", ")}` : "tag with keywords",
      body: labels.length > 1 ? taggingCode(asked, body) : body,
    };
  },
};

export interface Tags {
  /** Two or more, or none: then a text's tags are its own frequent words. */
  labels: string[];
  /** The label of texts that no other fits. */
  fallback: string | null;
  /** The goal says that a text may have none. */
  isOptional: boolean;
  /** How many of its own words a text gets. */
  limit: number;
}

/** The tags a goal asks for; null when it asks for something else. */
export function tagsOf(question: Question, source: Source): Tags | null {
  const whole = question.text.replace(/\s+/g, " ").slice(0, MAX_CHARS);
  const text = whole.replace(OPTIONAL, "");
  const found = LABELS.exec(text) ?? AFTER_COLON.exec(text);
  const listed = labelsOf(found?.[1] ?? "");
  const labels = listed.length > 1 ? listed : [];
  const instruction = labels.length > 1 && found !== null ? text.slice(0, found.index) : text;
  const tokens = tokensOf(instruction) ?? [];
  const words = wordsOf({ ...question, tokens }, source).filter((word) => !/^\d+$/.test(word));
  if (!hasAny(words, ASKS) || !hasOnly(words, [...VERBS, ...FILLERS])) return null;
  const limit = tokens.map((_, at) => numberAt(tokens, at)?.value).find((value) => value !== undefined && value > 0);
  return {
    labels,
    fallback: fallbackOf(labels) ?? null,
    isOptional: text !== whole,
    limit: Math.trunc(limit ?? KEYWORDS),
  };
}

/** What is said when no text could be tagged. */
export const untagged = ({ labels }: Tags): string =>
  `No text has a word that speaks for ${labels.join(" or ").slice(0, 200)}: labels are told by keywords alone.`;

/** Nothing to go by in any of the texts is a failure: an answer of nulls would look like one. */
const taggingCode = (tags: Tags, body: string): string =>
  [
    `const signs = ${literal(tags.labels.map((label) => [label, signsOf(label)]))};`,
    "let [seen, tagged] = [0, 0];",
    "const tagOf = (text) => {",
    `  const tag = pickTag(text, signs, ${tags.fallback === null ? "null" : literal(tags.fallback)});`,
    "  seen++;",
    "  if (tag !== null) tagged++;",
    "  return tag;",
    "};",
    `const answer = (() => { ${body} })();`,
    ...(tags.isOptional ? [] : [`if (seen > 0 && tagged === 0) throw new Error(${literal(untagged(tags))});`]),
    "return answer;",
  ].join("\n");

const labelsOf = (text: string): string[] => {
  const labels = text
    .split(/\s*(?:,|;|\/|\||\bor\b|\band\b)\s*/i)
    .map((label) =>
      label
        .trim()
        .replace(/^(?:an?|the)\s+/i, "")
        .replace(/^["'`]|["'`.?!]+$/g, ""),
    )
    .filter((label) => label !== "");
  return labels.every((label) => label.split(/\s+/).length <= 3) ? [...new Set(labels)] : [];
};

const fallbackOf = (labels: readonly string[]): string | undefined =>
  labels.find((label) => ["other", "neutral", "none", "unknown", "misc", "general"].includes(label.toLowerCase()));

/** The label's own words and, for labels people often use, the words that go with them. */
const signsOf = (label: string): string[] => {
  const lower = label.toLowerCase();
  const single = lower.replace(/([^s])s$/, "$1");
  return [...new Set([lower, single, ...(SIGNS.get(single) ?? [])])];
};
