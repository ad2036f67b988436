/**
 * Texts that others wrote and a model will read. Patterns miss most of what can be said in other words, so this is no
 * boundary: what a capability may reach is decided by its grant (L4). It keeps the plain cases out and the rest in shape.
 */

/** Characters that don't show or that change how others show: what people review must be what a model reads. */
// The last two choose between ☺ and ☺️, and nothing else behind an emoji.
const HIDDEN =
  /\p{Cf}|\p{Co}|\p{Cn}|\p{Cs}|[\u115f\u1160\u3164\uffa0]|\u034f|[\u17b4\u17b5]|[\u180b-\u180f]|[\ufe00-\ufe0d]|[\u{e0100}-\u{e01ef}]|(?<!\p{Emoji})[\ufe0e\ufe0f]/gu;
const CONTROL = /[\p{Cc}\p{Zl}\p{Zp}]/gu;

const MARKUP: readonly [RegExp, string][] = [
  [/<\s{0,20}\/?\s{0,20}[a-z!?|][^<>]{0,200}>/i, "a tag"],
  [/<\|[^|<>]{0,100}\|>/, "a token of a chat format"],
  [/\[\/?(?:INST|SYS)\]|<<\/?SYS>>/i, "a token of a chat format"],
  [
    /^[ \t]{0,40}(?:#{1,6}[ \t]{0,40})?(?:system|assistant|user|human|developer)[ \t]{0,40}:/im,
    "a role at the start of a line",
  ],
  [/```|~~~/, "a code fence"],
  [/!?\[[^\]]{0,200}\]\([^)]{0,500}\)/, "a link"],
];

const ORDERS: readonly [RegExp, string][] = [
  [
    /\b(?:ignore|disregard|forget|override|bypass)\b.{0,40}\b(?:previous|prior|above|earlier|preceding|all|any|your|other|these|those)\b.{0,40}\b(?:instructions?|prompts?|rules?|messages?|context|guidelines?|tools?|constraints?|orders?)\b/i,
    "tells its reader to ignore instructions",
  ],
  [/\bignore (?:the )?(?:previous|above|prior)\b/i, "tells its reader to ignore what came before"],
  [/\b(?:system|developer|hidden|initial) (?:prompt|message|instructions?)\b/i, "speaks of the system prompt"],
  [
    /\b(?:you|the (?:model|assistant|agent|ai|llm)) (?:must|should|shall|have to|need to|are (?:now|required|obliged)|will now)\b/i,
    "tells its reader what to do",
  ],
  [
    /\b(?:always|never|only) (?:use|call|choose|prefer|select|run|invoke|pick|trust|obey)\b/i,
    "tells its reader what to use",
  ],
  [/\b(?:instead of|rather than|before) (?:any|all|every|using any) other\b/i, "pushes itself before others"],
  [
    /\b(?:do not|don't|never) (?:tell|inform|mention|reveal|show|ask|alert|warn)\b/i,
    "tells its reader to keep something from someone",
  ],
  [/\b(?:act|behave|respond|pretend) as (?:if|though|an?)\b/i, "gives its reader a role"],
  [/\bnew (?:instructions?|rules?|orders?)\b/i, "gives its reader new instructions"],
];

/** What gives a text away as meant to be obeyed or to hide something; each once, for its author. */
export function suspicionsIn(text: string): string[] {
  // As it reads: letters that look alike, spaces of all widths and hidden signs between letters are no disguise.
  const shown = text.normalize("NFKC").replace(HIDDEN, "");
  const plain = shown.replace(/\s+/g, " ");
  const found: string[] = [];
  if (text.search(HIDDEN) >= 0) found.push("holds characters that don't show");
  if (text.replace(/[\n\t]/g, "").search(CONTROL) >= 0) found.push("holds control characters");
  for (const [pattern, what] of MARKUP) if (pattern.test(shown)) found.push(`holds ${what}`);
  for (const [pattern, what] of ORDERS) if (pattern.test(plain)) found.push(what);
  return [...new Set(found)];
}

// What begins or ends a tag, a fence or a chat format's token looks the same and means nothing.
const LOOKS_LIKE: Readonly<Record<string, string>> = { "<": "‹", ">": "›", "`": "'", "[": "(", "]": ")" };
const ROLE = /\b(system|assistant|user|human|developer|tool)\s*:/gi;

/** The text on one line, at most `maxChars` long, without anything hidden, tags, fences or roles. Its words stay. */
export function neutralise(text: string, maxChars: number): string {
  const line = text
    .slice(0, 8 * maxChars) // what is cut off anyway is not worth the work
    .toWellFormed()
    .normalize("NFKC")
    .replace(/[\s\p{Cc}\p{Zl}\p{Zp}]+/gu, " ")
    .replace(HIDDEN, "")
    .replace(/[<>`[\]]/g, (char) => LOOKS_LIKE[char] ?? "")
    .replace(ROLE, "$1 -")
    .replace(/ {2,}/g, " ")
    .trim();
  if (line.length <= maxChars) return line;
  // Not through the middle of a character.
  return `${line
    .slice(0, maxChars - 1)
    .replace(/[\ud800-\udbff]$/, "")
    .trimEnd()}…`;
}
