import type { Edits } from "./edits.ts";
import { entryFence, fence } from "./fence.ts";
import type { Scopes } from "./scope.ts";
import { isClass, isFunction, isLoop, isTypeOnly, nodeAt, tokenAfter } from "./syntax.ts";
import type { Node } from "./syntax.ts";

/**
 * What a pass through a body costs, in units of about a nanosecond. Exactness is not needed: the point is that a second
 * of any code costs about the same fuel.
 */
const COST = {
  pass: 1, // the jump itself: an empty loop must run out too
  nodesPerUnit: 8, // simple operations compile to a few instructions
  allocation: 20, // an object, array, function, class, regular expression or template: memory to fill and to collect
  suspension: 60, // `await` and `yield`: a microtask takes about 100 ns
  call: 5, // arguments, a frame, and whatever a built-in does
  entry: 8, // a frame: recursion must run out before it has overflowed often
  growth: 8, // `+=`, which may make a text longer by what it takes to remember both parts
  caught: 4_000, // an error that was thrown and caught, a stack overflow above all, takes microseconds
  recovery: 1_000, // `finally`: an error may be on its way
} as const;

const ALLOCATIONS = new Set([
  "ObjectExpression",
  "ArrayExpression",
  "FunctionExpression",
  "FunctionDeclaration",
  "ArrowFunctionExpression",
  "ClassExpression",
  "ClassDeclaration",
  "TemplateLiteral",
  "NewExpression",
]);
const SUSPENSIONS = new Set(["AwaitExpression", "YieldExpression"]);
const CALLS = new Set(["CallExpression", "TaggedTemplateExpression"]);
// The parts of a loop that run on each pass.
const REPEATED = new Set(["test", "update", "body"]);

/** A stretch of code that is paid for at once. */
interface Stretch {
  nodes: number;
  extra: number;
  /** It calls or constructs something. */
  reaches: boolean;
  pay: (cost: number) => void;
}

const stretch = (pay: (cost: number) => void): Stretch => ({ nodes: 0, extra: 0, reaches: false, pay });

const statement = (cost: number): string => `if(($pxf-=${cost})<0)$pxx();`;
const operand = (cost: number): string => `(($pxf-=${cost})<0&&$pxx(),`;

/**
 * K2: makes every loop body and every function entry pay. Only these can repeat, so a cell that does not end runs out.
 * A field initialiser pays too when it calls something: fields alone can double the work per class.
 */
export class Fuel {
  readonly #edits: Edits;
  readonly #captured: Scopes["captured"];
  readonly #stack: Stretch[] = [stretch(() => {})]; // the outermost code runs once and pays nothing
  readonly #loops = new Map<Node, Stretch>();

  constructor(edits: Edits, scopes: Scopes) {
    this.#edits = edits;
    this.#captured = scopes.captured;
  }

  enter(node: Node, parent: Node | undefined, field: string): void {
    if (parent && isLoop(parent) && REPEATED.has(field)) this.#enterPass(node, parent, field);
    if (isTypeOnly(node)) return;
    if (isFieldValue(parent, field)) this.#enterFieldValue(node);
    this.#weigh(node);
    // Recursion that recovers from each overflow makes an error for every frame, twice as many at each level.
    if (node.type === "BlockStatement" && (parent?.type === "CatchClause" || field === "finalizer"))
      this.#edits.insert(node.start + 1, "")(fence(statement(field === "finalizer" ? COST.recovery : COST.caught)));
    if (isFunction(node)) this.#enterFunction(node);
    else if (node.type === "StaticBlock") this.#enterStaticBlock(node);
    else if (isClass(node)) this.#markClass(node);
  }

  leave(node: Node, parent: Node | undefined, field: string): void {
    if (!isTypeOnly(node)) {
      if (isFunction(node) || node.type === "StaticBlock") this.#settle(this.#stack.pop());
      if (isFieldValue(parent, field)) this.#leaveFieldValue();
      if (isLoop(node)) this.#settle(this.#loops.get(node));
    }
    if (parent && isLoop(parent) && REPEATED.has(field)) this.#leavePass(node, field);
  }

  #weigh(node: Node): void {
    const current = this.#stack.at(-1);
    if (!current) return;
    current.nodes++;
    if (ALLOCATIONS.has(node.type) || node["regex"] !== undefined) current.extra += COST.allocation;
    else if (SUSPENSIONS.has(node.type) || node["await"] === true) current.extra += COST.suspension;
    else if (CALLS.has(node.type)) current.extra += COST.call;
    else if (
      node.type === "AssignmentExpression" &&
      node["operator"] === "+=" &&
      typeof nodeAt(node, "right")?.["value"] !== "number"
    )
      current.extra += COST.growth;
    current.reaches ||= node.type === "NewExpression" || CALLS.has(node.type);
  }

  #settle(paid: Stretch | undefined): void {
    paid?.pay(COST.pass + Math.floor(paid.nodes / COST.nodesPerUnit) + paid.extra);
  }

  #enterPass(node: Node, loop: Node, field: string): void {
    let pass = this.#loops.get(loop);
    if (!pass) {
      // `for await` suspends on each pass, before the body.
      pass = { ...stretch(() => {}), extra: loop["await"] === true ? COST.suspension : 0 };
      this.#loops.set(loop, pass);
    }
    this.#stack.push(pass);
    if (field !== "body") return;
    const block = node.type === "BlockStatement";
    const set = this.#edits.insert(block ? node.start + 1 : node.start, "");
    pass.pay = (cost) => set(fence(block ? statement(cost) : `{${statement(cost)}`));
  }

  #leavePass(node: Node, field: string): void {
    this.#stack.pop();
    if (field === "body" && node.type !== "BlockStatement") this.#edits.insert(node.end, fence("}"));
  }

  #enterFunction(node: Node): void {
    const body = nodeAt(node, "body");
    if (!body) throw new Error("a function without a body");
    const captured = this.#namesCaptured(node);
    if (body.type === "BlockStatement") {
      const set = this.#edits.insert(body.start + 1, "");
      this.#stack.push(stretch((cost) => set(entryFence(captured, statement(cost + COST.entry)))));
      return;
    }
    const set = this.#edits.insert(body.start, "");
    this.#stack.push(
      stretch((cost) => {
        set(entryFence(captured, operand(cost + COST.entry)));
        this.#edits.insert(body.end, fence(")"));
      }),
    );
  }

  #enterStaticBlock(node: Node): void {
    const brace = tokenAfter(this.#edits.source, node.start + "static".length);
    const set = this.#edits.insert(brace + 1, "");
    this.#stack.push(stretch((cost) => set(fence(statement(cost)))));
  }

  #enterFieldValue(node: Node): void {
    const set = this.#edits.insert(node.start, "");
    this.#stack.push(
      stretch((cost) => {
        set(fence(operand(cost)));
        this.#edits.insert(node.end, fence(")"));
      }),
    );
  }

  #leaveFieldValue(): void {
    const value = this.#stack.pop();
    // Otherwise it stays as it is: a lone function or class takes its name from the field, which brackets would prevent.
    if (value?.reaches === true) this.#settle(value);
  }

  #markClass(node: Node): void {
    const body = nodeAt(node, "body");
    if (body) this.#edits.insert(body.start + 1, entryFence(this.#namesCaptured(node), ""));
  }

  #namesCaptured(node: Node): string[] {
    return [...(this.#captured.get(node) ?? [])].sort();
  }
}

const isFieldValue = (parent: Node | undefined, field: string): boolean =>
  parent?.type === "PropertyDefinition" && field === "value";
