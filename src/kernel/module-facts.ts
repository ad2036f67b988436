import { isApiName } from "./globals.ts";
import type { Scopes } from "./scope.ts";
import { isTypeOnly, type Node, nameOf, nodeAt, nodesAt, traverse } from "./syntax.ts";

/** What the source of a module says of itself. A statement about its text: what it may do is the desk's to decide (L4). */
export interface ModuleFacts {
  /** Tools and capabilities it calls by a literal name, as the desk sees them: `http.get`, `llm.call`, `sum-orders`. */
  calls: { name: string; line: number }[];
  /** It also reaches tools by names that only running it would tell. */
  dynamic: boolean;
  /** Its string literals and templates; `HOLE` stands for what a template puts in. */
  texts: { text: string; line: number }[];
}

/** In place of a template's expression. */
export const HOLE = "\u0000";

const MAX_FACTS = 5_000; // of a kind: a module of 256 Ki characters could name more, none that is meant to be read does

export const factsOf = (root: Node, scopes: Scopes): ModuleFacts => {
  const free = new Set(scopes.free.filter(({ name }) => isApiName(name)).map(({ node }) => node));
  const facts: ModuleFacts = { calls: [], dynamic: false, texts: [] };
  const seen = new Set<Node>();
  traverse(root, {
    enter(node, parent) {
      if (isTypeOnly(node)) return false;
      const text = textOf(node, parent);
      if (text !== undefined && facts.texts.length < MAX_FACTS) facts.texts.push({ text, line: lineOf(node) });
      if (node.type === "CallExpression") noteCall(node, { facts, free, seen });
      // A name of the API that is handed about, not called on the spot.
      else if (free.has(node) && !seen.has(node)) facts.dynamic = true;
      return true;
    },
    leave() {},
  });
  return facts;
};

interface Noting {
  facts: ModuleFacts;
  free: ReadonlySet<Node>;
  seen: Set<Node>;
}

const noteCall = (call: Node, { facts, free, seen }: Noting): void => {
  const reached = pathOf(nodeAt(call, "callee"));
  if (!reached || !free.has(reached.root)) return;
  const { path, root } = reached;
  const names = namesCalled([nameOf(root), ...path], literal(nodesAt(call, "arguments")[0]));
  if (names === undefined) return; // `dynamic` is noted when the walk comes to the root
  seen.add(root);
  for (const name of names)
    if (facts.calls.length < MAX_FACTS && !facts.calls.some((known) => known.name === name))
      facts.calls.push({ name, line: lineOf(call) });
};

/** The desk's names for a call of the cell API; undefined when the source does not tell them. */
const namesCalled = ([root, ...path]: string[], argument: string | undefined): string[] | undefined => {
  const member = path.join(".");
  switch (root) {
    case "tools":
      if (member === "call") return argument === undefined ? undefined : [argument];
      if (member === "search" || member === "describe") return [`tools.${member}`];
      return path.length > 1 ? [member] : undefined;
    case "library":
      if (member !== "run") return [`library.${member}`];
      return argument === undefined ? undefined : ["library.run", argument];
    case "llm":
      return path.length === 0 ? ["llm.call"] : undefined;
    default:
      return [[root, ...path].join(".")];
  }
};

/** `a.b["c"]` as its root and the names after it; undefined when a name is computed. */
const pathOf = (callee: Node | undefined): { root: Node; path: string[] } | undefined => {
  const path: string[] = [];
  let node = callee;
  for (;;) {
    if (!node) return undefined;
    if (node.type === "Identifier") return { root: node, path: path.reverse() };
    if (node.type === "ChainExpression" || node.type === "TSNonNullExpression") {
      node = nodeAt(node, "expression");
      continue;
    }
    if (node.type !== "MemberExpression") return undefined;
    const property = nodeAt(node, "property");
    const name = node["computed"] === true ? literal(property) : nameOf(property);
    if (name === undefined || name === "") return undefined;
    path.push(name);
    node = nodeAt(node, "object");
  }
};

const literal = (node: Node | undefined): string | undefined => {
  if (node?.type === "Literal" && typeof node["value"] === "string") return node["value"];
  if (node?.type === "TemplateLiteral" && nodesAt(node, "expressions").length === 0) return template(node);
  return undefined;
};

const textOf = (node: Node, parent: Node | undefined): string | undefined => {
  if (node.type === "TemplateLiteral") return template(node);
  const isDirective = typeof parent?.["directive"] === "string";
  return node.type === "Literal" && typeof node["value"] === "string" && !isDirective ? node["value"] : undefined;
};

const template = (node: Node): string =>
  nodesAt(node, "quasis")
    .map((quasi) => {
      const value = quasi["value"] as { cooked?: string | null; raw: string }; // so the parser writes it
      return value.cooked ?? value.raw;
    })
    .join(HOLE);

const lineOf = (node: Node): number => (node["loc"] as { start: { line: number } }).start.line; // `locations` is on
