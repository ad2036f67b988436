/** The part of the ustar format that plain files with short names need. */
export interface TarEntry {
  path: string;
  data: Uint8Array;
}

const BLOCK = 512;
const FIELDS = {
  name: [0, 100],
  mode: [100, 8],
  uid: [108, 8],
  gid: [116, 8],
  size: [124, 12],
  mtime: [136, 12],
  checksum: [148, 8],
  type: [156, 1],
  link: [157, 100],
  magic: [257, 6],
  version: [263, 2],
  prefix: [345, 155],
} as const;
type Field = keyof typeof FIELDS;

const PLAIN_FILE = "0";
const FOLDER = "5"; // what tar adds when people pack a folder by hand
const TYPES: Readonly<Record<string, string>> = {
  "1": "a link",
  "2": "a link",
  "3": "a device",
  "4": "a device",
  "6": "a pipe",
  x: "an extended header: pack it with --format=ustar",
  g: "an extended header: pack it with --format=ustar",
  L: "a long name",
  K: "a long name",
  S: "a sparse file",
};

const padded = (length: number): number => Math.ceil(length / BLOCK) * BLOCK;

/** Throws for a path that does not fit: the caller has checked it. */
export function writeTar(entries: readonly TarEntry[]): Uint8Array {
  const size = entries.reduce((sum, { data }) => sum + BLOCK + padded(data.length), 2 * BLOCK);
  const tar = new Uint8Array(size);
  let at = 0;
  for (const { path, data } of entries) {
    writeHeader(tar.subarray(at, at + BLOCK), path, data.length);
    tar.set(data, at + BLOCK);
    at += BLOCK + padded(data.length);
  }
  return tar;
}

function writeHeader(block: Uint8Array, path: string, size: number): void {
  const write = (field: Field, text: string): void => {
    const [at, length] = FIELDS[field];
    const bytes = new TextEncoder().encode(text);
    if (bytes.length > length) throw new RangeError(`"${text}" is too long for a tar's ${field}`);
    block.set(bytes, at);
  };
  const octal = (value: number, digits: number): string => `${value.toString(8).padStart(digits, "0")}\0`;
  write("name", path);
  write("mode", octal(0o644, 7));
  write("uid", octal(0, 7));
  write("gid", octal(0, 7));
  write("size", octal(size, 11));
  write("mtime", octal(0, 11));
  write("type", PLAIN_FILE);
  write("magic", "ustar\0");
  write("version", "00");
  write("checksum", `${checksumOf(block).toString(8).padStart(6, "0")}\0 `);
}

/** Of the header with its checksum as spaces. */
function checksumOf(block: Uint8Array): number {
  const [from, length] = FIELDS.checksum;
  return block.reduce((sum, byte, at) => sum + (at >= from && at < from + length ? 0x20 : byte), 0);
}

/** The files of a tar, up to the first thing that is wrong with it. Folders are passed over. Always ends. */
export function* readTar(tar: Uint8Array): Generator<TarEntry | { problem: string }> {
  for (let at = 0; ;) {
    if (at + BLOCK > tar.length) return yield { problem: "is cut off" };
    const block = tar.subarray(at, at + BLOCK);
    if (block.every((byte) => byte === 0)) return;
    const header = readHeader(block);
    if ("problem" in header) return yield header;
    const from = at + BLOCK;
    if (from + header.size > tar.length) return yield { problem: "is cut off" };
    if (header.type === PLAIN_FILE) yield { path: header.path, data: tar.subarray(from, from + header.size) };
    at = from + padded(header.size);
  }
}

function readHeader(block: Uint8Array): { path: string; size: number; type: string } | { problem: string } {
  if (octalIn(block, "checksum") !== checksumOf(block)) return { problem: "is no tar, or damaged" };
  if (!textIn(block, "magic").startsWith("ustar")) return { problem: "is a tar of another format than ustar" };
  const prefix = textIn(block, "prefix");
  const path = prefix === "" ? textIn(block, "name") : `${prefix}/${textIn(block, "name")}`;
  const type = textIn(block, "type") || PLAIN_FILE;
  const shown = JSON.stringify(path.slice(0, 100));
  if (type !== PLAIN_FILE && type !== FOLDER)
    return { problem: `holds ${shown}, which is ${TYPES[type] ?? "no plain file"}` };
  const size = octalIn(block, "size");
  if (size === undefined || (type === FOLDER && size > 0))
    return { problem: `holds ${shown} with a size that is none` };
  return { path, size, type };
}

const textIn = (block: Uint8Array, field: Field): string => {
  const [at, length] = FIELDS[field];
  const bytes = block.subarray(at, at + length);
  const end = bytes.indexOf(0);
  return new TextDecoder().decode(end < 0 ? bytes : bytes.subarray(0, end));
};

/** Digits alone: no sign, and not the binary form that large files have. */
const octalIn = (block: Uint8Array, field: Field): number | undefined => {
  const text = textIn(block, field).trim();
  return /^[0-7]{1,12}$/.test(text) ? Number.parseInt(text, 8) : undefined;
};
