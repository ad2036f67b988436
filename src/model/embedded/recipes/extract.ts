import { fieldLike } from "../field-mention.ts";
import type { Recipe } from "../recipe.ts";
import { hasOnly } from "../table-query.ts";
import { wordsOf } from "../text-request.ts";

/** What can be found in a text, by which words, with which snippet. */
const TARGETS: readonly { name: string; pattern: RegExp; code: string }[] = [
  { name: "emails", pattern: /\be-?mails?(?: address(?:es)?)?\b/gi, code: "findEmails(text)" },
  { name: "urls", pattern: /\b(?:urls?|links?|web ?addresses|websites?|hyperlinks?)\b/gi, code: "findUrls(text)" },
  { name: "phones", pattern: /\b(?:tele)?phone(?: numbers?|s)\b/gi, code: "findPhones(text)" },
  { name: "dates", pattern: /\bdates?\b/gi, code: "findDates(text)" },
  { name: "hashtags", pattern: /\bhash ?tags?\b/gi, code: "findHashtags(text)" },
  { name: "mentions", pattern: /\b(?:@?mentions|handles)\b/gi, code: "findMentions(text)" },
  {
    name: "quoted",
    pattern:
      /\b(?:(?:names?|texts?|words?|phrases?|strings?|everything) in (?:double |single )?quot(?:es|ation marks)|quoted (?:names?|texts?|words?|phrases?|strings?)|quotes|quotations)\b/gi,
    code: "findQuoted(text)",
  },
  { name: "numbers", pattern: /\b(?:numbers?|figures|amounts)\b/gi, code: "findNumbers(text)" },
];

const VERBS = "extract pull collect parse mentioned found appearing every each search grab scrape appear occur".split(
  " ",
);
const COUNTING = ["how", "many", "count", "number"];
const DISTINCT = ["unique", "distinct", "different"];

export const extract: Recipe = {
  name: "extract",
  summary: "find e-mail addresses, links, dates, numbers, phone numbers, hashtags, mentions or quotes",
  example: "extract all email addresses from the text",
  match(question, source) {
    if (source === null || (source.shape.kind === "list" && (source.shape.unit ?? source.shape.items) !== "texts"))
      return null;
    const isCount = /^\s*(?:please\s+)?(?:how many|count|number of|the number of)\b/i.test(question.text);
    let rest = isCount ? question.text.replace(/\bnumber of\b/i, " ") : question.text;
    const targets = TARGETS.filter(({ pattern }) => {
      const without = rest.replace(pattern, " ");
      const isFound = without !== rest;
      rest = without;
      return isFound;
    });
    const words = wordsOf(question, source).filter((word) => rest.toLowerCase().includes(word));
    if (targets.length === 0 || !hasOnly(words, [...VERBS, ...DISTINCT, ...(isCount ? COUNTING : [])])) return null;
    const isDistinct = words.some((word) => DISTINCT.includes(word));
    const answers = targets.map(({ name, code }) => ({
      name,
      code: `${isDistinct ? `distinct(${code})` : code}${isCount ? ".length" : ""}`,
    }));
    const answer =
      answers.length === 1 ? answers[0]?.code : `{ ${answers.map(({ name, code }) => `${name}: ${code}`).join(", ")} }`;
    // A column of that name says it better than a search through the text.
    const hasColumn = question.sources.some(
      ({ shape }) =>
        shape.kind === "table" &&
        fieldLike(
          targets.map(({ name }) => name),
          shape.fields,
        ) !== null,
    );
    return {
      score: hasColumn ? 30 : 55,
      title: `${isCount ? "count" : "extract"} ${targets.map(({ name }) => name).join(", ")}`,
      body: `const text = flatten(data);\nreturn ${answer};`,
    };
  },
};
