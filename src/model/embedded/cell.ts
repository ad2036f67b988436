import { SNIPPETS, type SnippetName } from "./snippets/index.ts";
import type { Source } from "./source.ts";

/** The inside of a function of `data`, whose last statement returns the answer. User text enters through `literal`. */
export interface Body {
  body: string;
  /** It awaits calls to agents. */
  awaits?: true;
}

/**
 * The cell of a recipe's body.
 *
 * All of it is inside one function of `data`: its names can't collide with an input's, and no function is left behind
 * as a variable. Snippets are bound to fixed names, whatever a bundler renamed the functions to.
 */
export function writeCell({ body, awaits }: Body, source: Source | null): string {
  const used = NAMES.filter((name) => new RegExp(`\\b${name}\\(`).test(body));
  const snippets = used.map((name) => `const ${name} = ${sourceOf(name)};\n`).join("");
  const inside = snippets === "" ? body : `${snippets}\n${body}`;
  const [parameter, argument] = source === null ? ["", ""] : ["data", source.expression];
  return awaits
    ? `done(await (async (${parameter}) => {\n${inside}\n})(${argument}));\n`
    : `done(((${parameter}) => {\n${inside}\n})(${argument}));\n`;
}

// Object.keys gives strings; these are the keys of SNIPPETS.
const NAMES = Object.keys(SNIPPETS) as SnippetName[];
const sourceOf = (name: SnippetName): string => Function.prototype.toString.call(SNIPPETS[name]);

type Plain = string | number | boolean | readonly Plain[];

/** User text as a JavaScript literal. No objects: a key `__proto__` would not be a key. */
export const literal = (value: Plain): string => JSON.stringify(value);
