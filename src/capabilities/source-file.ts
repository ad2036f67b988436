/**
 * A version of a capability as one reviewable .ts file (L1): a comment with its manifest as JSON, then the module's source
 * exactly as it was written. The file is a module itself and runs as it stands.
 *
 *     /* praxis capability 1
 *     { "name": …, "version": … }
 *     *\/
 *     export default async (input) => …
 */
import { createHash } from "node:crypto";
import { z } from "zod";
import {
  AgentRecord,
  CAPABILITY_LIMITS,
  CapabilityName,
  FunctionDraft,
  VersionNumber,
} from "../contract/capability.ts";
import { fail, ok, type Result } from "../contract/failure.ts";
import type { Json } from "../contract/json.ts";
import { printJson } from "./printed-json.ts";
import { readStrictJson } from "../contract/strict-json.ts";

const FORMAT = 1;
const MARK = "/* praxis capability";
const OPENING = `${MARK} ${FORMAT}\n`;
const CLOSING = "\n*/\n";
const MAX_HEADER_DEPTH = 70; // a test's value may be 64 deep, and stands a few levels in

const Created = z.iso.datetime();

const FunctionManifest = z.strictObject({
  kind: z.literal("function"),
  version: VersionNumber,
  ...FunctionDraft.omit({ source: true }).shape,
  created: Created,
});
const AgentManifest = z.strictObject({
  kind: z.literal("agent"),
  name: CapabilityName,
  version: VersionNumber,
  description: FunctionDraft.shape.description,
  agent: AgentRecord,
  created: Created,
});
export const Manifest = z.discriminatedUnion("kind", [FunctionManifest, AgentManifest]);
export type Manifest = z.infer<typeof Manifest>;

export interface SourceFile {
  manifest: Manifest;
  /** The module as its author wrote it. */
  source: string;
}

/** The file of a version. The order of the manifest's fields is the schema's, so equal versions are equal files. */
export function printSourceFile(manifest: Manifest, source: string): string {
  // Parsed once more: a file that could not be read again must not be written.
  return `${OPENING}${printJson(Manifest.parse(manifest) as Json)}${CLOSING}${source}`;
}

/** The version that a file holds, or why it holds none. Never throws. */
export function parseSourceFile(text: string): Result<SourceFile> {
  if (!text.startsWith(MARK)) return refused(`must begin with "${OPENING.trim()}"`);
  if (!text.startsWith(OPENING)) return refused(`must be of format ${FORMAT}, on a line of its own`);
  // The first: none can stand in the JSON, whose writer escapes it.
  const end = text.indexOf("*/");
  if (end < 0) return refused("is cut off: it doesn't end");
  const start = end - 1;
  if (text.slice(start, start + CLOSING.length) !== CLOSING) return refused("must end with */ on a line of its own");
  if (start - OPENING.length > CAPABILITY_LIMITS.headerChars)
    return refused(`is longer than ${CAPABILITY_LIMITS.headerChars} characters`);
  const source = text.slice(start + CLOSING.length);
  if (source.trimStart().startsWith(MARK)) return refused("comes twice");
  if (source.length > CAPABILITY_LIMITS.sourceChars)
    return fail({
      kind: "bad-input",
      field: "source",
      problem: `is longer than ${CAPABILITY_LIMITS.sourceChars} characters`,
    });
  const read = readStrictJson(text.slice(OPENING.length, start), {
    depth: MAX_HEADER_DEPTH,
    chars: CAPABILITY_LIMITS.headerChars,
  });
  if (!read.ok) return refused(read.problem);
  const manifest = Manifest.safeParse(read.value);
  if (manifest.success) return ok({ manifest: manifest.data, source });
  const issue = manifest.error.issues[0];
  return refused(`${issue?.path.join(".") || "manifest"}: ${issue?.message ?? "is not valid"}`);
}

const refused = (problem: string): Result<never> => fail({ kind: "bad-input", field: "header", problem });

const TENANT = /^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/;
const KEY = /^([^/]+)\/capabilities\/([^/]+)\/v([1-9][0-9]{0,6})\.ts$/;

export interface SourceKey {
  tenant: string;
  name: string;
  version: number;
}

/** Where a version lies in the bucket. Throws for parts that were not checked before: a wrong key is another's file (E1). */
export function sourceKey(tenant: string, name: string, version: number): string {
  if (!isKey({ tenant, name, version })) throw new TypeError("not the parts of a capability's key");
  return `${tenant}/capabilities/${name}/v${version}.ts`;
}

/** The parts of a key; undefined for any text that `sourceKey` would not answer. */
export function readSourceKey(key: string): SourceKey | undefined {
  const match = KEY.exec(key);
  if (match === null) return undefined;
  const parts = { tenant: match[1]!, name: match[2]!, version: Number(match[3]) };
  return isKey(parts) ? parts : undefined;
}

const isKey = ({ tenant, name, version }: SourceKey): boolean =>
  TENANT.test(tenant) && CapabilityName.safeParse(name).success && VersionNumber.safeParse(version).success;

/** sha-256 of the text as UTF-8, in hex. */
export const hashOf = (text: string): string => createHash("sha256").update(text, "utf8").digest("hex");
