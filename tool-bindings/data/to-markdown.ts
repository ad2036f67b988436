import { type ChildNode, type Element, isTag, isText } from "domhandler";
import { z } from "zod";
import { defineTool } from "../define.ts";
import { Allowance, boundedText } from "../text/size.ts";
import { MARKUP_NOTE, markupTree, rawText } from "./markup.ts";
import { HIDDEN } from "./visible-text.ts";

const BLOCKS = new Set(
  "address article aside blockquote body dd details div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hr html li main nav ol p pre section table ul".split(
    " ",
  ),
);
const RUNNING = new Set(["javascript:", "vbscript:", "data:"]);
const WRAPS: Record<string, string> = { strong: "**", b: "**", em: "*", i: "*", del: "~~", s: "~~" };

const escaped = (text: string): string => text.replace(/[\\`*_[\]<>~|]/g, "\\$&");
/** What would begin a heading, list or quote at the start of a line. */
const guarded = (line: string): string => line.replace(/^[#+-]/, "\\$&").replace(/^(\d{1,9})([.)])(?=\s|$)/, "$1\\$2");

/** Writes a tree of bounded depth as Markdown. What is indented or quoted again at each level is paid for at each. */
class Writer {
  readonly #allowance: Allowance;
  readonly #base: string | undefined;
  constructor(allowance: Allowance, base: string | undefined) {
    this.#allowance = allowance;
    this.#base = base;
  }

  /** Blocks of Markdown, to be parted by empty lines. */
  blocks(nodes: readonly ChildNode[]): string[] {
    const blocks: string[] = [];
    let inline: ChildNode[] = [];
    const flush = (): void => {
      const text = this.inline(inline)
        .replace(/ {0,3}\n {0,3}/g, "\n")
        .trim();
      if (text !== "") blocks.push(text.split("\n").map(guarded).join("  \n"));
      inline = [];
    };
    for (const node of nodes) {
      if (isTag(node) && HIDDEN.has(node.name)) continue;
      if (isTag(node) && (BLOCKS.has(node.name) || holdsBlocks(node))) {
        flush();
        for (const block of this.#block(node)) blocks.push(block);
      } else inline.push(node);
    }
    flush();
    return blocks;
  }

  #block(element: Element): string[] {
    const { name, children } = element;
    if (/^h[1-6]$/.test(name)) {
      const text = this.inline(children).replaceAll("\n", " ").trim();
      return text === "" ? [] : [`${"#".repeat(Number(name[1]))} ${text}`];
    }
    if (name === "hr") return ["---"];
    if (name === "pre") return [this.#fence(element)];
    if (name === "blockquote") return [this.#prefixed(this.blocks(children), "> ", "> ")];
    if (name === "ul" || name === "ol") return this.#list(element);
    if (name === "table") return this.#table(element);
    return this.blocks(children);
  }

  #fence(element: Element): string {
    const code = rawText(element).replace(/^\n|\n$/g, "");
    this.#allowance.spend(code.length);
    const longest = (code.match(/`{3,}/g) ?? []).reduce((most, run) => Math.max(most, run.length), 2);
    const inner = element.children.find((child) => isTag(child));
    const language = /(?:^|\s)language-([\w+-]{1,30})/.exec(inner?.attribs["class"] ?? "")?.[1] ?? "";
    const fence = "`".repeat(longest + 1);
    return `${fence}${language}\n${code}\n${fence}`;
  }

  #list(list: Element): string[] {
    const items = list.children.filter((child) => isTag(child)).filter(({ name }) => name === "li");
    const first = Number.parseInt(list.attribs["start"] ?? "1", 10) || 1;
    const lines = items.map((item, index) => {
      const mark = list.name === "ol" ? `${first + index}. ` : "- ";
      const blocks = this.blocks(item.children);
      const isTight = blocks.length === 2 && /^(?:- |\d+\. )/.test(blocks[1]!); // a text and a list below it
      return this.#prefixed(isTight ? [blocks.join("\n")] : blocks, mark, " ".repeat(mark.length));
    });
    return lines.length === 0 ? [] : [lines.join("\n")];
  }

  #prefixed(blocks: string[], first: string, rest: string): string {
    const text = blocks.join("\n\n");
    this.#allowance.spend(text.length);
    return text
      .split("\n")
      .map((line, index) => (line === "" && index > 0 ? rest.trimEnd() : (index === 0 ? first : rest) + line))
      .join("\n");
  }

  #table(table: Element): string[] {
    const rows: string[][] = [];
    const walk = (nodes: readonly ChildNode[]): void => {
      for (const node of nodes) {
        if (!isTag(node)) continue;
        if (node.name === "tr")
          rows.push(
            node.children
              .filter((cell) => isTag(cell))
              .filter(({ name }) => name === "td" || name === "th")
              .map((cell) => this.inline(cell.children).replace(/\s+/g, " ").trim()),
          );
        else if (node.name !== "table") walk(node.children);
      }
    };
    walk(table.children);
    const width = rows.reduce((widest, row) => Math.max(widest, row.length), 0);
    if (width === 0) return [];
    this.#allowance.spend(rows.length * width * 3);
    const line = (cells: readonly string[]): string =>
      `| ${Array.from({ length: width }, (_, i) => cells[i] ?? "").join(" | ")} |`;
    const [head = [], ...body] = rows;
    return [[line(head), line(Array.from({ length: width }, () => "---")), ...body.map(line)].join("\n")];
  }

  /** Text with marks. Line breaks only where the page has them. */
  inline(nodes: readonly ChildNode[]): string {
    const parts: string[] = [];
    for (const node of nodes) {
      if (isText(node)) parts.push(escaped(node.data.replace(/[\s\u00a0]+/g, " ")));
      else if (isTag(node) && !HIDDEN.has(node.name)) parts.push(this.#marked(node));
      else if ("children" in node && !isTag(node)) parts.push(this.inline(node.children));
    }
    const text = parts.join("");
    this.#allowance.spend(text.length);
    return text;
  }

  #marked({ name, attribs, children }: Element): string {
    if (name === "br") return "\n";
    if (name === "img") {
      const source = this.#target(attribs["src"]);
      return source === "" ? "" : `![${escaped(attribs["alt"] ?? "")}](${source})`;
    }
    const text = this.inline(children);
    const body = text.trim();
    if (body === "") return text;
    const around = (marked: string): string =>
      `${text.startsWith(" ") ? " " : ""}${marked}${text.endsWith(" ") ? " " : ""}`;
    if (name === "code" || name === "kbd" || name === "samp") return around(codeSpan(children));
    const target = name === "a" ? this.#target(attribs["href"]) : "";
    if (target !== "") return around(`[${body}](${target})`);
    const mark = Object.hasOwn(WRAPS, name) ? WRAPS[name]! : "";
    return around(`${mark}${body}${mark}`);
  }

  /** An address that may stand in brackets. Scripts are left out. */
  #target(href: string | undefined): string {
    const address = (href ?? "").trim();
    if (RUNNING.has(URL.parse(address)?.protocol ?? "")) return "";
    const full = (this.#base === undefined ? undefined : URL.parse(address, this.#base)?.href) ?? address;
    this.#allowance.spend(full.length);
    return full.replace(/[\s()<>\\]/g, (char) =>
      encodeURIComponent(char).replace(/[()]/g, (c) => (c === "(" ? "%28" : "%29")),
    );
  }
}

