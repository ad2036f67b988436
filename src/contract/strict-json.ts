import { type Json, type JsonLimits, whyNotJson } from "./json.ts";

export type JsonRead = { ok: true; value: Json } | { ok: false; problem: string };

// Strings, and the signs that say where they stand.
const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\]:,]/gs;

/**
 * Reads JSON that someone may have made to be read in two ways: a key that comes twice in one object, also when one of
 * them is escaped, and `__proto__` are refused, and so is what is longer or deeper than the limits.
 */
export function readStrictJson(text: string, limits: JsonLimits): JsonRead {
  if (text.length > limits.chars) return { ok: false, problem: `is longer than ${limits.chars} characters` };
  const problem = whyNotPlain(text, limits.depth);
  if (problem !== undefined) return { ok: false, problem };
  try {
    const value: unknown = JSON.parse(text);
    const unfit = whyNotJson(value, limits);
    return unfit === undefined ? { ok: true, value: value as Json } : { ok: false, problem: unfit };
  } catch (error) {
    return { ok: false, problem: `is no JSON: ${error instanceof Error ? error.message.slice(0, 200) : "unreadable"}` };
  }
}

/** Before JSON.parse, which recurses and keeps the last of two keys. Texts that are no JSON pass: it will say so. */
function whyNotPlain(text: string, depth: number): string | undefined {
  const open: (Set<string> | undefined)[] = []; // the keys of each object around; undefined for a list
  let last: string | undefined;
  for (const [token] of text.matchAll(TOKEN)) {
    if (token === "{" || token === "[") open.push(token === "{" ? new Set() : undefined);
    else if (token === "}" || token === "]") open.pop();
    else if (token === ":" && last !== undefined) {
      const key = unescaped(last);
      const keys = open.at(-1);
      if (key === "__proto__") return 'holds the key "__proto__"';
      if (keys?.has(key) === true) return `has the key ${JSON.stringify(key.slice(0, 100))} twice in one object`;
      keys?.add(key);
    }
    if (open.length > depth) return `is nested more than ${depth} deep`;
    last = token.startsWith('"') ? token : undefined;
  }
  return undefined;
}

const unescaped = (literal: string): string => {
  try {
    return String(JSON.parse(literal));
  } catch {
    return literal; // no JSON: the parser will say so
  }
};
