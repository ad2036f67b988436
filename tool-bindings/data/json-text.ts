/** How a text fails to be JSON: where, and what was expected there. Offsets are 0-based, lines and columns 1-based. */
export interface JsonProblem {
  offset: number;
  line: number;
  column: number;
  problem: string;
}

type Expecting = "value" | "value-or-end" | "key" | "key-or-end" | "colon" | "comma-or-end" | "nothing";

const EXPECTED: Record<Expecting, string> = {
  value: "a value",
  "value-or-end": 'a value or "]"',
  key: "a name in double quotes",
  "key-or-end": 'a name in double quotes or "}"',
  colon: '":"',
  "comma-or-end": '"," or the end of the list or object',
  nothing: "the end of the text",
};

const WORD = /[\w.+-]{1,2000}/y;
const NUMBER = /^-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?$/;

/**
 * Finds the first place where a text stops being JSON. One pass without recursion, for texts that `JSON.parse` refuses:
 * its own message has no place when the text is short or breaks off.
 */
export function findProblem(text: string): JsonProblem {
  const open: ("[" | "{")[] = [];
  let expecting: Expecting = "value";
  const problem = (offset: number, what: string): JsonProblem => ({ offset, ...placeOf(text, offset), problem: what });
  const afterValue = (): Expecting => (open.length === 0 ? "nothing" : "comma-or-end");
  for (let at = 0; at < text.length;) {
    const char = text[at]!;
    if (char === " " || char === "\t" || char === "\n" || char === "\r") {
      at++;
      continue;
    }
    const unexpected = (): JsonProblem =>
      problem(at, `Expected ${EXPECTED[expecting]}, found ${JSON.stringify(wordAt(text, at).slice(0, 40))}`);
    const wantsValue = expecting === "value" || expecting === "value-or-end";
    if (char === '"') {
      const isKey: boolean = expecting === "key" || expecting === "key-or-end";
      if (!isKey && !wantsValue) return unexpected();
      const end = stringEnd(text, at);
      if (typeof end !== "number") return problem(end.offset, end.problem);
      at = end;
      expecting = isKey ? "colon" : afterValue();
    } else if (char === "{" || char === "[") {
      if (!wantsValue) return unexpected();
      open.push(char);
      expecting = char === "{" ? "key-or-end" : "value-or-end";
      at++;
    } else if (char === "}" || char === "]") {
      const isEmpty = expecting === (char === "}" ? "key-or-end" : "value-or-end");
      const isOpen = open.at(-1) === (char === "}" ? "{" : "[");
      if (!isOpen || (!isEmpty && expecting !== "comma-or-end")) return unexpected();
      open.pop();
      expecting = afterValue();
      at++;
    } else if (char === "," && expecting === "comma-or-end") {
      expecting = open.at(-1) === "{" ? "key" : "value";
      at++;
    } else if (char === ":" && expecting === "colon") {
      expecting = "value";
      at++;
    } else {
      const word = wordAt(text, at);
      const isLiteral = word === "true" || word === "false" || word === "null" || NUMBER.test(word);
      if (!wantsValue || !isLiteral) return unexpected();
      at += word.length;
      expecting = afterValue();
    }
  }
  return problem(text.length, `The text breaks off: expected ${EXPECTED[expecting]}`);
}

function wordAt(text: string, at: number): string {
  WORD.lastIndex = at;
  return WORD.exec(text)?.[0] ?? String.fromCodePoint(text.codePointAt(at)!);
}

/** The offset after the closing quote, or what is wrong inside. */
function stringEnd(text: string, from: number): number | { offset: number; problem: string } {
  for (let at = from + 1; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') return at + 1;
    if (char < " ") return { offset: at, problem: "A line break or control character in a string must be escaped" };
    if (char === "\\") {
      if (!/^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/.test(text.slice(at + 1, at + 6)))
        return { offset: at, problem: "No such escape in a string" };
      at++;
    }
  }
  return { offset: from, problem: "The string that begins here is never closed" };
}

export function placeOf(text: string, offset: number): { line: number; column: number } {
  let line = 1;
  let start = 0;
  for (let at = text.indexOf("\n"); at !== -1 && at < offset; at = text.indexOf("\n", at + 1)) {
    line++;
    start = at + 1;
  }
  return { line, column: offset - start + 1 };
}

/** The deepest nesting of brackets outside strings: known before anything is built from the text. */
export function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let isString = false;
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (isString) {
      if (char === "\\") at++;
      else if (char === '"') isString = false;
    } else if (char === '"') isString = true;
    else if (char === "{" || char === "[") deepest = Math.max(deepest, ++depth);
    else if (char === "}" || char === "]") depth--;
  }
  return deepest;
}

/** The text with comments and commas before a closing bracket blanked out, every other character in its place. */
export function withoutExtras(text: string): string {
  const out: string[] = [];
  let kept = 0; // everything before it is in `out`
  let comma = -1; // a comma after which nothing has come yet
  const blank = (from: number, to: number): void => {
    out.push(text.slice(kept, from), text.slice(from, to).replace(/[^\n]/g, " "));
    kept = to;
  };
  const commas: number[] = [];
  for (let at = 0; at < text.length; at++) {
    const char = text[at]!;
    if (char === '"') {
      const end = stringEnd(text, at);
      if (typeof end !== "number") break;
      at = end - 1;
      comma = -1;
    } else if (char === "/" && (text[at + 1] === "/" || text[at + 1] === "*")) {
      const close = text[at + 1] === "/" ? text.indexOf("\n", at) : text.indexOf("*/", at + 2);
      const end = close === -1 ? text.length : text[at + 1] === "/" ? close : close + 2;
      blank(at, end);
      at = end - 1;
    } else if (char === ",") comma = at;
    else if ((char === "}" || char === "]") && comma !== -1) {
      commas.push(comma);
      comma = -1;
    } else if (char.trim() !== "") comma = -1;
  }
  out.push(text.slice(kept));
  const blanked = out.join("");
  return commas.length === 0 ? blanked : withBlanks(blanked, commas);
}

function withBlanks(text: string, offsets: readonly number[]): string {
  const parts: string[] = [];
  let from = 0;
  for (const offset of offsets) {
    parts.push(text.slice(from, offset), " ");
    from = offset + 1;
  }
  parts.push(text.slice(from));
  return parts.join("");
}
