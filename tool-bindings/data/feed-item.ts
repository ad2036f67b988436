import { z } from "zod";
import { Allowance } from "../text/size.ts";
import { standardTime } from "../time/instant.ts";
import { markupTree } from "./markup.ts";
import { visibleText } from "./visible-text.ts";

const MAX_SUMMARY_CHARS = 1_000;

const Item = z.object({
  id: z.string().nullable(),
  title: z.string().nullable(),
  link: z.string().nullable(),
  author: z.string().nullable(),
  published: z.string().nullable().describe("ISO 8601 in UTC"),
  updated: z.string().nullable().describe("ISO 8601 in UTC"),
  summary: z.string().nullable().describe("plain text, at most 1,000 characters"),
  content: z.string().nullable().describe("HTML as it came"),
  categories: z.array(z.string()),
  enclosures: z.array(z.object({ url: z.string(), type: z.string().nullable() })).describe("attached files"),
});
export const Feed = z.object({
  format: z.enum(["rss", "atom", "rdf", "json"]),
  title: z.string().nullable(),
  link: z.string().nullable(),
  description: z.string().nullable(),
  items: z.array(Item).describe("in the order of the feed"),
});
export type Feed = z.infer<typeof Feed>;
export type FeedItem = z.infer<typeof Item>;

export const feedTime = (text: string | null): string | null =>
  (text === null || text.length > 100 ? undefined : standardTime(text, "UTC"))?.toUTC().toISO() ?? null;

export function plainSummary(html: string | null): string | null {
  if (html === null) return null;
  const text = visibleText(markupTree(html, "html", "summary").children, new Allowance("The feed is too large."));
  return text === "" ? null : text.slice(0, MAX_SUMMARY_CHARS);
}
