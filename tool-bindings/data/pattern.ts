import { type Border, type PatternNode, PatternReader, refuse } from "./pattern-reader.ts";

/**
 * Regular expressions of strangers, matched in bounded work: all ways through the pattern are followed at once, so a
 * text of n characters and a pattern of m steps take n × m at most. The engine's own backtracks, for ever if it must.
 *
 * Does what JSON Schema uses: classes, groups, alternatives, quantifiers, ^ $ \b \B. No look-around, no back references.
 */
const MAX_PATTERN_CHARS = 500;
const MAX_PROGRAM = 2_000; // steps, after {n,m} is written out

type Step =
  | { type: "char"; test: (char: string) => boolean }
  | { type: "border"; border: Border }
  | { type: "split"; to: number[] }
  | { type: "match" };

/** A pattern, ready to be tested against texts. */
export class Pattern {
  readonly #steps: Step[] = [];
  readonly #source: string;
  #work = 0;

  /** Fails as `unsupported-pattern`. */
  constructor(source: string) {
    this.#source = source;
    if (source.length > MAX_PATTERN_CHARS) throw refuse(source, `it is longer than ${MAX_PATTERN_CHARS} characters`);
    const flags = isRegExp(source, "u") ? "u" : "";
    if (flags === "" && !isRegExp(source, "")) throw refuse(source, "it is no regular expression");
    this.#add(new PatternReader(source, flags).read());
    this.#push({ type: "match" });
  }

  /** Whether it matches anywhere in the text. `spend` is told of the work before it is done, and may throw. */
  test(text: string, spend: (steps: number) => void): boolean {
    const chars = [...text];
    let current = new Set<number>();
    for (let at = 0; at <= chars.length; at++) {
      this.#follow(0, current, { chars, at }); // a match may begin anywhere
      const next = new Set<number>();
      spend(current.size);
      for (const index of current) {
        const step = this.#steps[index]!;
        if (step.type === "match") return true;
        if (step.type === "char" && at < chars.length && step.test(chars[at]!))
          this.#follow(index + 1, next, { chars, at: at + 1 });
      }
      current = next;
    }
    return false;
  }

  /** Adds a step and all that can be reached from it without a character. */
  #follow(start: number, reached: Set<number>, place: { chars: readonly string[]; at: number }): void {
    const pending = [start];
    for (let index = pending.pop(); index !== undefined; index = pending.pop()) {
      if (reached.has(index)) continue;
      reached.add(index);
      const step = this.#steps[index]!;
      if (step.type === "split") pending.push(...step.to);
      else if (step.type === "border" && isBorder(step.border, place.chars, place.at)) pending.push(index + 1);
    }
  }

  #push(step: Step): number {
    if (this.#steps.length >= MAX_PROGRAM) throw refuse(this.#source, "it repeats too much");
    return this.#steps.push(step) - 1;
  }

  #add(node: PatternNode): void {
    if (++this.#work > MAX_PROGRAM * 5) throw refuse(this.#source, "it repeats too much"); // nothing, perhaps, but often
    if (node.type === "char" || node.type === "border") this.#push(node);
    else if (node.type === "repeat") this.#addRepeat(node);
    else if (node.type === "choice") this.#addChoice(node.parts);
    else for (const part of node.parts) this.#add(part);
  }

  #addChoice(parts: readonly PatternNode[]): void {
    const fork = { type: "split" as const, to: [] as number[] };
    const ends: { to: number[] }[] = [];
    this.#push(fork);
    for (const part of parts) {
      fork.to.push(this.#steps.length);
      this.#add(part);
      const end = { type: "split" as const, to: [] as number[] };
      this.#push(end);
      ends.push(end);
    }
    for (const end of ends) end.to.push(this.#steps.length);
  }

  #addRepeat({ part, min, max }: Extract<PatternNode, { type: "repeat" }>): void {
    for (let i = 0; i < min; i++) this.#add(part);
    if (max === Number.POSITIVE_INFINITY) {
      const loop = { type: "split" as const, to: [] as number[] };
      const start = this.#push(loop);
      this.#add(part);
      this.#push({ type: "split", to: [start] });
      loop.to.push(start + 1, this.#steps.length);
      return;
    }
    const skips: { to: number[] }[] = [];
    for (let i = min; i < max; i++) {
      const skip = { type: "split" as const, to: [this.#steps.length + 1] };
      this.#push(skip);
      skips.push(skip);
      this.#add(part);
    }
    for (const skip of skips) skip.to.push(this.#steps.length);
  }
}

function isRegExp(source: string, flags: string): boolean {
  try {
    return new RegExp(source, flags) instanceof RegExp;
  } catch {
    return false;
  }
}

function isBorder(border: Border, chars: readonly string[], at: number): boolean {
  if (border === "^") return at === 0;
  if (border === "$") return at === chars.length;
  const isWord = (char: string | undefined): boolean => char !== undefined && /^\w$/.test(char);
  return (isWord(chars[at - 1]) !== isWord(chars[at])) === (border === "\\b");
}
