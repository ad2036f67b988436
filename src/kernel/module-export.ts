import type { Problem } from "./compiled.ts";
import type { BindingKind, Scopes } from "./scope.ts";
import { isFunction, isTypeOnly, type Node, nameOf, nodeAt, nodesAt } from "./syntax.ts";

/** The default export of a module, by the way it is written. `node` is the whole export. */
export type DefaultFunction =
  | { form: "declaration"; node: Node; name: string }
  | { form: "expression"; node: Node }
  | { form: "name"; node: Node; name: string };

const SHAPE = "Write `export default async (input) => { … }`.";
const forbidden = (node: Node, message: string, hint: string): Problem => ({
  kind: "forbidden",
  offset: node.start,
  message,
  hint,
});

const IMPORTS = new Set(["ImportDeclaration", "TSImportEqualsDeclaration"]);
const EXPORTS = new Set([
  "ExportNamedDeclaration",
  "ExportAllDeclaration",
  "TSExportAssignment",
  "TSNamespaceExportDeclaration",
]);
const DECLARATIONS = new Set([
  "VariableDeclaration",
  "FunctionDeclaration",
  "ClassDeclaration",
  "TSEnumDeclaration",
  "TSModuleDeclaration", // those with values are refused by name further on
  "EmptyStatement",
]);

/** The first statement that may not stand at the top of a module. */
export const problemAtTop = (root: Node): Problem | undefined => {
  for (const node of nodesAt(root, "body")) {
    if (IMPORTS.has(node.type))
      return forbidden(
        node,
        'A capability has no modules beside it: "import" is not available',
        "Use the standard library and the cell API, or call another capability with `tools.call(name, input)`.",
      );
    if (EXPORTS.has(node.type))
      return forbidden(node, 'Only "export default" is available', 'Drop "export" here: nothing else is seen outside.');
    if (node.type === "ExportDefaultDeclaration" || DECLARATIONS.has(node.type) || isTypeOnly(node)) continue;
    if (typeof node["directive"] === "string") continue;
    return forbidden(
      node,
      "Only declarations may stand at the top of a capability's module",
      "Move this statement into the default function.",
    );
  }
  return undefined;
};

/** The one default function of a module. */
export const findDefault = (
  root: Node,
  scopes: Scopes,
): { ok: true; value: DefaultFunction } | { ok: false; problem: Problem } => {
  const [node, second] = nodesAt(root, "body").filter(({ type }) => type === "ExportDefaultDeclaration");
  if (!node) return { ok: false, problem: forbidden(root, "The module has no default export", SHAPE) };
  if (second)
    return { ok: false, problem: forbidden(second, "The module has a second default export", "Keep one of them.") };
  const exported = castless(nodeAt(node, "declaration"));
  if (!exported || isTypeOnly(exported)) return { ok: false, problem: noFunction(node) };
  if (exported.type === "Identifier") return named(node, exported, { root, scopes });
  const problem = isFunction(exported) ? unfit(exported) : noFunction(node);
  if (problem) return { ok: false, problem };
  const name = nameOf(nodeAt(exported, "id"));
  return exported.type === "FunctionDeclaration" && name !== ""
    ? { ok: true, value: { form: "declaration", node, name } }
    : { ok: true, value: { form: "expression", node } };
};

const noFunction = (node: Node): Problem => forbidden(node, "The default export is not a function", SHAPE);

const unfit = (found: Node): Problem | undefined => {
  if (found["generator"] === true) return forbidden(found, "The default export is a generator", SHAPE);
  const params = nodesAt(found, "params").filter((param) => nameOf(param) !== "this");
  return params[1] && forbidden(params[1], "The default function takes one parameter, the input", SHAPE);
};

const CALLABLE = new Set<BindingKind>(["function", "const", "let", "var"]);

const named = (
  node: Node,
  exported: Node,
  { root, scopes }: { root: Node; scopes: Scopes },
): ReturnType<typeof findDefault> => {
  const name = nameOf(exported);
  const kind = scopes.declares.find((declared) => declared.name === name)?.kind;
  if (kind === undefined)
    return { ok: false, problem: forbidden(exported, `"${name}" is not declared in this module`, SHAPE) };
  if (!CALLABLE.has(kind)) return { ok: false, problem: noFunction(node) };
  const value = castless(valueOf(root, name));
  // A value that only running it would tell is let through: its tests tell.
  const problem = value && (isFunction(value) ? unfit(value) : plainData(value) ? noFunction(node) : undefined);
  return problem ? { ok: false, problem } : { ok: true, value: { form: "name", node, name } };
};

const DATA = new Set(["Literal", "TemplateLiteral", "ObjectExpression", "ArrayExpression", "ClassExpression"]);
const plainData = (node: Node): boolean => DATA.has(node.type);

/** What a top-level name is declared as, where the source says it. */
const valueOf = (root: Node, name: string): Node | undefined => {
  for (const node of nodesAt(root, "body")) {
    if (node.type === "FunctionDeclaration" && nameOf(nodeAt(node, "id")) === name) return node;
    for (const declarator of nodesAt(node, "declarations"))
      if (nameOf(nodeAt(declarator, "id")) === name) return nodeAt(declarator, "init");
  }
  return undefined;
};

const CASTS = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSTypeAssertion", "TSNonNullExpression"]);
const castless = (node: Node | undefined): Node | undefined => {
  let inner = node;
  while (inner && CASTS.has(inner.type)) inner = nodeAt(inner, "expression");
  return inner;
};
