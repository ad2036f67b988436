import { type Element, isTag } from "domhandler";
import { rawText } from "./markup.ts";

const childrenOf = (element: Element): Element[] => element.children.filter((child) => isTag(child));

/** The children of one of these names, prefix and all. */
export const named = (element: Element, ...names: string[]): Element[] =>
  childrenOf(element).filter(({ name }) => names.includes(name));

/** The trimmed text of the first child of one of these names that has any, in the order of the names. */
export function textOf(element: Element, ...names: string[]): string | null {
  for (const name of names)
    for (const child of named(element, name)) {
      const text = rawText(child).trim();
      if (text !== "") return text;
    }
  return null;
}

/** RSS has the address as text, Atom as `href`, with the kind of link in `rel`. */
export function linkOf(element: Element): string | null {
  const links = named(element, "link", "atom:link").filter(({ attribs }) => attribs["href"] !== undefined);
  const wanted = links.find(({ attribs }) => (attribs["rel"] ?? "alternate") === "alternate");
  return textOf(element, "link") ?? wanted?.attribs["href"] ?? null;
}

export function authorOf(element: Element): string | null {
  const person = named(element, "author", "atom:author")[0];
  return (person && textOf(person, "name", "atom:name")) ?? textOf(element, "dc:creator", "author", "itunes:author");
}
