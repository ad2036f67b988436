import { tokenizer, type Options } from "acorn";
import { type Compiled, refuse } from "./compiled.ts";
import { Edits } from "./edits.ts";
import { moduleCell } from "./module.ts";
import { parseCell, TOO_DEEP } from "./parse.ts";
import { scopesOf } from "./scope.ts";
import { Strip } from "./strip.ts";
import { type Node, nameOf, traverse } from "./syntax.ts";

const OPTIONS: Options = { ecmaVersion: "latest", sourceType: "module", allowHashBang: false };
const CALL_TOKENS = 8; // `done ( await f ( input ) )`, which every module's cell ends with

/**
 * The tokens of a module for comparing it with others: without types and comments, its own names numbered in the order
 * in which they come. What it takes from outside and the names of properties stay, for they are what it does.
 */
export function moduleTokens(source: string): Compiled<string[]> {
  try {
    return tokensOf(source);
  } catch (error) {
    if (error instanceof RangeError) return refuse(source, TOO_DEEP);
    throw error;
  }
}

const tokensOf = (source: string): Compiled<string[]> => {
  const cell = moduleCell(source);
  if (!cell.ok) return cell;
  const plain = withoutTypes(cell.value.source);
  if (!plain.ok) return plain;
  const parsed = parseCell(plain.value);
  if (!parsed.ok) return parsed;
  const own = ownNames(parsed.value);
  const numbers = new Map<string, number>();
  const tokens: string[] = [];
  for (const { start, end } of tokenizer(plain.value, OPTIONS)) {
    const text = plain.value.slice(start, end);
    const name = own.get(start);
    if (name === undefined) tokens.push(unquoted(text));
    else {
      if (!numbers.has(name)) numbers.set(name, numbers.size);
      tokens.push(`$${numbers.get(name)}`);
    }
  }
  const telling = tokens.filter((token) => token !== ";" && token !== ",");
  return { ok: true, value: telling.slice(0, -CALL_TOKENS) };
};

const withoutTypes = (source: string): Compiled<string> => {
  const parsed = parseCell(source);
  if (!parsed.ok) return parsed;
  const edits = new Edits(source);
  const strip = new Strip(edits);
  traverse(parsed.value, {
    enter: (node, parent, field) => strip.enter(node, parent, field),
    leave: (node, parent, field) => strip.leave(node, parent, field),
  });
  return { ok: true, value: edits.apply().text };
};

/** Where the names stand that the module declares itself, and which. */
const ownNames = (root: Node): Map<number, string> => {
  const free = new Set(scopesOf(root).free.map(({ node }) => node.start));
  const own = new Map<number, string>();
  traverse(root, {
    enter(node, parent, field) {
      if (node.type === "Identifier" && !free.has(node.start) && !isKey(parent, field))
        own.set(node.start, nameOf(node));
      return true;
    },
    leave() {},
  });
  return own;
};

const isKey = (parent: Node | undefined, field: string): boolean =>
  parent?.["computed"] !== true && (field === "property" || field === "key");

/** `'a'` and `"a"` are one text. */
const unquoted = (token: string): string => (/^'[^'"\\]*'$/.test(token) ? `"${token.slice(1, -1)}"` : token);
