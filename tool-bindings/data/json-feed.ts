import { z } from "zod";
import { ToolFailure } from "../define.ts";
import { type Feed, feedTime, plainSummary } from "./feed-item.ts";
import { readJson } from "./json.ts";

const text = z.string().nullable().catch(null); // one wrong field does not cost the item

const JsonItem = z.object({
  id: z
    .union([z.string(), z.number().transform(String)])
    .nullable()
    .catch(null),
  title: text,
  url: text,
  external_url: text,
  summary: text,
  content_html: text,
  content_text: text,
  date_published: text,
  date_modified: text,
  author: z.object({ name: text }).nullable().catch(null),
  authors: z.array(z.object({ name: text })).catch([]),
  tags: z.array(z.string()).catch([]),
  attachments: z.array(z.object({ url: z.string(), mime_type: text })).catch([]),
});
const JsonFeed = z.object({
  title: text,
  home_page_url: text,
  description: text,
  items: z.array(JsonItem),
});

/** A JSON Feed, version 1 or 1.1. */
export function jsonFeed(source: string): Feed {
  const parsed = JsonFeed.safeParse(readJson(source, { lenient: false }));
  if (!parsed.success) throw new ToolFailure("not-a-feed", "The JSON has no list `items`, so it is no JSON Feed.");
  const { title, home_page_url: link, description, items } = parsed.data;
  return {
    format: "json",
    title,
    link,
    description,
    items: items.map((item) => ({
      id: item.id,
      title: item.title,
      link: item.url ?? item.external_url,
      author: item.authors[0]?.name ?? item.author?.name ?? null,
      published: feedTime(item.date_published),
      updated: feedTime(item.date_modified),
      summary: item.summary ?? item.content_text?.slice(0, 1_000) ?? plainSummary(item.content_html),
      content: item.content_html ?? item.content_text,
      categories: item.tags,
      enclosures: item.attachments.map(({ url, mime_type: type }) => ({ url, type })),
    })),
  };
}
