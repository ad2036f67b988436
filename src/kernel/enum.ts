import type { Problem } from "./compiled.ts";
import type { Edits } from "./edits.ts";
import type { Scopes } from "./scope.ts";
import { nameOf, nodeAt, nodesAt, tokenAfter } from "./syntax.ts";
import type { Node } from "./syntax.ts";

/**
 * `enum E { A, B = "b" }` becomes `const E=((E)=>{ E[E["A"]=0]="A"; E["B"]="b"; return E})({});`, in place.
 * Returns a problem for a member whose value cannot be known.
 */
export const rewriteEnum = (edits: Edits, node: Node): Problem | undefined => {
  const id = nodeAt(node, "id");
  if (!id) return undefined;
  const { source } = edits;
  const name = nameOf(id);
  const brace = tokenAfter(source, id.end);
  edits.insert(node.start, "const ");
  edits.blank(node.start, id.start);
  edits.insert(brace, `=((${name})=>{`);
  edits.blank(brace, brace + 1);
  let before: Node | undefined;
  for (const member of nodesAt(node, "members")) {
    if (!nodeAt(member, "initializer") && before && isText(nodeAt(before, "initializer"))) return noValue(member);
    rewriteMember(edits, member, { name, before });
    before = member;
  }
  edits.insert(node.end - 1, `return ${name}`);
  edits.insert(node.end, ")({});");
  return undefined;
};

const rewriteMember = (edits: Edits, member: Node, of: { name: string; before: Node | undefined }): void => {
  const { source } = edits;
  const id = nodeAt(member, "id");
  const initializer = nodeAt(member, "initializer");
  if (!id) return;
  const key = keyText(source, id);
  const slot = `${of.name}[${key}]`;
  if (!initializer) {
    const previous = of.before && nodeAt(of.before, "id");
    const value = previous ? `${of.name}[${keyText(source, previous)}]+1` : "0";
    edits.insert(member.start, `${of.name}[${slot}=${value}]=${key};`);
    edits.blank(member.start, member.end);
  } else {
    // Only a number gets its name back; what a computed member is shows when it runs.
    const [before, after] = isText(initializer)
      ? [`${slot}=`, ";"]
      : [`typeof(${slot}=`, `)==="string"||(${of.name}[${slot}]=${key});`];
    edits.insert(member.start, before);
    edits.blank(member.start, tokenAfter(source, id.end) + 1);
    edits.insert(member.end, after);
  }
  const comma = tokenAfter(source, member.end);
  if (source[comma] === ",") edits.blank(comma, comma + 1);
};

/** Members named in the initialisers of others. */
export const qualifyMembers = (edits: Edits, members: Scopes["members"]): void => {
  for (const { reference, enum: name } of members) {
    const { node, shorthand } = reference;
    const qualified = `${name}[${JSON.stringify(reference.name)}]`;
    edits.replace(node.start, node.end, shorthand ? `${reference.name}:${qualified}` : qualified);
  }
};

// A text key stays as it was written: put through JSON it could spell a reserved mark.
const keyText = (source: string, id: Node): string =>
  id.type === "Identifier" ? JSON.stringify(nameOf(id)) : source.slice(id.start, id.end);

const isText = (node: Node | undefined): boolean =>
  node?.type === "TemplateLiteral" || (node?.type === "Literal" && typeof node["value"] === "string");

const noValue = (member: Node): Problem => ({
  kind: "syntax",
  offset: member.start,
  message: "Enum member must have initializer",
  hint: "Give every member after a text member a value of its own.",
});
