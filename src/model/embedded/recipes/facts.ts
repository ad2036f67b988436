import { literal } from "../cell.ts";
import type { Recipe } from "../recipe.ts";
import { sourceRows } from "../text-request.ts";
import { tokensOf } from "../tokens.ts";
import { subjectOf, topicWords } from "../topic.ts";

const ASK = /^(?:extract|list|find|get|gather|collect)\s+(?:the\s+)?(?:([\p{L}\d]{1,12})\s+)?key facts\b(.{0,300})$/isu;
const FACTS = 3; // of each text when the goal does not say
const WEIGHED_WORDS = 40; // as in a summary

/** How the report recipe asks its researcher for them. */
export const factsTask = (topic: string | null): string =>
  `extract the ${FACTS} key facts ${topic === null ? "" : `about "${topic}" `}from each text`;

export const facts: Recipe = {
  name: "facts",
  summary: "the most telling sentences of texts, all or those on a topic, each with its source",
  example: 'extract the key facts about "honey bees" from the articles',
  match({ text }, source) {
    const [, number, rest] = ASK.exec(text.trim()) ?? [];
    if (source === null || rest === undefined) return null;
    const limit = number === undefined ? FACTS : (tokensOf(number)?.[0]?.value ?? 0);
    const subject = subjectOf(rest, [source]);
    const rows = sourceRows(source);
    if (subject === null || rows === null || limit < 1 || limit > 100) return null;
    const { topic } = subject;
    const body = [
      `const rows = (() => { ${rows} })();`,
      ...(topic === null ? [] : topicGuard(topic)),
      "const found = rows.flatMap(({ source, text }) => {",
      "  const prose = toProse(text);",
      `  const sentences = ${topic === null ? "toSentences(prose)" : "sentencesOn(toSentences(prose), words)"};`,
      `  const telling = topSentences(sentences, keywords(prose, ${WEIGHED_WORDS}), ${Math.trunc(limit)});`,
      "  return telling.map((fact) => ({ fact, source }));",
      "});",
      'if (found.length === 0) throw new Error("There is no sentence in the sources to go by.");',
      "return found;",
    ].join("\n");
    return {
      score: source.shape.kind === "text" ? 55 : 57,
      title: `key facts${topic === null ? "" : ` about ${topic}`}`,
      body,
    };
  },
};

/** A word of the topic that occurs nowhere may be a condition: leaving it out would answer another question. */
const topicGuard = (topic: string): string[] => [
  `const words = ${literal(topicWords(topic))};`,
  "const unknown = words.filter((word) => sentencesOn(rows.map(({ text }) => text), [word]).length === 0);",
  'if (unknown.length > 0) throw new Error("The sources say nothing of " + unknown.join(", ") + ".");',
];
