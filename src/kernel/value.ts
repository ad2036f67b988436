import type { Edits } from "./edits.ts";
import { isFunction, isTypeOnly, nodesAt } from "./syntax.ts";
import type { Node } from "./syntax.ts";

/** Makes the last expression of a cell, and what it returns outside functions, the cell's value. */
export class CellValue {
  readonly #edits: Edits;
  readonly #last: Node | undefined;
  #depth = 0;

  constructor(edits: Edits, program: Node) {
    this.#edits = edits;
    const last = nodesAt(program, "body").findLast((node) => node.type !== "EmptyStatement" && !isTypeOnly(node));
    if (last?.type === "ExpressionStatement") this.#last = last;
  }

  // What is inserted goes inside any brackets around the expression, where it is an expression as well.
  enter(node: Node, parent: Node | undefined, field: string): void {
    if (parent && parent === this.#last) this.#edits.insert(node.start, "$px.value=(");
    if (this.#isReturned(parent, field)) this.#edits.insert(node.start, "void($px.value=(");
    if (isFunction(node)) this.#depth++;
  }

  leave(node: Node, parent: Node | undefined, field: string): void {
    if (isFunction(node)) this.#depth--;
    if (this.#isReturned(parent, field)) this.#edits.insert(node.end, "))");
    if (parent && parent === this.#last) this.#edits.insert(node.end, ")");
    if (node === this.#last && this.#edits.source[node.end - 1] !== ";") this.#edits.insert(node.end, ";");
  }

  #isReturned(parent: Node | undefined, field: string): boolean {
    return this.#depth === 0 && parent?.type === "ReturnStatement" && field === "argument";
  }
}
