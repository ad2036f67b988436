import type { Question } from "./question.ts";
import type { Source } from "./source.ts";
import { fieldLike } from "./field-mention.ts";
import { accessOf } from "./condition.ts";
import { rowsCode } from "./rows.ts";
import { NOISE, ROW_NOUNS, TEXT_NOUNS } from "./vocabulary.ts";

/** The words of a goal that say something beyond `the`, the input's name, and signs. */
export function wordsOf({ tokens }: Question, source: Source | null): string[] {
  return tokens
    .filter(({ kind, lower, stems }) => {
      if (kind === "sign") return false;
      if (kind !== "word") return true;
      const isOwn = source !== null && stems.length > 0 && stems.every((stem) => source.names.has(stem));
      return !isOwn && !NOISE.has(lower) && !ROW_NOUNS.has(lower) && !TEXT_NOUNS.has(lower);
    })
    .map(({ lower }) => lower);
}

/** Fields that hold prose. */
const TEXT_FIELDS =
  "text body content message comment description review transcript feedback title subject summary note question".split(
    " ",
  );

/** Code that does something with each text of the source: one text gives one answer, a list a list, rows get a new field. */
export function eachText(source: Source, answer: { field: string; of: (text: string) => string }): string | null {
  const { shape } = source;
  if (shape.kind === "text") return `return ${answer.of("data")};`;
  if (shape.kind === "texts-by-name")
    return `return Object.fromEntries(Object.entries(data).map(([name, text]) => [name, ${answer.of("text")}]));`;
  if (shape.kind === "list")
    return shape.unit === undefined && shape.items !== "numbers"
      ? `return [data].flat().map((text) => ${answer.of("String(text)")});`
      : null;
  const field = fieldLike(TEXT_FIELDS, shape.fields);
  if (field === null) return null;
  const text = `String(${accessOf(field)} ?? "")`;
  return `${rowsCode(source, null)}\nreturn rows.map((row) => ({ ...row, ${answer.field}: ${answer.of(text)} }));`;
}
