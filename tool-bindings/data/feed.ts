import { z } from "zod";
import { defineTool } from "../define.ts";
import { boundedText } from "../text/size.ts";
import { Feed } from "./feed-item.ts";
import { jsonFeed } from "./json-feed.ts";
import { MARKUP_NOTE } from "./markup.ts";
import { xmlFeed } from "./xml-feed.ts";

export const feed = defineTool({
  name: "data.feed",
  summary: "Reads an RSS, Atom or JSON feed into items.",
  description: `Forgives what feeds get wrong; what is missing is null. Nothing is loaded, no entities are expanded. Fails as \`not-a-feed\`. ${MARKUP_NOTE}`,
  input: z.strictObject({ xml: z.string().describe("the feed, XML or JSON") }),
  output: Feed,
  effect: "read",
  examples: [
    {
      args: {
        xml: "<rss><channel><title>News</title><item><title>Rain</title><link>https://example.org/1</link><pubDate>Thu, 05 Mar 2026 14:30:00 GMT</pubDate></item></channel></rss>",
      },
      result: {
        format: "rss" as const,
        title: "News",
        link: null,
        description: null,
        items: [
          {
            id: null,
            title: "Rain",
            link: "https://example.org/1",
            author: null,
            published: "2026-03-05T14:30:00.000Z",
            updated: null,
            summary: null,
            content: null,
            categories: [],
            enclosures: [],
          },
        ],
      },
    },
  ],
  execute: async ({ xml }) => {
    const text = boundedText(xml, "xml").trimStart();
    return text.startsWith("{") ? jsonFeed(text) : xmlFeed(text);
  },
});
