import { type ChildNode, type Document, type Element, isTag } from "domhandler";
import { z } from "zod";
import { defineTool } from "../define.ts";
import { Allowance, boundedText } from "../text/size.ts";
import { attributesOf, elementsOf, MARKUP_NOTE, markupTree, rawText } from "./markup.ts";
import { select } from "./selector.ts";
import { visibleText } from "./visible-text.ts";

const MAX_ELEMENTS = 5_000;

const Link = z.object({ text: z.string(), href: z.string().describe("absolute when `base` is given") });
const Heading = z.object({ level: z.number().describe("1 to 6"), text: z.string() });
const Found = z.object({
  tag: z.string(),
  text: z.string().describe("its visible text"),
  attributes: z.record(z.string(), z.string()),
});

/** `<title>` and every named `<meta>`, by its name or property. */
function headOf(root: Document): { title: string | null; meta: Record<string, string> } {
  let title: string | null = null;
  const meta: [string, string][] = [];
  for (const element of elementsOf(root)) {
    const { name, attribs } = element;
    if (name === "title") title ??= rawText(element).replace(/\s+/g, " ").trim();
    const key = attribs["name"] ?? attribs["property"] ?? attribs["http-equiv"];
    if (name === "meta" && key !== undefined && attribs["content"] !== undefined) meta.push([key, attribs["content"]]);
    if (name === "meta" && attribs["charset"] !== undefined) meta.push(["charset", attribs["charset"]]);
  }
  return { title, meta: Object.fromEntries(meta) };
}

/** Rows of cell texts. The rows of a table inside a cell belong to that table. */
function rowsOf(table: Element, allowance: Allowance): string[][] {
  const rows: string[][] = [];
  const walk = (nodes: readonly ChildNode[]): void => {
    for (const node of nodes) {
      if (!isTag(node) || node.name === "table") continue;
      if (node.name === "tr")
        rows.push(
          node.children
            .filter((cell) => isTag(cell))
            .filter(({ name }) => name === "td" || name === "th")
            .map((cell) => visibleText([cell], allowance)),
        );
      else walk(node.children);
    }
  };
  walk(table.children);
  return rows.filter((row) => row.length > 0);
}

function absolute(href: string, base: string | undefined): string {
  return (base === undefined ? undefined : URL.parse(href, base)?.href) ?? href;
}

export const html = defineTool({
  name: "data.html",
  summary: "Reads an HTML page: text, links, headings, tables, meta data, or elements by CSS selector.",
  description: `Forgiving like a browser; scripts are neither run nor shown. With \`select\`, text, links, headings and tables are those inside the matching elements, which \`elements\` lists (at most 5,000). ${MARKUP_NOTE} Fails as \`bad-selector\` when the selector can't be used.`,
  input: z.strictObject({
    html: z.string().describe("the page or a part of it"),
    select: z.string().min(1).optional().describe('CSS selector, such as "article h2, .price"'),
    base: z.url().max(2_000).optional().describe("the page's own URL, to make links absolute"),
  }),
  output: z.object({
    title: z.string().nullable(),
    meta: z.record(z.string(), z.string()).describe("by name or property, such as description or og:title"),
    text: z.string().describe("as a reader sees it"),
    headings: z.array(Heading),
    links: z.array(Link),
    tables: z.array(z.array(z.array(z.string()))).describe("tables of rows of cells"),
    elements: z.array(Found).describe("what `select` matches; empty without it"),
  }),
  effect: "read",
  examples: [
    {
      args: {
        html: "<title>Shop</title><h1>Tea</h1><p class=price>4&nbsp;€ <a href=/buy>buy</a></p>",
        select: ".price",
        base: "https://example.org/tea",
      },
      result: {
        title: "Shop",
        meta: {},
        text: "4 € buy",
        headings: [],
        links: [{ text: "buy", href: "https://example.org/buy" }],
        tables: [],
        elements: [{ tag: "p", text: "4 € buy", attributes: { class: "price" } }],
      },
    },
  ],
  execute: async ({ html, select: selector, base }) => {
    const root = markupTree(boundedText(html, "html"), "html", "html");
    const allowance = new Allowance("Select a smaller part of the page.");
    const found = selector === undefined ? undefined : select(root, selector).slice(0, MAX_ELEMENTS);
    const parts = found === undefined ? root.children : outermost(found);
    const inside = parts.flatMap((part) => (isTag(part) ? [part, ...elementsOf(part)] : []));
    const textOf = (element: Element): string => visibleText([element], allowance);
    return {
      ...headOf(root),
      text: visibleText(parts, allowance),
      headings: inside
        .filter(({ name }) => /^h[1-6]$/.test(name))
        .map((element) => ({ level: Number(element.name[1]), text: textOf(element) })),
      links: inside
        .filter(({ name, attribs }) => name === "a" && Object.hasOwn(attribs, "href"))
        .map((element) => {
          const href = absolute(element.attribs["href"]!.trim(), base);
          allowance.spend(href.length);
          return { text: textOf(element), href };
        }),
      tables: inside.filter(({ name }) => name === "table").map((element) => rowsOf(element, allowance)),
      elements: (found ?? []).map((element) => ({
        tag: element.name,
        text: textOf(element),
        attributes: attributesOf(element),
      })),
    };
  },
});

/** Without those that stand inside another: their text would come twice. */
function outermost(elements: readonly Element[]): Element[] {
  const all = new Set<unknown>(elements);
  return elements.filter((element) => {
    for (let above = element.parent; above !== null; above = above.parent) if (all.has(above)) return false;
    return true;
  });
}
