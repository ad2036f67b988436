import { type CapabilityDraft, isAgentDraft } from "../src/contract/capability.ts";
import { isJsonObject, type Json } from "../src/contract/json.ts";

const MAX_CHARS = 4_000; // what it is about is said by then
const MAX_TEXT_CHARS = 200; // longer texts in a test are data
const MAX_ROLE_CHARS = 1_000;

/** What a capability is found by beside its name and description: its schemas' names and texts, and the words of its tests. */
export function wordsOfDraft(draft: CapabilityDraft): string {
  const words = new Set<string>();
  if (isAgentDraft(draft)) {
    words.add(String(draft.agent["role"] ?? "").slice(0, MAX_ROLE_CHARS));
    collectTexts(draft.agent, words);
  } else {
    collectNames(draft.input, words);
    collectNames(draft.output, words);
    for (const test of draft.tests) collectTexts("expect" in test ? [test.input, test.expect] : test.input, words);
  }
  return [...words].join(" ").slice(0, MAX_CHARS);
}

/** The properties that a schema names, and what it says of them. */
function collectNames(schema: Json, words: Set<string>): void {
  if (Array.isArray(schema)) return schema.forEach((item) => collectNames(item, words));
  if (!isJsonObject(schema)) return;
  for (const [key, value] of Object.entries(schema)) {
    if ((key === "description" || key === "title") && typeof value === "string") words.add(value);
    if (key === "properties" && isJsonObject(value)) for (const name of Object.keys(value)) words.add(name);
    collectNames(value, words);
  }
}

function collectTexts(value: Json | Record<string, Json>, words: Set<string>): void {
  if (typeof value === "string" && value.length <= MAX_TEXT_CHARS) words.add(value);
  else if (Array.isArray(value)) for (const item of value) collectTexts(item, words);
  else if (isJsonObject(value))
    for (const [key, item] of Object.entries(value)) {
      words.add(key);
      collectTexts(item, words);
    }
}
