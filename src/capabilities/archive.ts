/**
 * A whole library as one archive: a gzipped tar of its .ts files, `<name>/v<n>.ts`, that any tar unpacks.
 *
 * By hand and not by a library: what is unpacked comes from outside, and the small ones mend a hostile path in silence where
 * it has to be refused. Plain files alone are written and read: no links, no devices, no long-name extensions.
 */
import { CapabilityName, VersionNumber } from "../contract/capability.ts";
import { fail, ok, type Result } from "../contract/failure.ts";
import { ARCHIVE_BYTES } from "../contract/library.ts";
import { type TarEntry, readTar, writeTar } from "./tar.ts";

export const ARCHIVE_LIMITS = {
  files: 20_000,
  fileBytes: 1024 * 1024, // a version's file is at most a quarter of that in characters
  packedBytes: ARCHIVE_BYTES,
  unpackedBytes: 64 * 1024 * 1024, // half of what a Worker has
} as const;

export interface ArchiveFile {
  name: string;
  version: number;
  /** As `printSourceFile` wrote it. */
  text: string;
}

/** The archive of some files. The same files give the same tar, whatever the day: the files carry their own dates. */
export async function packArchive(files: readonly ArchiveFile[]): Promise<Result<Uint8Array>> {
  if (files.length > ARCHIVE_LIMITS.files) return refused(`holds more than ${ARCHIVE_LIMITS.files} files`);
  const entries: TarEntry[] = [];
  let bytes = 0;
  for (const { name, version, text } of files) {
    const path = `${name}/v${version}.ts`;
    if (readPath(path) === undefined) return refused(`can't hold "${path.slice(0, 100)}"`);
    const data = new TextEncoder().encode(text);
    bytes += data.length;
    if (data.length > ARCHIVE_LIMITS.fileBytes)
      return refused(`${path} is larger than ${ARCHIVE_LIMITS.fileBytes} bytes`);
    if (bytes > ARCHIVE_LIMITS.unpackedBytes) return refused(`is larger than ${ARCHIVE_LIMITS.unpackedBytes} bytes`);
    entries.push({ path, data });
  }
  return ok(await gzip(writeTar(entries)));
}

/** The files of an archive, all or none. Never throws, and holds no more than the limits in memory, whatever comes in. */
export async function unpackArchive(bytes: Uint8Array): Promise<Result<ArchiveFile[]>> {
  if (bytes.length > ARCHIVE_LIMITS.packedBytes) return refused(`is larger than ${ARCHIVE_LIMITS.packedBytes} bytes`);
  const unpacked = await gunzip(bytes);
  if (!unpacked.ok) return refused(unpacked.problem);
  const files: ArchiveFile[] = [];
  const seen = new Set<string>();
  for (const entry of readTar(unpacked.bytes)) {
    if ("problem" in entry) return refused(entry.problem);
    const file = readEntry(entry);
    if ("problem" in file) return refused(file.problem);
    if (seen.has(entry.path)) return refused(`holds ${entry.path} twice`);
    seen.add(entry.path);
    files.push(file);
    if (files.length > ARCHIVE_LIMITS.files) return refused(`holds more than ${ARCHIVE_LIMITS.files} files`);
  }
  return ok(files);
}

const refused = (problem: string): Result<never> => fail({ kind: "bad-input", field: "archive", problem });

const PATH = /^([a-z0-9-]{1,64})\/v([1-9][0-9]{0,6})\.ts$/;

const readPath = (path: string): { name: string; version: number } | undefined => {
  const match = PATH.exec(path);
  if (match === null) return undefined;
  const [name, version] = [match[1]!, Number(match[2])];
  return CapabilityName.safeParse(name).success && VersionNumber.safeParse(version).success
    ? { name, version }
    : undefined;
};

const readEntry = ({ path, data }: TarEntry): ArchiveFile | { problem: string } => {
  const at = readPath(path);
  if (at === undefined)
    return { problem: `holds ${JSON.stringify(path.slice(0, 100))}; its files are <capability>/v<number>.ts` };
  if (data.length > ARCHIVE_LIMITS.fileBytes)
    return { problem: `holds ${path}, which is larger than ${ARCHIVE_LIMITS.fileBytes} bytes` };
  try {
    // `ignoreBOM` keeps a mark at the start, and with it the file's hash.
    return { ...at, text: new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(data) };
  } catch {
    return { problem: `holds ${path}, which is not UTF-8` };
  }
};

const gzip = async (bytes: Uint8Array): Promise<Uint8Array> =>
  new Uint8Array(await new Response(streamOf(bytes).pipeThrough(new CompressionStream("gzip"))).arrayBuffer());

const streamOf = (bytes: Uint8Array): ReadableStream<Uint8Array> =>
  new ReadableStream<Uint8Array>({
    start(controller) {
      controller.enqueue(bytes);
      controller.close();
    },
  });

/** Stops reading at the limit: a bomb never unfolds further. */
async function gunzip(bytes: Uint8Array): Promise<{ ok: true; bytes: Uint8Array } | { ok: false; problem: string }> {
  const reader = streamOf(bytes).pipeThrough(new DecompressionStream("gzip")).getReader();
  const chunks: Uint8Array[] = [];
  let length = 0;
  try {
    for (;;) {
      const { done, value } = await reader.read();
      if (done) break;
      length += value.length;
      if (length > ARCHIVE_LIMITS.unpackedBytes) {
        await reader.cancel();
        return { ok: false, problem: `unpacks to more than ${ARCHIVE_LIMITS.unpackedBytes} bytes` };
      }
      chunks.push(value);
    }
  } catch {
    return { ok: false, problem: "is not gzip, or cut off" };
  }
  const whole = new Uint8Array(length);
  let at = 0;
  for (const chunk of chunks) {
    whole.set(chunk, at);
    at += chunk.length;
  }
  return { ok: true, bytes: whole };
}
