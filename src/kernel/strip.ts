import type { Problem } from "./compiled.ts";
import type { Edits } from "./edits.ts";
import { rewriteEnum } from "./enum.ts";
import { isTypeOnly, nameOf, nodeAt, nodesAt, tokenAfter, TYPE_FIELDS, wordEnd } from "./syntax.ts";
import type { Node } from "./syntax.ts";
import { assignParameterProperties, stripClass, stripMember } from "./class.ts";

const LINE_BREAK = /[\n\r\u2028\u2029]/;
const ENDED_BY_NEW_LINE = new Set([
  "ExpressionStatement",
  "VariableDeclaration",
  "ReturnStatement",
  "ThrowStatement",
  "PropertyDefinition",
]);

/**
 * Turns TypeScript into JavaScript in place: types become spaces. A semicolon is put where spaces would let two
 * statements run together, and brackets move where a line break would split an arrow function.
 */
export class Strip {
  readonly problems: Problem[] = [];
  readonly #edits: Edits;
  readonly #source: string;
  readonly #classes: Node[] = [];

  constructor(edits: Edits) {
    this.#edits = edits;
    this.#source = edits.source;
  }

  enter(node: Node, parent: Node | undefined, field: string): boolean {
    if (isTypeOnly(node)) {
      this.#edits.blank(node.start, node.end, { first: ";" });
      return false;
    }
    if (field === "params" && nameOf(node) === "this") return this.#stripThisParameter(node);
    this.#stripNode(node, parent, field);
    return true;
  }

  leave(node: Node, parent: Node | undefined, field: string): void {
    if (isTypeOnly(node)) return;
    if (node.type === "TSTypeAssertion") this.#edits.insert(node.end, ")");
    if (node === this.#classes.at(-1)) this.#classes.pop();
    const inHead = parent?.type.startsWith("For") === true && field !== "body";
    if (!ENDED_BY_NEW_LINE.has(node.type) || inHead || !this.#edits.blankedUpTo(node.end)) return;
    this.#edits.insert(node.end, ";");
  }

  #stripNode(node: Node, parent: Node | undefined, field: string): void {
    switch (node.type) {
      case "TSAsExpression":
      case "TSSatisfiesExpression":
        return this.#stripCast(node, parent, field);
      case "TSTypeAssertion":
        return this.#stripAssertion(node);
      case "TSNonNullExpression":
        return this.#edits.blank(node.end - 1, node.end);
      case "TSParameterProperty":
        return this.#edits.blank(node.start, parameterStart(node));
      case "TSEnumDeclaration":
        return this.#note(rewriteEnum(this.#edits, node));
      case "ArrowFunctionExpression":
        return this.#stripArrow(node);
      case "ClassDeclaration":
      case "ClassExpression":
        this.#classes.push(node);
        stripClass(this.#edits, node);
        break;
      case "MethodDefinition":
      case "PropertyDefinition":
        stripMember(this.#edits, node);
        break;
      case "FunctionExpression":
        if (parent?.["kind"] === "constructor") {
          this.#note(assignParameterProperties(this.#edits, node, this.#classes.at(-1)));
        }
        break;
      case "Identifier":
        if (node["optional"] === true) this.#stripMark(node);
        break;
      case "VariableDeclarator":
        if (node["definite"] === true) this.#stripMark(node);
    }
    for (const type of TYPE_FIELDS) this.#blankType(node, type);
  }

  #note(problem: Problem | undefined): void {
    if (problem) this.problems.push(problem);
  }

  #blankType(node: Node, field: string): void {
    const type = nodeAt(node, field);
    if (type) this.#edits.blank(type.start, type.end);
  }

  /** `?` or `!` behind a name. */
  #stripMark(node: Node): void {
    const mark = tokenAfter(this.#source, wordEnd(this.#source, node.start));
    this.#edits.blank(mark, mark + 1);
  }

  #stripThisParameter(node: Node): false {
    const next = tokenAfter(this.#source, node.end);
    this.#edits.blank(node.start, this.#source[next] === "," ? next + 1 : node.end);
    return false;
  }

  #stripCast(node: Node, parent: Node | undefined, field: string): void {
    const inner = nodeAt(node, "expression");
    if (!inner) return;
    let keyword = tokenAfter(this.#source, inner.end);
    while (this.#source[keyword] === ")") keyword = tokenAfter(this.#source, keyword + 1);
    // `1 + x as number * 3` is `(1 + x) * 3`: the cast ends an operand wherever it stands.
    if (field === "left" && isOperation(parent) && isOperation(castless(inner))) {
      this.#edits.insert(node.start, "(");
      this.#edits.insert(keyword, ")");
    }
    this.#edits.blank(keyword, node.end);
  }

  /** `<T>x` becomes `(x)`: without brackets `<T>{}` would begin a block, and a line break in `T` would end a `return`. */
  #stripAssertion(node: Node): void {
    const type = nodeAt(node, "typeAnnotation");
    if (type) this.#edits.blank(node.start, tokenAfter(this.#source, type.end) + 1, { first: "(" });
  }

  /** No line break may stand between `async`, the parameters and the arrow. */
  #stripArrow(node: Node): void {
    const generics = nodeAt(node, "typeParameters");
    const returns = nodeAt(node, "returnType");
    if (generics && this.#spansLines(generics)) {
      const open = tokenAfter(this.#source, generics.end);
      this.#edits.blank(generics.start, open + 1, { first: "(" });
    } else this.#blankType(node, "typeParameters");
    if (returns && this.#spansLines(returns)) {
      const close = this.#closingBracket(node, generics);
      this.#edits.blank(close, returns.end, { last: ")" });
    } else this.#blankType(node, "returnType");
  }

  #closingBracket(arrow: Node, generics: Node | undefined): number {
    const last = nodesAt(arrow, "params").at(-1);
    let at = tokenAfter(this.#source, last?.end ?? generics?.end ?? arrow.start);
    while (this.#source[at] !== ")") {
      at = tokenAfter(this.#source, Math.max(at + 1, wordEnd(this.#source, at)));
    }
    return at;
  }

  #spansLines(node: Node): boolean {
    return LINE_BREAK.test(this.#source.slice(node.start, node.end));
  }
}

const OPERATIONS = new Set(["BinaryExpression", "LogicalExpression", "UnaryExpression", "AwaitExpression"]);
const isOperation = (node: Node | undefined): boolean => node !== undefined && OPERATIONS.has(node.type);

const CASTS = new Set(["TSAsExpression", "TSSatisfiesExpression", "TSNonNullExpression"]);
const castless = (node: Node): Node | undefined => {
  let inner: Node | undefined = node;
  while (inner && CASTS.has(inner.type)) inner = nodeAt(inner, "expression");
  return inner;
};

const parameterStart = (property: Node): number => {
  const parameter = nodeAt(property, "parameter");
  const named = parameter && (nodeAt(parameter, "left") ?? parameter);
  return named?.start ?? property.start;
};
