import { literal } from "../cell.ts";
import type { Recipe } from "../recipe.ts";
import { rowsCode } from "../rows.ts";

const ASK =
  /^(?:write|compose)\s+an?\s+report\s+(?:titled|called)\s+"([^"\n]{1,200})"\s+(?:from|with)\s+the\s+facts\.?$/i;

/** How the report recipe asks its writer for it. */
export const composeTask = (title: string): string => `write a report titled "${title}" from the facts`;

export const compose: Recipe = {
  name: "compose",
  summary: "a report in Markdown from a list of { fact, source }, a section for each source",
  example: 'write a report titled "Honey bees" from the facts',
  match({ text }, source) {
    const title = ASK.exec(text.trim())?.[1]?.trim();
    if (title === undefined || title === "" || source?.shape.kind !== "table") return null;
    if (!["fact", "source"].every((field) => source.shape.kind === "table" && source.shape.fields.includes(field)))
      return null;
    const body = `${rowsCode(source, null)}\nreturn composeReport(${literal(title)}, rows);`;
    return { score: 60, title: `write ${title}`, body };
  },
};
