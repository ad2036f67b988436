import type { LibraryApi, Offer } from "../src/contract/library.ts";
import { suspicionsIn } from "../src/capabilities/inert-text.ts";
import { pickForPrompt } from "../src/capabilities/lesson.ts";
import { topicsOf } from "../src/capabilities/words.ts";

const MAX_WAIT_MS = 2_000; // a goal does not wait for advice
const LESSONS = 3;
const LIKE = 0.5; // share of a goal's words that a lesson must speak of
const MAX_TOPICS = 24;

/**
 * What a goal's opening prompt says of earlier runs: capabilities first, then lessons of what went wrong, at most three lines in
 * all and about 150 tokens. Nothing rather than something that does not fit.
 */
export async function hintsFor(library: LibraryApi, goal: string): Promise<string[]> {
  const late = new Promise<string[]>((resolve) => setTimeout(() => resolve([]), MAX_WAIT_MS));
  return Promise.race([late, gather(library, goal)]);
}

async function gather(library: LibraryApi, goal: string): Promise<string[]> {
  const [offers, lessons] = await Promise.all([
    library.offers(goal).catch(() => []),
    library.recall(goal, LESSONS).catch(() => []),
  ]);
  const topics = [...topicsOf(goal, MAX_TOPICS).keys()];
  const isLike = (text: string): boolean => {
    const words = topicsOf(text, 4 * MAX_TOPICS);
    return topics.length > 1 && topics.filter((topic) => words.has(topic)).length / topics.length >= LIKE;
  };
  const lines = [
    ...offers.map(offerText),
    // What simply worked is no news; it can be asked for with memory.recall.
    ...lessons
      .filter(({ kind, goal: about, text }) => kind !== "worked" && isLike(`${about} ${text}`))
      // One that gives orders may be recalled by code; a prompt is no place for it.
      .filter(({ text }) => suspicionsIn(text).length === 0)
      .map(({ text }) => `Lesson: ${text}`),
  ];
  return pickForPrompt(lines.map((text) => ({ text }))).map(({ text }) => text);
}

/** How it is called, in one line: `library.run("sum-by", { rows, by }): sums …`. */
function offerText({ name, description, input }: Offer): string {
  const fields = Object.keys((input?.["properties"] as object | undefined) ?? {});
  const argument = fields.length === 0 ? "input" : `{ ${fields.slice(0, 8).join(", ")} }`;
  return `library.run("${name}", ${argument}): ${description.replace(/\s+/g, " ").slice(0, 160)}`;
}
