import { literal } from "../cell.ts";
import { delegationOf, WORTH_AGENTS } from "../delegation.ts";
import type { Question } from "../question.ts";
import type { Recipe } from "../recipe.ts";
import { type Source, sourcesOf } from "../source.ts";
import { allTexts } from "../text-request.ts";
import { tokensOf } from "../tokens.ts";
import { summarise, summaryOf } from "./summarise.ts";
import { tag, tagsOf, untagged } from "./tag.ts";

/** What is done with each text, and how an agent is asked for it. */
interface Job {
  recipe: Recipe;
  agent: { name: string; role: string };
  /** Of a row. */
  field: string;
  /** A goal that this planner, serving the agent, reads as the same job on a list of one text. */
  task: string;
  /** Said when there is no answer to any of the texts; absent when that is an answer too. */
  unanswered?: string;
}

/** Delegates what the tag and summarise recipes do: the same answers, each text seen by its own agent alone. */
export const delegate: Recipe = {
  name: "delegate",
  summary: "tag or summarise each of many texts by an agent of its own, side by side; long texts without being asked",
  example: "summarise each article in two sentences, with an agent each",
  match(asked, source) {
    const delegation = source === null ? null : delegationOf(asked, source);
    if (source === null || delegation === null) return null;
    const { question, isAsked } = delegation;
    const job = tagging(question, source) ?? summarising(question, source);
    const own = job?.recipe.match(question, source) ?? null;
    const texts = job === null ? null : allTexts(source, job.field);
    if (job === null || own === null || texts === null) return null;
    const body = [
      texts.bind,
      ...(isAsked ? [] : [`if (!(${WORTH_AGENTS})) return (() => { ${own.body} })();`]),
      `const who = { name: ${literal(job.agent.name)}, role: ${literal(job.agent.role)}, tier: "auto", tools: [], maxTurns: 2 };`,
      `const task = ${literal(job.task)};`,
      // A list of one: a bare string might read as a table, an item of a list is a text.
      "const outcomes = await Promise.all(texts.map((text) => agents.call(who, { task, data: [text] })));",
      "const failed = outcomes.filter((outcome) => outcome?.failure);",
      "if (failed.length > 0 && failed.length === outcomes.length)",
      '  throw new Error("All agents failed, the first with: " + failed[0].failure.message);',
      // One that failed stands as its failure in its place.
      "const answers = outcomes.map((outcome) => (Array.isArray(outcome) ? outcome[0] : outcome));",
      ...(job.unanswered === undefined
        ? []
        : [
            `if (answers.length > 0 && answers.every((answer) => answer === null)) throw new Error(${literal(job.unanswered)});`,
          ]),
      texts.answer,
    ].join("\n");
    return { score: own.score + 1, title: `${own.title}, an agent each`, body, awaits: true };
  },
};

function tagging(question: Question, source: Source): Job | null {
  const tags = tagsOf(question, source);
  if (tags === null) return null;
  const { labels, fallback, isOptional, limit } = tags;
  const agent = { name: "tagger", role: "Tags a text." };
  if (labels.length === 0) return { recipe: tag, agent, field: "tags", task: `tag each text with ${limit} keywords` };
  // That one text has no label is no failure: whether none has is seen when all are back.
  const task =
    fallback === null
      ? `tag each text as ${labels.join(" or ")}, or null if none fits`
      : `tag each text as ${labels.join(" or ")}`;
  const read = tagsOf(taskQuestion(task), DATA);
  if (JSON.stringify(read?.labels) !== JSON.stringify(labels)) return null;
  return {
    recipe: tag,
    agent,
    field: "tag",
    task,
    ...(isOptional || fallback !== null ? {} : { unanswered: untagged(tags) }),
  };
}

function summarising(question: Question, source: Source): Job | null {
  const summary = summaryOf(question, source);
  if (summary === null) return null;
  const { limit, isList } = summary;
  const task = `summarise each text in ${limit} ${isList ? "bullet points" : "sentences"}`;
  return { recipe: summarise, agent: { name: "summariser", role: "Summarises a text." }, field: "summary", task };
}

/** A task as the agent's own planner will see it: on a variable `data`. */
const DATA: Source = sourcesOf({ name: "data", type: "string[]", size: 0 })[0]!; // a list of texts is a source
const taskQuestion = (text: string): Question => ({ text, tokens: tokensOf(text) ?? [], sources: [DATA] });
