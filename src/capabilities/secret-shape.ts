/**
 * Texts that look like secrets. It finds what was left in by accident, which is the common case; one who means to hide a
 * secret can always disguise it. What is found is never repeated whole: reasons are read by models and stored.
 */
const SHAPES: readonly [RegExp, string][] = [
  [/-----BEGIN (?:[A-Z]+ )*PRIVATE KEY-----/g, "a private key"],
  [/\b(?:AKIA|ASIA)[0-9A-Z]{16}\b/g, "an AWS key"],
  [/\bgh[pousr]_[A-Za-z0-9]{30,}/g, "a GitHub token"],
  [/\bgithub_pat_\w{40,}/g, "a GitHub token"],
  [/\bglpat-[\w-]{16,}/g, "a GitLab token"],
  [/\bxox[abeprs]-[A-Za-z0-9-]{10,}/g, "a Slack token"],
  [/\bsk-[A-Za-z0-9_-]{20,}/g, "a model provider's key"],
  [/\b[rs]k_(?:live|test)_[A-Za-z0-9]{16,}/g, "a Stripe key"],
  [/\bAIza[\w-]{35}/g, "a Google key"],
  [/\bnpm_[A-Za-z0-9]{30,}/g, "an npm token"],
  [/\bSG\.[\w-]{16,}\.[\w-]{16,}/g, "a SendGrid key"],
  [/\beyJ[\w-]{10,2000}\.eyJ[\w-]{10,2000}\.[\w-]{10,2000}/g, "a JSON web token"], // bounded: many may begin in one run
  [/\b(?:Bearer|Token|Basic)\s+(?=\S*\d)[A-Za-z0-9._~+/-]{16,}=*/gi, "an authorization header"],
  [/\bhttps?:\/\/[^\s/:@"'`{}$]+:[^\s/:@"'`{}$]{3,}@/gi, "a password in an address"],
  [
    /(?:api[_-]?key|secret|passw(?:or)?d|pwd|access[_-]?token|auth[_-]?token|client[_-]?secret)\\?["']?\s*[:=]\s*\\?["'`][^"'`\s{}$\\]{12,}/gi,
    "a secret by its name",
  ],
];

const PLACEHOLDER =
  /example|sample|dummy|placeholder|fake|your[_-]|changeme|redacted|xxxx|\*\*\*\*|\.\.\.|1234567890|abcdefgh/i;

// `secret: "PARTNER_SIGNING_KEY"` is how code names one that is set on the host.
const NAME_OF_ONE = /["'`][A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

export interface SecretShape {
  what: string;
  /** Its first characters. */
  shown: string;
  offset: number;
}

/** Secrets by the shapes that services give them, anywhere in a text. */
export function secretsIn(text: string): SecretShape[] {
  return SHAPES.flatMap(([shape, what]) =>
    [...text.matchAll(shape)]
      .filter(([found]) => !PLACEHOLDER.test(found) && !NAME_OF_ONE.test(found))
      .map(({ 0: found, index }) => ({ what, shown: shownPart(found), offset: index })),
  );
}

const shownPart = (found: string): string => `${found.slice(0, 6)}…`;

const RUN = /[A-Za-z0-9+/_=-]{32,}/g;
const DIGEST = /^(?:[0-9a-f]+|[0-9A-F]+)$/; // hashes are expected results; hex keys can't be told from them
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
const MIN_BITS = 4; // per character; words and identifiers stay below, random letters and digits above
const MIN_CHANGES = 0.3; // of upper case, lower case and digits, per character: random text has twice that
const DIGITS_AMONG_LETTERS = /(?<=[A-Za-z])[0-9]+(?=[A-Za-z])/g;
const MIN_AMONG = 2; // times: names and paths have their numbers at an end or apart
const MAX_STEPS = 0.3; // of characters that follow their neighbour, as in an alphabet

/** Parts of a string literal that look drawn at random. Digests, UUIDs, alphabets and base64 of plain text are passed over. */
export function randomPartsIn(literal: string): SecretShape[] {
  return [...literal.matchAll(RUN)]
    .filter(({ 0: run }) => isRandom(run))
    .map(({ 0: run, index }) => ({ what: "a key (letters at random)", shown: shownPart(run), offset: index }));
}

function isRandom(run: string): boolean {
  if (DIGEST.test(run) || UUID.test(run) || PLACEHOLDER.test(run)) return false;
  if ((run.match(DIGITS_AMONG_LETTERS)?.length ?? 0) < MIN_AMONG) return false;
  let [changes, steps] = [0, 0];
  for (let i = 1; i < run.length; i++) {
    if (classOf(run, i) !== classOf(run, i - 1)) changes++;
    if (run.charCodeAt(i) - run.charCodeAt(i - 1) === 1) steps++;
  }
  if (changes / run.length < MIN_CHANGES || steps / run.length > MAX_STEPS || bitsOf(run) < MIN_BITS) return false;
  return !isEncodedText(run);
}

const classOf = (text: string, at: number): number => {
  const code = text.charCodeAt(at);
  if (code >= 0x30 && code <= 0x39) return 0;
  if (code >= 0x61 && code <= 0x7a) return 1;
  return code >= 0x41 && code <= 0x5a ? 2 : 3;
};

function bitsOf(text: string): number {
  const counts = new Map<string, number>();
  for (const char of text) counts.set(char, (counts.get(char) ?? 0) + 1);
  let bits = 0;
  for (const count of counts.values()) bits -= (count / text.length) * Math.log2(count / text.length);
  return bits;
}

function isEncodedText(run: string): boolean {
  try {
    const text = atob(run.replaceAll("-", "+").replaceAll("_", "/").replace(/=+$/, ""));
    return /^[\t\n\r\x20-\x7e]+$/.test(text);
  } catch {
    return false;
  }
}
