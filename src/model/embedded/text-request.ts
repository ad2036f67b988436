import type { Question } from "./question.ts";
import type { Source } from "./source.ts";
import { fieldLike } from "./field-mention.ts";
import { literal } from "./cell.ts";
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
  "text body content message comment description review transcript article document essay story letter feedback title subject summary note question".split(
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

/** Code that binds `texts`, and code that returns `answers` to them in the form that `eachText` gives. */
export function allTexts(source: Source, field: string): { bind: string; answer: string } | null {
  const { shape } = source;
  switch (shape.kind) {
    case "text":
      return null;
    case "texts-by-name":
      return {
        bind: "const texts = Object.values(data);",
        answer: "return Object.fromEntries(Object.keys(data).map((name, at) => [name, answers[at]]));",
      };
    case "list":
      return shape.unit === undefined && shape.items !== "numbers"
        ? { bind: "const texts = [data].flat().map((text) => String(text));", answer: "return answers;" }
        : null;
    case "table": {
      const prose = fieldLike(TEXT_FIELDS, shape.fields);
      if (prose === null) return null;
      return {
        bind: `${rowsCode(source, null)}\nconst texts = rows.map((row) => String(${accessOf(prose)} ?? ""));`,
        answer: `return rows.map((row, at) => ({ ...row, ${field}: answers[at] }));`,
      };
    }
  }
}

const TITLE_FIELDS = "source title name url link file author id".split(" ");

/** The inside of a function of `data` that gives the texts of a source as `{ source, text }`; null when it holds none. */
export function sourceRows(source: Source): string | null {
  const { shape, name } = source;
  if (shape.kind === "text") return `return [{ source: ${literal(name)}, text: data }];`;
  if (shape.kind === "texts-by-name") return "return Object.entries(data).map(([source, text]) => ({ source, text }));";
  const numbered = `${literal(`${name} `)} + (at + 1)`;
  if (shape.kind === "list")
    return shape.unit === undefined && shape.items === "texts"
      ? `return data.map((text, at) => ({ source: ${numbered}, text }));`
      : null;
  const prose = fieldLike(TEXT_FIELDS, shape.fields);
  if (prose === null) return null;
  const title = fieldLike(
    TITLE_FIELDS,
    shape.fields.filter((field) => field !== prose),
  );
  const titled = title === null ? numbered : `String(${accessOf(title)} ?? ${numbered})`;
  return `${rowsCode(source, null)}\nreturn rows.map((row, at) => ({ source: ${titled}, text: String(${accessOf(prose)} ?? "") }));`;
}
