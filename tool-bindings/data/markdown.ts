import MarkdownIt, { type Token } from "markdown-it";
import { z } from "zod";
import { defineTool } from "../define.ts";
import { boundedText, tooDeep } from "../text/size.ts";

const MAX_MARKDOWN_CHARS = 500_000; // a token takes many times its text, and there may be one for each character
const MAX_NESTING = 50; // every line is looked at once for each level it is in; a list counts two

// No raw HTML: what looks like a tag is shown as text, so the result is safe to put on a page.
const PARSER = new MarkdownIt({ html: false, maxNesting: MAX_NESTING });

const BREAKING = new Set([
  "paragraph_close",
  "heading_close",
  "tr_close",
  "blockquote_close",
  "bullet_list_close",
  "ordered_list_close",
]);

/** Inline content without its marks; an image is its description. */
function plain(tokens: readonly Token[]): string {
  return tokens
    .map(({ type, content, children }) => {
      if (type === "softbreak" || type === "hardbreak") return "\n";
      if (type === "image") return plain(children ?? []);
      return content;
    })
    .join("");
}

function plainText(tokens: readonly Token[]): string {
  const parts: string[] = [];
  for (const token of tokens) {
    if (token.type === "inline") parts.push(plain(token.children ?? []));
    else if (token.type === "fence" || token.type === "code_block") parts.push(token.content, "\n");
    else if (token.type === "td_close" || token.type === "th_close") parts.push("\t");
    else if (BREAKING.has(token.type)) parts.push(token.type === "tr_close" || token.hidden ? "\n" : "\n\n");
  }
  return parts
    .join("")
    .replace(/\t\n/g, "\n")
    .replace(/\n{3,}/g, "\n\n")
    .trim();
}

export const markdown = defineTool({
  name: "data.markdown",
  summary: "Reads Markdown: HTML, plain text, outline and links.",
  description:
    "CommonMark with tables and strikethrough. Raw HTML is shown as text and links to scripts are left out, so the HTML is safe to display. Fails as `too-large` above 500,000 characters and as `too-deep` above 50 levels of quotes and lists (a list counts two).",
  input: z.strictObject({ markdown: z.string().describe("the Markdown text") }),
  output: z.object({
    html: z.string(),
    text: z.string().describe("without marks"),
    outline: z.array(
      z.object({ level: z.number().describe("1 to 6"), text: z.string(), line: z.number().describe("from 1") }),
    ),
    links: z.array(z.object({ text: z.string(), href: z.string() })),
  }),
  effect: "read",
  examples: [
    {
      args: { markdown: "# Tea\n\nGreen *or* [black](https://example.org)." },
      result: {
        html: '<h1>Tea</h1>\n<p>Green <em>or</em> <a href="https://example.org">black</a>.</p>\n',
        text: "Tea\n\nGreen or black.",
        outline: [{ level: 1, text: "Tea", line: 1 }],
        links: [{ text: "black", href: "https://example.org" }],
      },
    },
  ],
  execute: async ({ markdown }) => {
    const env = {};
    const tokens = PARSER.parse(boundedText(markdown, "markdown", MAX_MARKDOWN_CHARS), env);
    // The library leaves out what is nested deeper.
    if (tokens.some(({ nesting, level }) => nesting === 1 && level >= MAX_NESTING - 1))
      throw tooDeep("markdown", MAX_NESTING);
    const outline = tokens.flatMap((token, i) =>
      token.type === "heading_open"
        ? [{ level: Number(token.tag[1]), text: plain(tokens[i + 1]?.children ?? []), line: (token.map?.[0] ?? 0) + 1 }]
        : [],
    );
    return {
      html: PARSER.renderer.render(tokens, PARSER.options, env),
      text: plainText(tokens),
      outline,
      links: tokens.flatMap(({ children }) => linksOf(children ?? [])),
    };
  },
});

function linksOf(tokens: readonly Token[]): { text: string; href: string }[] {
  const links: { text: string; href: string }[] = [];
  let from = -1; // links don't nest
  for (const [i, token] of tokens.entries()) {
    if (token.type === "link_open") from = i;
    else if (token.type === "link_close" && from !== -1)
      links.push({ text: plain(tokens.slice(from + 1, i)), href: String(tokens[from]!.attrGet("href") ?? "") });
  }
  return links;
}
