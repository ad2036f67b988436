import { literal } from "../cell.ts";
import type { Question } from "../question.ts";
import type { Match, Recipe } from "../recipe.ts";
import type { Source } from "../source.ts";
import { sourceRows } from "../text-request.ts";
import { subjectOf } from "../topic.ts";
import { composeTask } from "./compose.ts";
import { factsTask } from "./facts.ts";
import { REVIEW_TASK } from "./review.ts";

const NEXT = String.raw`(?:\s*[,–—-]\s*(?:and\s+)?(?:then\s+)?|\s+and\s+(?:then\s+)?|\s+then\s+)`;
/** Each leaves in its group what the report is about and made from. */
const FORMS: readonly { pattern: RegExp; lead: string }[] = [
  { pattern: new RegExp(`^research${NEXT}write${NEXT}review\\s+an?\\s+report\\b(.*)$`, "is"), lead: "" },
  { pattern: /^write\s+a\s+researched\s+and\s+reviewed\s+report\b(.*)$/is, lead: "" },
  { pattern: new RegExp(`^research\\s+(.+?)${NEXT}write\\s+and\\s+review\\s+a\\s+report$`, "is"), lead: "on " },
  {
    pattern: new RegExp(
      `^research\\s+(.+?)${NEXT}write\\s+a\\s+report(?:\\s+(?:on|about)\\s+it)?${NEXT}review\\s+it$`,
      "is",
    ),
    lead: "on ",
  },
];
const MAX_CHARS = 300; // of a goal: a longer one says more than a topic and its sources

export const report: Recipe = {
  name: "report",
  summary: "a report on given sources by three agents, a researcher, a writer and a reviewer, one after the other",
  example: "research, write and review a report on honey bees from the sources",
  match(question, source) {
    // Its source may be several inputs together, so it is chosen here.
    const about = source === null ? aboutOf(question.text) : null;
    return about === null ? null : planFor(question, about);
  },
};

function aboutOf(goal: string): string | null {
  if (goal.length > MAX_CHARS) return null;
  const text = goal.trim().replace(/[\s.!?]+$/, "");
  for (const { pattern, lead } of FORMS) {
    const about = pattern.exec(text)?.[1];
    if (about !== undefined) return lead + about;
  }
  return null;
}

// An object of texts is better read by its names than as one row, and a row better than as a text.
const ORDER: readonly Source["shape"]["kind"][] = ["texts-by-name", "table", "list", "text"];

/** Several inputs are one body of sources: those that the goal names, or all when it names none. */
function planFor({ sources }: Question, about: string): Match | null {
  const best = new Map<string, Source>();
  for (const source of sources) {
    const rival = best.get(source.name);
    const isBetter = rival === undefined || ORDER.indexOf(source.shape.kind) < ORDER.indexOf(rival.shape.kind);
    if (isBetter && sourceRows(source) !== null) best.set(source.name, source);
  }
  const all = [...best.values()];
  const subject = subjectOf(about, all);
  if (subject === null) return null;
  // A topic may be called like an input: only where it speaks of sources does a goal name one.
  const named = all.filter(({ names }) => subject.mention.some(({ stems }) => stems.some((stem) => names.has(stem))));
  const used = named.length > 0 ? named : all;
  if (used.length === 0) return null;
  const parts = used.map((source, at) => `...((data) => { ${sourceRows(source)} })(data[${at}])`);
  const together: Source = {
    name: used.map(({ name }) => name).join(", "),
    expression: `[${used.map(({ expression }) => expression).join(", ")}]`,
    shape: { kind: "list", items: "mixed" },
    names: new Set(),
  };
  return { score: 60, ...planned(`return [${parts.join(", ")}];`, subject.topic), source: together };
}

const planned = (rows: string, topic: string | null): Omit<Match, "score"> => {
  const title = topic === null ? "Report" : topic.charAt(0).toUpperCase() + topic.slice(1);
  const body = [
    `const sources = (() => { ${rows} })();`,
    "const { facts, text, review } = await agents.plan([",
    `  { id: "facts", agent: "researcher", task: ${literal(factsTask(topic))}, data: sources },`,
    `  { id: "text", agent: "writer", task: ${literal(composeTask(title))}, needs: ["facts"] },`,
    `  { id: "review", agent: "qa-tester", task: ${literal(REVIEW_TASK)}, needs: ["facts", "text"] },`,
    "]);",
    'if (typeof text !== "string")',
    '  throw new Error("There is no report: " + ((facts?.failure ?? text?.failure)?.message ?? "the writer gave none."));',
    "return { report: text, review, facts };",
  ].join("\n");
  return { title: `research, write and review ${title}`, body, awaits: true };
};
