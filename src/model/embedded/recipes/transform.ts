import type { Recipe } from "../recipe.ts";
import { hasOnly } from "../table-query.ts";
import { eachText, wordsOf } from "../text-request.ts";

const FORMS: readonly { words: string[]; title: string; code: (text: string) => string }[] = [
  { words: ["uppercase", "upper", "capitals", "caps"], title: "upper case", code: (text) => `${text}.toUpperCase()` },
  { words: ["lowercase", "lower"], title: "lower case", code: (text) => `${text}.toLowerCase()` },
  {
    words: ["title", "titlecase", "capitalize", "capitalise"],
    title: "title case",
    code: (text) =>
      String.raw`${text}.replace(/\p{L}[\p{L}\p{N}'’]*/gu, (word) => word.charAt(0).toUpperCase() + word.slice(1).toLowerCase())`,
  },
  { words: ["reverse", "reversed", "backwards"], title: "reverse", code: (text) => `[...${text}].reverse().join("")` },
  { words: ["trim", "whitespace"], title: "trim", code: (text) => String.raw`${text}.replace(/\s+/g, " ").trim()` },
];
const FILLERS = "convert change make turn into case transform each every put write word extra letters spell".split(" ");

export const transform: Recipe = {
  name: "transform",
  summary: "upper case, lower case, title case, reverse or trim a text",
  example: "convert the text to uppercase",
  match(question, source) {
    if (source === null || source.shape.kind === "table") return null;
    const words = wordsOf(question, source);
    const forms = FORMS.filter((form) => form.words.some((word) => words.includes(word)));
    const [form, ...more] = forms;
    if (form === undefined || more.length > 0 || !hasOnly(words, [...form.words, ...FILLERS])) return null;
    const { shape } = source;
    const isList = shape.kind === "list" && shape.unit === undefined;
    const body =
      isList && form.title === "reverse" && !words.includes("each")
        ? "return [data].flat().reverse();"
        : eachText(source, { field: "text", of: form.code });
    return body === null ? null : { score: 42, title: form.title, body };
  },
};
