import { ToolFailure } from "../define.ts";

/**
 * Bounds of the tools that run on the host, where one endless loop stops everybody: what comes in, how deep it is
 * nested, and how much may come out of it.
 */
export const MAX_TEXT_CHARS = 2_000_000; // what a message of a few MB holds; larger data is worked on in parts
export const MAX_OUTPUT_CHARS = 8_000_000; // a reply crosses RPC and is stored in the journal
const MAX_VALUES = 500_000; // values inside one structured argument
const MAX_DEPTH = 100; // deeper than any data made for use, far from the end of the stack

export const LIMIT_NOTE = "Fails as `too-large` above 2,000,000 characters.";
export const VALUE_NOTE =
  "Fails as `too-large` above 2,000,000 characters or 500,000 values and as `too-deep` above 100 levels.";

/** The text as it is, or `too-large`. */
export function boundedText(text: string, name: string, limit: number = MAX_TEXT_CHARS): string {
  if (text.length > limit)
    throw new ToolFailure(
      "too-large",
      `\`${name}\` has ${text.length} characters and may have ${limit}. Work on it in parts.`,
      { characters: text.length, limit },
    );
  return text;
}

export const tooDeep = (name: string, limit: number): ToolFailure =>
  new ToolFailure("too-deep", `\`${name}\` is nested deeper than ${limit} levels.`, { limit });

/** Data as it is, or `too-large`, or `too-deep`. Walks without recursion: it is what makes recursion safe afterwards. */
export function boundedValue<T>(value: T, name: string): T {
  const pending: { value: unknown; depth: number }[] = [{ value, depth: 0 }];
  let characters = 0;
  let values = 0;
  for (let item = pending.pop(); item !== undefined; item = pending.pop()) {
    if (item.depth > MAX_DEPTH) throw tooDeep(name, MAX_DEPTH);
    if (typeof item.value === "string") characters += item.value.length;
    else if (typeof item.value === "object" && item.value !== null) {
      const depth = item.depth + 1;
      for (const [key, inner] of Object.entries(item.value)) {
        if (!Array.isArray(item.value)) characters += key.length;
        if (++values > MAX_VALUES) break;
        pending.push({ value: inner, depth });
      }
    }
    if (characters > MAX_TEXT_CHARS || values > MAX_VALUES)
      throw new ToolFailure(
        "too-large",
        `\`${name}\` holds more than ${MAX_TEXT_CHARS} characters or ${MAX_VALUES} values. Work on it in parts.`,
      );
  }
  return value;
}

/** What one call may still produce. Spent before the output is made, so that small input can't grow without end. */
export class Allowance {
  #left: number;
  readonly #advice: string;
  constructor(advice: string, left: number = MAX_OUTPUT_CHARS) {
    this.#advice = advice;
    this.#left = left;
  }

  spend(characters: number): void {
    this.#left -= characters;
    if (this.#left < 0) throw new ToolFailure("too-large", `The result would be too large. ${this.#advice}`);
  }
}
