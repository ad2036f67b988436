import { type ChildNode, isTag, isText } from "domhandler";
import type { Allowance } from "../text/size.ts";

export const HIDDEN = new Set([
  "script",
  "style",
  "template",
  "noscript",
  "head",
  "title",
  "svg",
  "math",
  "iframe",
  "object",
]);
const BLOCKS = new Set(
  "address article aside blockquote body canvas dd details dialog div dl dt fieldset figcaption figure footer form h1 h2 h3 h4 h5 h6 header hgroup hr html li main nav ol p pre section summary table tbody tfoot thead tr ul".split(
    " ",
  ),
);
const PARAGRAPHS = new Set("p blockquote h1 h2 h3 h4 h5 h6 pre table ul ol dl figure".split(" "));

/** Gathers text as a page shows it: spaces run together, blocks on lines of their own. */
class TextFlow {
  readonly #parts: string[] = [];
  #breaks = 0; // line breaks due before the next text
  #space = false; // a space due before it

  break(lines: 1 | 2): void {
    if (this.#parts.length > 0) this.#breaks = Math.max(this.#breaks, lines);
    this.#space = false;
  }

  inline(text: string): void {
    const words = text.replace(/[\s\u00a0]+/g, " ");
    const body = words.trim();
    if (body === "") {
      this.#space ||= words !== "";
      return;
    }
    this.#space ||= words.startsWith(" ");
    this.#due();
    this.#parts.push(body);
    this.#space = words.endsWith(" ");
  }

  verbatim(text: string): void {
    this.#due();
    this.#parts.push(text);
  }

  #due(): void {
    if (this.#breaks > 0) this.#parts.push("\n".repeat(this.#breaks));
    else if (this.#space && this.#parts.length > 0) this.#parts.push(" ");
    this.#breaks = 0;
    this.#space = false;
  }

  toString(): string {
    return this.#parts.join("");
  }
}

/** The text a reader of the page sees, of one node or several. Their depth is bounded, so recursion is. */
export function visibleText(nodes: readonly ChildNode[], allowance: Allowance): string {
  const flow = new TextFlow();
  const walk = (node: ChildNode, isVerbatim: boolean): void => {
    if (isText(node)) {
      allowance.spend(node.data.length);
      if (isVerbatim) flow.verbatim(node.data);
      else flow.inline(node.data);
      return;
    }
    if (!("children" in node) || (isTag(node) && HIDDEN.has(node.name))) return;
    const name = isTag(node) ? node.name : "";
    if (name === "br") return flow.break(1);
    const lines = PARAGRAPHS.has(name) ? 2 : BLOCKS.has(name) ? 1 : undefined;
    if (lines !== undefined) flow.break(lines);
    if (name === "td" || name === "th") flow.inline(" ");
    for (const child of node.children) walk(child, isVerbatim || name === "pre");
    if (lines !== undefined) flow.break(lines);
  };
  for (const node of nodes) walk(node, false);
  return flow.toString().trim();
}
