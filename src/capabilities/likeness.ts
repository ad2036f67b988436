/**
 * How alike two capabilities are: by their source, whatever its types, comments and names, and by what their tests say
 * they do. A fingerprint is small and is stored with the version, so that a draft is compared with thousands at once.
 */
import { createHash } from "node:crypto";
import type { CapabilityTest } from "../contract/capability.ts";
import { canonicalJson, type Json } from "../contract/json.ts";

const SHINGLE_TOKENS = 5; // long enough that common phrases of code don't count, short enough to survive an edit
const SKETCH = 256; // shingles that are kept: the rate is within some 6 points of the true one, exact for short modules
const NEAR_IDENTICAL = 0.85; // of source: a renamed property or an added check stays above, another task below
const TELLING_TESTS = 3; // expectations in common that are no accident when neither has any other

export interface Fingerprint {
  /** The smallest hashes of the source's shingles, ascending. */
  shingles: number[];
  /** One hash for each test that expects a value, and for each that expects an error. */
  expects: string[];
  throws: string[];
}

/** `tokens` as the kernel's `moduleTokens` gives them. */
export function fingerprintOf(tokens: readonly string[], tests: readonly CapabilityTest[]): Fingerprint {
  const hashes = new Set<number>();
  const last = Math.max(0, tokens.length - SHINGLE_TOKENS);
  for (let at = 0; at <= last; at++) hashes.add(hash32(tokens.slice(at, at + SHINGLE_TOKENS).join("\u0000")));
  const hashed = (wanted: "expect" | "throws"): string[] => [
    ...new Set(tests.filter((test) => wanted in test).map((test) => digest(canonicalJson(test as Json)))),
  ];
  return {
    shingles: [...hashes].sort((a, b) => a - b).slice(0, SKETCH),
    expects: hashed("expect").sort(),
    throws: hashed("throws").sort(),
  };
}

/** From 0 to 1: 1 for the same source or the same behaviour. */
export const likeness = (a: Fingerprint, b: Fingerprint): number =>
  isSameBehaviour(a, b) ? 1 : sourceLikeness(a.shingles, b.shingles);

export interface Duplicate {
  name: string;
  why: string;
  likeness: number;
}

/** The capability that a draft repeats, the likest of all; one of the draft's own name is its earlier version and none. */
export function findDuplicate(
  draft: { name: string; fingerprint: Fingerprint },
  existing: Iterable<{ name: string; fingerprint: Fingerprint }>,
): Duplicate | undefined {
  let found: Duplicate | undefined;
  for (const { name, fingerprint } of existing) {
    if (name === draft.name) continue;
    const alike = likeness(draft.fingerprint, fingerprint);
    if (alike < NEAR_IDENTICAL || alike <= (found?.likeness ?? 0)) continue;
    const why = isSameBehaviour(draft.fingerprint, fingerprint)
      ? `Its tests are those of ${name}: the same inputs give the same results. Use ${name}, or save a new version of it.`
      : `Its source is that of ${name} but for ${Math.round((1 - alike) * 100)} %. Use ${name}, or save a version of it that takes the difference as input.`;
    found = { name, why, likeness: alike };
  }
  return found;
}

/** Share of the shingles that both have. Of two sketches: among the smallest of both, those that are in both. */
function sourceLikeness(a: readonly number[], b: readonly number[]): number {
  const isWhole = a.length < SKETCH && b.length < SKETCH;
  const limit = isWhole ? a.length + b.length : SKETCH;
  let [i, j, shared, seen] = [0, 0, 0, 0];
  while (seen < limit && (i < a.length || j < b.length)) {
    const [left, right] = [a[i] ?? Infinity, b[j] ?? Infinity];
    if (left === right) shared++;
    if (left <= right) i++;
    if (right <= left) j++;
    seen++;
  }
  return seen === 0 ? 0 : shared / seen;
}

function isSameBehaviour(a: Fingerprint, b: Fingerprint): boolean {
  const [fewer, more] = a.expects.length <= b.expects.length ? [a, b] : [b, a];
  // What only fails, or fails alike, says nothing of what it does.
  if (fewer.expects.length === 0 || !fewer.expects.every((test) => more.expects.includes(test))) return false;
  const isSame = fewer.expects.length === more.expects.length && fewer.throws.join() === more.throws.join();
  return isSame || fewer.expects.length >= TELLING_TESTS;
}

const digest = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex").slice(0, 16);

/** FNV-1a, with a last mixing so that the smallest are a fair sample. */
function hash32(text: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 16), 0x85ebca6b);
  hash = Math.imul(hash ^ (hash >>> 13), 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}
