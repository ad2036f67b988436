/** A node of the syntax tree, JavaScript or TypeScript: acorn's types know nothing of the plugin's nodes. */
export interface Node {
  readonly type: string;
  readonly start: number;
  readonly end: number;
  readonly [field: string]: unknown;
}

export const isNode = (value: unknown): value is Node =>
  typeof value === "object" &&
  value !== null &&
  "type" in value &&
  typeof value.type === "string" &&
  "start" in value &&
  typeof value.start === "number";

export const nodeAt = (node: Node, field: string): Node | undefined => {
  const value = node[field];
  return isNode(value) ? value : undefined;
};

/** The nodes of a list field; holes of array patterns are left out. */
export const nodesAt = (node: Node, field: string): Node[] => {
  const value = node[field];
  return Array.isArray(value) ? value.filter(isNode) : [];
};

export const nameOf = (node: Node | undefined): string => (typeof node?.["name"] === "string" ? node["name"] : "");

/** Fields that hold types: nothing in them runs. */
export const TYPE_FIELDS = [
  "typeAnnotation",
  "returnType",
  "typeParameters",
  "typeArguments",
  "superTypeParameters",
  "superTypeArguments",
] as const;

const NOT_CHILDREN = new Set<string>([...TYPE_FIELDS, "implements", "loc", "type", "start", "end"]);

const TYPE_STATEMENTS = new Set([
  "TSTypeAliasDeclaration",
  "TSInterfaceDeclaration",
  "TSDeclareFunction",
  "TSIndexSignature",
]);

/** True for a statement or class member that exists for the type checker alone. */
export const isTypeOnly = (node: Node): boolean => {
  if (TYPE_STATEMENTS.has(node.type) || node["declare"] === true) return true;
  switch (node.type) {
    case "MethodDefinition":
      return nodeAt(node, "value")?.type === "TSDeclareMethod";
    case "PropertyDefinition":
      return node["abstract"] === true;
    case "TSModuleDeclaration":
      return isTypeNamespace(node);
    default:
      return false;
  }
};

const isTypeNamespace = (node: Node): boolean => {
  const body = nodeAt(node, "body");
  if (body?.type === "TSModuleDeclaration") return isTypeNamespace(body);
  return (
    body !== undefined &&
    nodesAt(body, "body").every((statement) => {
      const inner = statement.type === "ExportNamedDeclaration" ? nodeAt(statement, "declaration") : statement;
      return inner !== undefined && isTypeOnly(inner);
    })
  );
};

/** Calls back for every child that can run, with its field; a shorthand property's key and value are one child. */
export const eachChild = (node: Node, visit: (child: Node, field: string) => void): void => {
  for (const field in node) {
    if (NOT_CHILDREN.has(field)) continue;
    const value = node[field];
    if (Array.isArray(value)) {
      for (const item of value) if (isNode(item)) visit(item, field);
    } else if (isNode(value) && !(field === "key" && node["shorthand"] === true)) visit(value, field);
  }
};

export interface Visitor {
  /** Returns false to stay out of the node's children; `leave` is called all the same. */
  enter(node: Node, parent: Node | undefined, field: string): boolean;
  leave(node: Node, parent: Node | undefined, field: string): void;
}

/** Depth first, in source order, types left out. */
export const traverse = (root: Node, visitor: Visitor): void => {
  const visit = (node: Node, parent: Node | undefined, field: string): void => {
    if (visitor.enter(node, parent, field)) eachChild(node, (child, at) => visit(child, node, at));
    visitor.leave(node, parent, field);
  };
  visit(root, undefined, "");
};

const FUNCTIONS = new Set(["FunctionDeclaration", "FunctionExpression", "ArrowFunctionExpression"]);
export const isFunction = (node: Node): boolean => FUNCTIONS.has(node.type);

const CLASSES = new Set(["ClassDeclaration", "ClassExpression"]);
export const isClass = (node: Node): boolean => CLASSES.has(node.type);

const LOOPS = new Set(["ForStatement", "ForInStatement", "ForOfStatement", "WhileStatement", "DoWhileStatement"]);
export const isLoop = (node: Node): boolean => LOOPS.has(node.type);

// White space and comments, as long as they last.
const TRIVIA = /(?:\s|\/\/[^\n\r\u2028\u2029]*|\/\*[^]*?\*\/)*/y;

/** Offset of the next token at or after `offset`. */
export const tokenAfter = (source: string, offset: number): number => {
  TRIVIA.lastIndex = offset;
  TRIVIA.test(source);
  return TRIVIA.lastIndex;
};

const WORD = /(?:[\p{ID_Continue}$\u200c\u200d]|\\u\{[0-9a-fA-F]+\}|\\u[0-9a-fA-F]{4})+/uy;

/** Offset behind the word that starts at `offset`; `offset` itself if none does. */
export const wordEnd = (source: string, offset: number): number => {
  WORD.lastIndex = offset;
  return WORD.test(source) ? WORD.lastIndex : offset;
};
