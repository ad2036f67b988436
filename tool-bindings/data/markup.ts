import { DomHandler, type ChildNode, type Document, type Element, isTag, isText, type ParentNode } from "domhandler";
import { Parser } from "htmlparser2";
import { ToolFailure } from "../define.ts";
import { tooDeep } from "../text/size.ts";

export const MAX_MARKUP_DEPTH = 256; // browsers stop at 512; closing tags are searched for among the open ones
const MAX_NODES = 150_000; // elements, attributes and texts: a page of 2 MB has a third of it

export const MARKUP_NOTE =
  "Fails as `too-large` above 2,000,000 characters or 150,000 elements and attributes, as `too-deep` above 256 levels.";

/** Builds the tree, and gives up before it grows too deep for recursion or too large for memory. */
class BoundedHandler extends DomHandler {
  readonly #name: string;
  #nodes = 0;
  constructor(name: string) {
    super();
    this.#name = name;
  }

  override onopentag(name: string, attributes: Record<string, string>): void {
    if (this.tagStack.length > MAX_MARKUP_DEPTH) throw tooDeep(this.#name, MAX_MARKUP_DEPTH);
    this.#count();
    super.onopentag(name, attributes);
  }

  onattribute(): void {
    this.#count();
  }

  protected override addNode(node: ChildNode): void {
    this.#count();
    super.addNode(node);
  }

  #count(): void {
    if (++this.#nodes > MAX_NODES)
      throw new ToolFailure(
        "too-large",
        `\`${this.#name}\` has more than ${MAX_NODES} elements and attributes. Work on it in parts.`,
        { limit: MAX_NODES },
      );
  }
}

/** HTML or XML as a tree of bounded depth and size. Forgives what browsers forgive; never loads or expands anything. */
export function markupTree(markup: string, kind: "html" | "xml", name: string): Document {
  const handler = new BoundedHandler(name);
  new Parser(handler, { xmlMode: kind === "xml", recognizeCDATA: kind === "xml" }).end(markup);
  return handler.root;
}

/** Every element below a node, in document order. */
export function elementsOf(parent: ParentNode): Element[] {
  const elements: Element[] = [];
  const walk = (node: ParentNode): void => {
    for (const child of node.children) {
      if (isTag(child)) elements.push(child);
      if ("children" in child) walk(child);
    }
  };
  walk(parent);
  return elements;
}

/** The text below a node as it stands. */
export function rawText(parent: ParentNode): string {
  const parts: string[] = [];
  const walk = (node: ParentNode): void => {
    for (const child of node.children) {
      if (isText(child)) parts.push(child.data);
      else if ("children" in child) walk(child);
    }
  };
  walk(parent);
  return parts.join("");
}

/** A copy that is only data: `__proto__` is an attribute like any other. */
export const attributesOf = (element: Element): Record<string, string> =>
  Object.fromEntries(Object.entries(element.attribs));