const holdsBlocks = ({ children }: Element): boolean =>
  children.some((child) => isTag(child) && BLOCKS.has(child.name));

function codeSpan(children: readonly ChildNode[]): string {
  const code = children
    .map((child) => (isText(child) ? child.data : "children" in child ? rawText(child) : ""))
    .join("");
  const flat = code.replace(/\s+/g, " ").trim();
  const longest = (flat.match(/`+/g) ?? []).reduce((most, run) => Math.max(most, run.length), 0);
  const fence = "`".repeat(longest + 1);
  return longest > 0 ? `${fence} ${flat} ${fence}` : `${fence}${flat}${fence}`;
}

export const toMarkdown = defineTool({
  name: "data.toMarkdown",
  summary: "Turns HTML into Markdown.",
  description: `Headings, paragraphs, lists, quotes, code, links, images, tables, emphasis; the rest is kept as text. Scripts, styles and addresses that run scripts are left out. ${MARKUP_NOTE}`,
  input: z.strictObject({
    html: z.string().describe("the page or a part of it"),
    base: z.url().max(2_000).optional().describe("the page's own URL, to make links absolute"),
  }),
  output: z.object({ markdown: z.string() }),
  effect: "read",
  examples: [
    {
      args: { html: '<h2>Tea</h2><p>Green <b>or</b> <a href="/b">black</a></p><ul><li>hot<li>cold</ul>' },
      result: { markdown: "## Tea\n\nGreen **or** [black](/b)\n\n- hot\n- cold\n" },
    },
  ],
  execute: async ({ html, base }) => {
    const root = markupTree(boundedText(html, "html"), "html", "html");
    const writer = new Writer(new Allowance("Convert a smaller part of the page.", 4 * 8_000_000), base);
    const text = writer.blocks(root.children).join("\n\n");
    return { markdown: text === "" ? "" : `${text}\n` };
  },
});
