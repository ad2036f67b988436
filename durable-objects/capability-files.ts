/**
 * The files of a tenant's capabilities in R2, `<tenant>/capabilities/<name>/v<n>.ts`.
 *
 * L1: a file is written once, and what is read is handed out only if it has the hash it was written with. What was read and
 * verified is kept in memory for the next run: the hash says that it is the same.
 */
import { hashOf, readSourceKey, sourceKey } from "../src/capabilities/source-file.ts";

const CACHED_CHARS = 4 * 1024 * 1024;

export interface FileRef {
  name: string;
  version: number;
  hash: string;
}

export type FileRead = { ok: true; file: string } | { ok: false; why: string };

export class CapabilityFiles {
  readonly #bucket: R2Bucket;
  readonly #tenant: string;
  readonly #verified = new Map<string, string>();
  #chars = 0;

  constructor(bucket: R2Bucket, tenant: string) {
    this.#bucket = bucket;
    this.#tenant = tenant;
  }

  /** False when there is another file of that version: it stays as it is. The same file may be written twice. */
  async write({ name, version }: Omit<FileRef, "hash">, file: string): Promise<boolean> {
    const key = sourceKey(this.#tenant, name, version);
    const written = await this.#bucket.put(key, file, {
      onlyIf: new Headers({ "if-none-match": "*" }),
      httpMetadata: { contentType: "text/typescript; charset=utf-8" },
    });
    // Null when the condition failed, whatever the type says of it.
    if ((written as R2Object | null) !== null) return true;
    return (await (await this.#bucket.get(key))?.text()) === file;
  }

  /** The file, from the bucket, or why it can't be trusted. */
  async read(ref: FileRef): Promise<FileRead> {
    const object = await this.#bucket.get(sourceKey(this.#tenant, ref.name, ref.version));
    if (object === null) return { ok: false, why: "Its file is gone from the bucket." };
    const file = await textOf(object);
    if (file === undefined || hashOf(file) !== ref.hash)
      return { ok: false, why: "Its file was changed after it was saved: its hash is another." };
    return { ok: true, file };
  }

  /** As `read`, and from memory when it was read before. */
  async load(ref: FileRef): Promise<FileRead> {
    const known = this.#verified.get(ref.hash);
    if (known !== undefined) return { ok: true, file: known };
    const read = await this.read(ref);
    if (read.ok) this.#keep(ref.hash, read.file);
    return read;
  }

  /** A page of what lies in the bucket, whether the Library knows it or not. */
  async list(cursor: string | undefined, limit: number): Promise<{ found: Found[]; cursor?: string }> {
    const prefix = `${this.#tenant}/capabilities/`;
    const page = await this.#bucket.list({ prefix, limit, ...(cursor !== undefined && { cursor }) });
    const found = page.objects.flatMap(({ key }) => {
      const parts = readSourceKey(key);
      return parts === undefined ? [] : [{ name: parts.name, version: parts.version }];
    });
    return page.truncated ? { found, cursor: page.cursor } : { found };
  }

  /** A file that no hash is known of; undefined when it is gone or no text. */
  async readUnknown({ name, version }: Found): Promise<string | undefined> {
    const object = await this.#bucket.get(sourceKey(this.#tenant, name, version));
    return object === null ? undefined : textOf(object);
  }

  #keep(hash: string, file: string): void {
    for (const [oldest, text] of this.#verified) {
      if (this.#chars + file.length <= CACHED_CHARS) break;
      this.#verified.delete(oldest);
      this.#chars -= text.length;
    }
    this.#verified.set(hash, file);
    this.#chars += file.length;
  }
}

export type Found = Omit<FileRef, "hash">;

const MAX_BYTES = 1024 * 1024; // four times the longest file that is ever written

/** Undefined for what can't be a capability's file. */
const textOf = async (object: R2ObjectBody): Promise<string | undefined> => {
  if (object.size > MAX_BYTES) return undefined;
  try {
    return new TextDecoder("utf-8", { fatal: true, ignoreBOM: true }).decode(await object.arrayBuffer());
  } catch {
    return undefined;
  }
};
