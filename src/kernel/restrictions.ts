import type { Problem } from "./compiled.ts";
import { RESERVED_PREFIX, whyNotDeclared } from "./globals.ts";
import type { Scopes } from "./scope.ts";
import { isTypeOnly, nameOf, nodeAt, traverse } from "./syntax.ts";
import type { Node } from "./syntax.ts";

type Refusal = Omit<Problem, "offset">;

const forbidden = (message: string, hint: string): Refusal => ({ kind: "forbidden", message, hint });

const IMPORT = forbidden(
  'A cell has no modules: "import" is not available',
  'Use the standard library and the cell API; find functionality with `await tools.search("what you need")`.',
);
const EXPORT = forbidden(
  'A cell has no modules: "export" is not available',
  'Drop "export": every top-level declaration is kept for later cells.',
);
const NAMESPACE = forbidden("Namespaces with values are not supported", "Use an object: `const N = { … }`.");

const BY_TYPE = new Map<string, Refusal>([
  ["ImportDeclaration", IMPORT],
  ["ImportExpression", IMPORT],
  ["TSImportEqualsDeclaration", IMPORT],
  ["ExportNamedDeclaration", EXPORT],
  ["ExportDefaultDeclaration", EXPORT],
  ["ExportAllDeclaration", EXPORT],
  ["TSExportAssignment", EXPORT],
  ["TSNamespaceExportDeclaration", EXPORT],
  ["TSModuleDeclaration", NAMESPACE],
  ["Decorator", forbidden("Decorators are not supported", "Call a function on the class or method instead.")],
  ["DebuggerStatement", forbidden('"debugger" is not available', "Use `console.log(…)`.")],
]);

const EVALUATION = "Code from text cannot run here: write the code itself in this cell or in the next one.";

/** What a cell, or a stored function, may not contain: the first in the source, or undefined. */
export const restrictionIn = (root: Node, scopes: Scopes): Problem | undefined => {
  const problems: Problem[] = [];
  traverse(root, {
    enter(node) {
      if (isTypeOnly(node)) return false;
      const refusal = refusalOf(node);
      if (refusal) problems.push({ ...refusal, offset: node.start });
      return true;
    },
    leave() {},
  });
  for (const { name, called, node } of scopes.free) {
    if (!called || (name !== "eval" && name !== "Function")) continue;
    problems.push({ ...forbidden(`"${name}" is not available`, EVALUATION), offset: node.start });
  }
  for (const node of scopes.repeated) {
    const message = `Identifier '${nameOf(node)}' has already been declared`;
    problems.push({ kind: "syntax", offset: node.start, message, hint: "Give the enum another name, or one body." });
  }
  return problems.sort((a, b) => a.offset - b.offset)[0];
};

/** The first top-level declaration whose name a cell may not take. */
export const forbiddenDeclaration = (scopes: Scopes): Problem | undefined => {
  for (const { name, node } of scopes.declares) {
    const message = whyNotDeclared(name);
    if (message) return { ...forbidden(message, "Use another name."), offset: node.start };
  }
  return undefined;
};

const refusalOf = (node: Node): Refusal | undefined => {
  const known = BY_TYPE.get(node.type);
  if (known) return known;
  if (node.type === "MetaProperty" && nameOf(nodeAt(node, "meta")) === "import") return IMPORT;
  const isName = node.type === "Identifier" || node.type === "PrivateIdentifier";
  return isName && nameOf(node).startsWith(RESERVED_PREFIX)
    ? forbidden(`Names that start with "${RESERVED_PREFIX}" are reserved`, "Use another name.")
    : undefined;
};
