import { literal } from "../cell.ts";
import type { Recipe } from "../recipe.ts";

const ASK = /^(?:check|review)\s+(?:that|whether)\s+the text mentions every fact and has no empty sections?$/i;

/** How the report recipe asks its reviewer for it. */
export const REVIEW_TASK = "check that the text mentions every fact and has no empty section";

export const review: Recipe = {
  name: "review",
  summary: "hold a text against the facts it was written from, both in one object: { facts, text }",
  example: REVIEW_TASK,
  match({ text }, source) {
    if (source?.shape.kind !== "table" || !source.shape.fields.includes("fact") || !ASK.test(text.trim())) return null;
    const { record } = source;
    if (record?.properties.get("text") !== "string") return null;
    return {
      score: 60,
      title: "review a text",
      body: `return reviewReport(data.text, data[${literal(record.property)}]);`,
      source: { ...source, expression: record.expression },
    };
  },
};
