import { ToolFailure } from "../define.ts";

type Test = (char: string) => boolean;
export type Border = "^" | "$" | "\\b" | "\\B";
export type PatternNode =
  | { type: "char"; test: Test }
  | { type: "border"; border: Border }
  | { type: "sequence" | "choice"; parts: PatternNode[] }
  | { type: "repeat"; part: PatternNode; min: number; max: number };

export const refuse = (pattern: string, problem: string): ToolFailure =>
  new ToolFailure("unsupported-pattern", `Can't use the pattern ${JSON.stringify(pattern.slice(0, 100))}: ${problem}.`);

/** One character or class, as the engine understands it. Of one character, so that there is nothing to backtrack. */
function classTest(source: string, flags: string): Test {
  const regexp = new RegExp(`^(?:${source})$`, flags);
  const known = new Map<string, boolean>();
  return (char) => {
    let answer = known.get(char);
    if (answer === undefined) {
      answer = regexp.test(char);
      if (known.size < 1_000) known.set(char, answer);
    }
    return answer;
  };
}

/** Reads the source of a regular expression that the engine has already accepted. */
export class PatternReader {
  readonly #source: string;
  readonly #flags: string;
  #at = 0;

  constructor(source: string, flags: string) {
    this.#source = source;
    this.#flags = flags;
  }

  read(): PatternNode {
    const node = this.#choice();
    if (this.#at < this.#source.length) throw refuse(this.#source, "a bracket is closed that was not opened");
    return node;
  }

  #choice(): PatternNode {
    const parts = [this.#sequence()];
    while (this.#take("|")) parts.push(this.#sequence());
    return parts.length === 1 ? parts[0]! : { type: "choice", parts };
  }

  #sequence(): PatternNode {
    const parts: PatternNode[] = [];
    while (this.#at < this.#source.length && !"|)".includes(this.#source[this.#at]!)) parts.push(this.#repeated());
    return { type: "sequence", parts };
  }

  #repeated(): PatternNode {
    const part = this.#atom();
    const quantifier = this.#match(/[*+?]\??|\{(\d{1,4})(,(\d{0,4}))?\}\??/y);
    if (quantifier === undefined) {
      if (this.#match(/\{\d+,?\d*\}/y) !== undefined) throw refuse(this.#source, "it repeats too much");
      return part;
    }
    const [mark, least, comma, most] = quantifier;
    if (least !== undefined) {
      const min = Number(least);
      const max = comma === undefined ? min : most === "" ? Number.POSITIVE_INFINITY : Number(most);
      return { type: "repeat", part, min, max };
    }
    return {
      type: "repeat",
      part,
      min: mark![0] === "+" ? 1 : 0,
      max: mark![0] === "?" ? 1 : Number.POSITIVE_INFINITY,
    };
  }

  #atom(): PatternNode {
    if (this.#take("(")) {
      if (this.#match(/\?(?:=|!|<=|<!)/y) !== undefined) throw refuse(this.#source, "look-around is not supported");
      const isKnown = this.#match(/\?(?::|<[\w$]{1,50}>)|(?!\?)/y) !== undefined;
      if (!isKnown) throw refuse(this.#source, "this kind of group is not supported");
      const inner = this.#choice();
      if (!this.#take(")")) throw refuse(this.#source, "a bracket is not closed");
      return inner;
    }
    const border = this.#match(/\^|\$|\\b|\\B/y)?.[0];
    if (border !== undefined) return { type: "border", border: border as Border }; // the expression says so
    if (this.#match(/\\(?:[1-9]|k<)/y) !== undefined) throw refuse(this.#source, "references are not supported");
    const source = this.#match(
      /\[(?:\\[^]|[^\]\\])*\]|\\(?:p|P)\{[\w=]{1,60}\}|\\u\{[\da-f]{1,6}\}|\\u[\da-f]{4}|\\x[\da-f]{2}|\\c[a-z]|\\[^]|[^]/iuy,
    )?.[0];
    if (source === undefined) throw refuse(this.#source, "it breaks off");
    return { type: "char", test: classTest(source, this.#flags) };
  }

  #take(char: string): boolean {
    if (this.#source[this.#at] !== char) return false;
    this.#at++;
    return true;
  }

  #match(expression: RegExp): RegExpExecArray | undefined {
    expression.lastIndex = this.#at;
    const match = expression.exec(this.#source);
    if (match === null) return undefined;
    this.#at = expression.lastIndex;
    return match;
  }
}
