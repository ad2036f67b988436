import type { Element } from "domhandler";
import { ToolFailure } from "../define.ts";
import { authorOf, linkOf, named, textOf } from "./feed-elements.ts";
import { type Feed, type FeedItem, feedTime, plainSummary } from "./feed-item.ts";
import { elementsOf, markupTree, rawText } from "./markup.ts";

function itemOf(element: Element): FeedItem {
  const content = textOf(element, "content:encoded", "content", "atom:content");
  const links = named(element, "link", "atom:link").filter(({ attribs }) => attribs["rel"] === "enclosure");
  return {
    id: textOf(element, "guid", "id", "atom:id") ?? element.attribs["rdf:about"] ?? null,
    title: plainSummary(textOf(element, "title", "atom:title")),
    link: linkOf(element),
    author: authorOf(element),
    published: feedTime(textOf(element, "pubDate", "published", "dc:date", "atom:published")),
    updated: feedTime(textOf(element, "updated", "atom:updated", "dcterms:modified")),
    summary: plainSummary(textOf(element, "description", "summary", "atom:summary") ?? content),
    content,
    categories: named(element, "category", "dc:subject")
      .map((category) => category.attribs["term"] ?? rawText(category).trim())
      .filter((category) => category !== ""),
    enclosures: [...named(element, "enclosure", "media:content"), ...links].flatMap(({ attribs }) => {
      const url = attribs["url"] ?? attribs["href"];
      return url === undefined ? [] : [{ url, type: attribs["type"] ?? null }];
    }),
  };
}

/** RSS, Atom or RDF, by the first root of that name: feeds come with all sorts of things before it. */
export function xmlFeed(text: string): Feed {
  const elements = elementsOf(markupTree(text, "xml", "xml"));
  const root = elements.find(({ name }) => ["rss", "feed", "atom:feed", "rdf:RDF"].includes(name));
  if (root === undefined)
    throw new ToolFailure(
      "not-a-feed",
      `There is no RSS, Atom or JSON feed in it${elements[0] === undefined ? "" : `, but <${elements[0].name.slice(0, 40)}>`}. For a page use data.html, for other XML data.xml.`,
    );
  const channel = named(root, "channel")[0] ?? root;
  const items = root.name === "rdf:RDF" ? named(root, "item") : named(channel, "item", "entry", "atom:entry");
  return {
    format: root.name === "rss" ? "rss" : root.name === "rdf:RDF" ? "rdf" : "atom",
    title: plainSummary(textOf(channel, "title", "atom:title")),
    link: linkOf(channel),
    description: plainSummary(textOf(channel, "description", "subtitle", "atom:subtitle")),
    items: items.map(itemOf),
  };
}
