import type { Problem } from "./compiled.ts";
import type { Edits } from "./edits.ts";
import { nameOf, nodeAt, nodesAt, tokenAfter, wordEnd } from "./syntax.ts";
import type { Node } from "./syntax.ts";

const TYPE_MODIFIERS = new Set([
  "public",
  "private",
  "protected",
  "readonly",
  "override",
  "abstract",
  "declare",
  "accessor", // V8 has none; a plain field reads and writes alike
]);

/** Blanks `abstract` before a class and `implements …` in its head. */
export const stripClass = (edits: Edits, node: Node): void => {
  const { source } = edits;
  if (node["abstract"] === true) edits.blank(node.start, wordEnd(source, node.start));
  const last = nodesAt(node, "implements").at(-1);
  if (!last) return;
  const head = ["superTypeParameters", "superClass", "typeParameters", "id"];
  let at = Math.max(node.start, ...head.map((field) => nodeAt(node, field)?.end ?? 0));
  for (;;) {
    at = tokenAfter(source, at);
    const end = wordEnd(source, at);
    if (source.slice(at, end) === "implements") break;
    at = Math.max(end, at + 1);
  }
  edits.blank(at, last.end);
};

/** Blanks the modifiers of a class member and the `?` or `!` behind its name. */
export const stripMember = (edits: Edits, member: Node): void => {
  const { source } = edits;
  const key = nodeAt(member, "key");
  if (!key) return;
  let at = member.start;
  while (at < key.start) {
    const end = wordEnd(source, at);
    if (end === at) break;
    // A semicolon first: without its modifier, `[key]` or `*method` would go on with the field before it.
    if (TYPE_MODIFIERS.has(source.slice(at, end))) edits.blank(at, end, at === member.start ? { first: ";" } : {});
    at = tokenAfter(source, end);
  }
  if (member["optional"] !== true && member["definite"] !== true) return;
  let mark = tokenAfter(source, key.end);
  while (source[mark] === "]" || source[mark] === ")") mark = tokenAfter(source, mark + 1);
  edits.blank(mark, mark + 1);
};

/** `constructor(private x: T)` assigns `this.x`, right after `super(…)` where there is one to call. */
export const assignParameterProperties = (
  edits: Edits,
  constructor: Node,
  owner: Node | undefined,
): Problem | undefined => {
  const names = nodesAt(constructor, "params")
    .filter((param) => param.type === "TSParameterProperty")
    .map(propertyName);
  const body = nodeAt(constructor, "body");
  if (names.length === 0 || !body) return undefined;
  const assignments = names.map((name) => `this.${name}=${name};`).join("");
  if (!owner || !nodeAt(owner, "superClass")) {
    edits.insert(body.start + 1, assignments);
    return undefined;
  }
  const superCall = nodesAt(body, "body").find(isSuperCall);
  if (superCall) {
    edits.insert(superCall.end, `;${assignments}`);
    return undefined;
  }
  return {
    kind: "syntax",
    offset: constructor.start,
    message: "A constructor with parameter properties must call super(…) in a statement of its own",
    hint: "Call `super(…)` first, or declare the fields and assign them in the constructor.",
  };
};

const propertyName = (property: Node): string => {
  const parameter = nodeAt(property, "parameter");
  return nameOf((parameter && nodeAt(parameter, "left")) ?? parameter);
};

const isSuperCall = (statement: Node): boolean => {
  const call = nodeAt(statement, "expression");
  return call?.type === "CallExpression" && nodeAt(call, "callee")?.type === "Super";
};
