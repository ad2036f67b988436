import { Parser } from "acorn";
import type { Options } from "acorn";
import { tsPlugin } from "@sveltejs/acorn-typescript";
import { refuse } from "./compiled.ts";
import type { Compiled, Problem } from "./compiled.ts";
import { isNode, wordEnd } from "./syntax.ts";
import type { Node } from "./syntax.ts";

/**
 * The TypeScript plugin reads ambiguous code more than once, and nested ambiguity exponentially often. What it reads is
 * counted in characters and tokens. Ordinary code takes about two per character of the source; the constant leaves room
 * for short and dense cells.
 */
const READS_PER_CHARACTER = 8;
const READS_AT_LEAST = 100_000;

// Parsing is synchronous and never nested, so one allowance for the parse under way is enough.
let readsLeft = 0;

// Not a SyntaxError: the plugin would take that for a failed attempt and try the next one.
class TooManyAttempts extends Error {}

const offsetIn = (parser: Parser): number => ("pos" in parser && typeof parser.pos === "number" ? parser.pos : 0);

const metered = (Base: typeof Parser): typeof Parser => {
  const readToken: unknown = Reflect.get(Base.prototype, "nextToken");
  if (typeof readToken !== "function") throw new Error("acorn has no nextToken to meter");
  class Metered extends Base {}
  Object.defineProperty(Metered.prototype, "nextToken", {
    value(this: Parser): void {
      const before = offsetIn(this);
      Reflect.apply(readToken, this, []);
      readsLeft -= 1 + Math.max(0, offsetIn(this) - before);
      if (readsLeft < 0) throw new TooManyAttempts();
    },
  });
  return Metered;
};

const TypeScript = Parser.extend(tsPlugin(), metered);
const JavaScript = Parser.extend(metered);

const OPTIONS: Options = {
  ecmaVersion: "latest",
  sourceType: "module",
  locations: true, // the plugin needs them
  allowHashBang: false,
};
const CELL_OPTIONS: Options = { ...OPTIONS, allowReturnOutsideFunction: true, allowAwaitOutsideFunction: true };
// A stored function is evaluated inside a plain arrow function, where nothing may be awaited.
const FUNCTION_OPTIONS: Options = { ...OPTIONS, allowAwaitOutsideFunction: false };

type Attempt = { ok: true; value: Node } | { ok: false; problem: Problem };

const attempt = (source: string, parse: () => unknown): Attempt => {
  readsLeft = READS_AT_LEAST + READS_PER_CHARACTER * source.length;
  try {
    const tree = parse();
    if (!isNode(tree)) throw new Error("the parser answered no tree");
    return { ok: true, value: tree };
  } catch (error) {
    return { ok: false, problem: problemOf(source, error) };
  }
};

/** A cell as TypeScript, or as JavaScript where the plugin misreads it (`a ? (b) : c => d`). */
export const parseCell = (source: string): Compiled<Node> => {
  const typed = attempt(source, () => TypeScript.parse(source, CELL_OPTIONS));
  if (typed.ok) return typed;
  const plain = attempt(source, () => JavaScript.parse(source, CELL_OPTIONS));
  return plain.ok ? plain : refuse(source, typed.problem);
};

/** One JavaScript expression that is the whole of the source. */
export const parseExpression = (source: string): { ok: true; value: Node } | { ok: false; reason: string } => {
  const result = attempt(source, () => JavaScript.parseExpressionAt(source, 0, FUNCTION_OPTIONS));
  if (!result.ok) return { ok: false, reason: result.problem.message };
  return source.slice(result.value.end).trim() === ""
    ? result
    : { ok: false, reason: `Unexpected token '${tokenText(source, result.value.end)}'` };
};

export const TOO_DEEP: Problem = {
  kind: "syntax",
  offset: 0,
  message: "The code is nested too deeply",
  hint: "Split it into several statements or smaller functions.",
};

const TOO_AMBIGUOUS: Problem = {
  kind: "syntax",
  offset: 0,
  message: "The code takes too long to parse",
  hint: "Write casts as `x as T` and not as `<T>x`, and split deeply nested expressions.",
};

const UNREADABLE: Problem = {
  kind: "syntax",
  offset: 0,
  message: "The code cannot be parsed",
  hint: "Write it in plainer TypeScript.",
};

// What acorn says, in V8's words.
const V8_WORDS: Record<string, string> = {
  "Assigning to rvalue": "Invalid left-hand side in assignment",
  "Deleting local variable in strict mode": "Delete of an unqualified identifier in strict mode",
  "Unsyntactic break": "Illegal break statement",
  "Unsyntactic continue": "Illegal continue statement",
};

const problemOf = (source: string, error: unknown): Problem => {
  if (error instanceof RangeError) return TOO_DEEP;
  if (error instanceof TooManyAttempts) return TOO_AMBIGUOUS;
  // The parser failed in itself: still the cell's text, not ours, is what it could not read.
  if (!(error instanceof SyntaxError)) return UNREADABLE;
  const offset = "pos" in error && typeof error.pos === "number" ? Math.min(error.pos, source.length) : 0;
  const said = error.message.replace(/ \(\d+:\d+\)$/, "");
  if (said === "'with' in strict mode") {
    return { kind: "forbidden", offset, message: '"with" is not available', hint: "Name the object: `o.x`, not `x`." };
  }
  const message = said === "Unexpected token" ? unexpected(source, offset) : (V8_WORDS[said] ?? said);
  return { kind: "syntax", offset, message, hint: hintFor(source, { offset, message }) };
};

/** V8's words for a token that may not stand where it does. */
const unexpected = (source: string, offset: number): string => {
  if (offset >= source.length) return "Unexpected end of input";
  const token = tokenText(source, offset);
  if (/^["'`]/.test(token)) return "Unexpected string";
  if (/^\d/.test(token)) return "Unexpected number";
  return /^[\p{ID_Start}$_]/u.test(token) ? `Unexpected identifier '${token}'` : `Unexpected token '${token}'`;
};

const tokenText = (source: string, offset: number): string => {
  const end = wordEnd(source, offset);
  return end > offset ? source.slice(offset, end) : String.fromCodePoint(source.codePointAt(offset) ?? 0);
};

const hintFor = (source: string, at: { offset: number; message: string }): string => {
  if (/<\/[A-Za-z>]|\/>/.test(source)) return "JSX is not supported: build a string or an object instead.";
  if (at.message.includes("already been declared")) return "Use another name, or assign to the first one.";
  if (at.message === "Unexpected end of input") return "A bracket, a brace or a quote is not closed.";
  if (/\bawait\s*$/.test(source.slice(0, at.offset)) || at.message.includes("await")) {
    return "Mark the function around `await` as `async`.";
  }
  if (source.charAt(at.offset) === "," || source.charAt(at.offset) === ":") {
    return "Put an object literal that starts a statement in parentheses: `({ a: 1 })`.";
  }
  return "Correct this place and send the whole cell again.";
};
