import type { ScreenContext, SourceFacts } from "./screen.ts";
import { randomPartsIn, type SecretShape, secretsIn } from "./secret-shape.ts";

// Marks of direction and of no width: with them a line can read otherwise than it runs. Not the joiners that emoji are made of.
const DECEIVING = /[\u202a-\u202e\u2066-\u2069\u200b\u200e\u200f\u2060-\u2064\u061c\u00ad\ufeff\u{e0000}-\u{e007f}]/u;
const MAX_FOUND = 10; // of a kind and place: the author looks for the rest

const lineAt = (text: string, offset: number): number => text.slice(0, offset).split("\n").length;

/** What in a source is not as it looks. */
export function sourceProblems(source: string): string[] {
  return source
    .replace(/^\ufeff/, "") // a file may begin with a mark
    .split("\n")
    .flatMap((line, index) => (DECEIVING.test(line) ? [index + 1] : []))
    .slice(0, MAX_FOUND)
    .map((line) => `line ${line} holds a character that doesn't show. Write it as an escape, such as \\u200b.`);
}

interface Searched {
  source: string;
  literals: SourceFacts["texts"];
  /** The rest of the draft, by field. */
  data: Record<string, unknown>;
}

/** Secrets in the source, comments included, and in everything else that would be stored and shown. */
export function secretProblems({ source, literals, data }: Searched): string[] {
  const problems: string[] = [];
  const say = (where: string, { what, shown }: SecretShape): void => {
    problems.push(
      `${where} holds what looks like ${what} (${shown}). Secrets are set on the host and named as {{secret:NAME}} in a header.`,
    );
  };
  for (const found of secretsIn(source).slice(0, MAX_FOUND)) say(`line ${lineAt(source, found.offset)}`, found);
  for (const { text, line } of literals)
    if (secretsIn(text).length === 0) for (const found of randomPartsIn(text)) say(`line ${line}`, found);
  for (const [field, value] of Object.entries(data)) {
    const text = JSON.stringify(value) ?? "";
    const shapes = secretsIn(text);
    for (const found of (shapes.length > 0 ? shapes : randomPartsIn(text)).slice(0, MAX_FOUND)) say(field, found);
  }
  return [...new Set(problems)];
}

const HOLE = "\u0000"; // what the kernel puts in place of a template's expression
const ADDRESS = /\b(?:https?|wss?):\/\/[^\s/?#"'<>`\\]+/gi;
// Names of formats that look like addresses and are never fetched.
const IDENTIFIERS = new Set(["www.w3.org", "schema.org", "json-schema.org", "xmlns.com", "purl.org"]);

/** Hosts in the literals of a source that its tools may not reach. One that is put together at run time is met there. */
export function hostProblems({ texts }: SourceFacts, { isAllowedHost }: ScreenContext): string[] {
  const problems = new Map<string, string>();
  for (const { text, line } of texts)
    for (const [address] of text.matchAll(ADDRESS)) {
      const host = address.includes(HOLE) ? undefined : hostOf(address);
      if (host === undefined || problems.has(host) || IDENTIFIERS.has(host) || isAllowedHost(host)) continue;
      problems.set(host, `line ${line} names the host ${host}, which tools may not reach (PRAXIS_EGRESS).`);
    }
  return [...problems.values()];
}

/** As a request would have it: `https://good.example@evil.example` is evil.example, and `https://0x7f.1` is 127.0.0.1. */
const hostOf = (address: string): string | undefined => {
  try {
    return new URL(address).host;
  } catch {
    return undefined;
  }
};
