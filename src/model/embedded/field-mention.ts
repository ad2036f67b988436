import { stemsOf, type Token } from "./tokens.ts";

export interface Mention {
  field: string;
  /** The token after it. */
  next: number;
}

const MAX_WORDS = 5; // of a field's name

/** The field named at `index`, in any of its forms: `unit_price`, `unitPrice`, `Unit Prices`, or `price` if no other ends so. */
export function fieldAt(tokens: readonly Token[], index: number, fields: readonly string[]): Mention | null {
  const first = tokens[index];
  if (first === undefined || first.kind === "sign") return null;
  const exact = fields.find((field) => field.toLowerCase() === first.lower);
  if (exact !== undefined) return { field: exact, next: index + 1 };
  if (first.kind === "quoted") return null;
  const keys = keysOf(fields);
  for (let words = MAX_WORDS; words > 0; words--) {
    const span = tokens.slice(index, index + words);
    if (span.length < words || span.some(({ kind }) => kind === "sign" || kind === "quoted")) continue;
    const key = span.flatMap(({ stems }) => stems).join(" ");
    const found = keys.find((candidate) => candidate.key === key);
    if (found !== undefined) return { field: found.field, next: index + words };
  }
  const [stem, ...more] = first.stems;
  if (stem === undefined || more.length > 0 || first.kind !== "word") return null;
  const endings = keys.filter(({ key }) => key.endsWith(` ${stem}`));
  return endings.length === 1 && endings[0] !== undefined ? { field: endings[0].field, next: index + 1 } : null;
}

interface FieldKey {
  field: string;
  key: string;
}

const KEYS = new WeakMap<readonly string[], FieldKey[]>();

/** The stems of each field, worked out once per table: this is asked for at every word of a goal. */
function keysOf(fields: readonly string[]): FieldKey[] {
  const known = KEYS.get(fields);
  if (known !== undefined) return known;
  const keys = fields.map((field) => ({ field, key: stemsOf(field).join(" ") })).filter(({ key }) => key !== "");
  KEYS.set(fields, keys);
  return keys;
}

/** The first field whose name is, or ends in, one of the words. */
export const fieldLike = (words: readonly string[], fields: readonly string[]): string | null => {
  for (const word of words) {
    const key = stemsOf(word).join(" ");
    const found =
      fields.find((field) => stemsOf(field).join(" ") === key) ??
      fields.find((field) => ` ${stemsOf(field).join(" ")}`.endsWith(` ${key}`)) ??
      fields.find((field) => stemsOf(field)[0] === key);
    if (found !== undefined) return found;
  }
  return null;
};

export const DATE_WORDS = "date day time timestamp created updated at on published released year".split(" ");

export const isDateLike = (field: string): boolean => {
  const stems = stemsOf(field);
  return DATE_WORDS.some((word) => stems.at(-1) === stemsOf(word)[0] || stems[0] === stemsOf(word)[0]);
};
