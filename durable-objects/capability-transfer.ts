/**
 * Whole libraries: out as an archive, in through the gate, and back from what lies in the bucket.
 */
import { isAgentDraft } from "../src/contract/capability.ts";
import { ok, type Result } from "../src/contract/failure.ts";
import type { LibraryApi, Refusal, Saved } from "../src/contract/library.ts";
import { type ArchiveFile, packArchive, unpackArchive } from "../src/capabilities/archive.ts";
import { chooseVersion } from "../src/capabilities/lifecycle.ts";
import type { Pages } from "../src/capabilities/reindex.ts";
import type { SearchEntry } from "../src/capabilities/search-index.ts";
import { parseSourceFile, type SourceFile } from "../src/capabilities/source-file.ts";
import type { Capabilities } from "./capabilities.ts";
import type { CapabilitiesParts } from "./capability-saving.ts";
import type { Found } from "./capability-files.ts";
import { draftOf, rowOf } from "./capability-gate.ts";
import { entryOf } from "./capability-view.ts";

const IMPORT_MS = 60_000; // the rest is told to come again: what was taken is not taken twice
const PAGE_FILES = 100; // of the bucket, between two marks of how far a rebuild came
const READS_AT_ONCE = 20; // of the bucket, which answers in tens of milliseconds
/** What a file of our own may say although its neighbours are not all back yet. */
const OF_NEIGHBOURS = new Set(["needs", "cycle", "lookalike"]);
const RESTORER = { grants: [], by: "import" } as const;

type Unpacked = { saved: Saved[]; refused: { path: string; reasons: Refusal[] }[] };

export class CapabilityTransfer {
  readonly #parts: CapabilitiesParts;
  readonly #capabilities: Capabilities;

  constructor(parts: CapabilitiesParts, capabilities: Capabilities) {
    this.#parts = parts;
    this.#capabilities = capabilities;
  }

  /** All files that can be trusted, in order. One that can't goes to quarantine and is left out. */
  async pack(): Promise<Result<Uint8Array>> {
    const { store } = this.#parts;
    const versions = store.names().flatMap((name) => store.states(name).map(({ version }) => ({ name, version })));
    const files: ArchiveFile[] = [];
    for (let at = 0; at < versions.length; at += READS_AT_ONCE) {
      const some = versions.slice(at, at + READS_AT_ONCE);
      const sources = await Promise.all(some.map(({ name, version }) => this.#capabilities.source(name, version)));
      for (const source of sources)
        if (source.ok) files.push({ name: source.value.name, version: source.value.version, text: source.value.file });
    }
    return packArchive(files);
  }

  async unpack(archive: Uint8Array): ReturnType<LibraryApi["unpack"]> {
    const files = await unpackArchive(archive);
    if (!files.ok) return files;
    const answer: Unpacked = { saved: [], refused: [] };
    const end = Date.now() + IMPORT_MS;
    for (const { path, read } of inOrder(files.value)) {
      if (!read.ok) answer.refused.push({ path, reasons: [read.reason] });
      else if (Date.now() > end)
        answer.refused.push({
          path,
          reasons: [
            { rule: "time", problem: "There was no time left for it. Send the archive again: what is in stays." },
          ],
        });
      else {
        const result = await this.#capabilities.save(draftOf(read.file), RESTORER);
        if (!result.ok) return result;
        if (result.value.saved) answer.saved.push(result.value);
        else answer.refused.push({ path, reasons: result.value.reasons });
      }
    }
    return ok(answer);
  }

  /** What the index is to hold, from the bucket. Files that the library doesn't know become versions again. */
  pages: Pages = async (cursor) => {
    const { found, cursor: next } = await this.#parts.files.list(cursor, PAGE_FILES);
    const entries = new Map<string, SearchEntry>();
    const take = async (file: Found): Promise<void> => {
      await this.#restore(file);
      const offered = await this.#verified(file);
      if (offered !== undefined) entries.set(offered.name, offered);
    };
    for (let at = 0; at < found.length; at += READS_AT_ONCE)
      await Promise.all(found.slice(at, at + READS_AT_ONCE).map(take));
    await this.#capabilities.follow();
    return { entries: [...entries.values()], ...(next !== undefined && { cursor: next }) };
  };

  /**
   * Of the names in the index those that have no place there. One that is offered and was not met in the bucket may have been
   * saved meanwhile, or come back with what it needs; or its file is gone, and then it is in quarantine after this.
   */
  async stale(indexed: readonly string[], isMet: (name: string) => boolean): Promise<string[]> {
    const { store } = this.#parts;
    const offeredOf = (name: string): number | undefined => chooseVersion(store.states(name), 1)?.version;
    for (const name of indexed) {
      const offered = isMet(name) ? undefined : offeredOf(name);
      if (offered !== undefined) await this.#capabilities.source(name, offered);
    }
    return indexed.filter((name) => offeredOf(name) === undefined);
  }

  /** The entry of the capability, when this file is the version that is offered and is as it was written. */
  async #verified({ name, version }: Found): Promise<SearchEntry | undefined> {
    const { store } = this.#parts;
    if (chooseVersion(store.states(name), 1)?.version !== version) return undefined;
    await this.#capabilities.source(name, version);
    const offered = chooseVersion(store.versions(name), 1);
    return offered && entryOf(offered);
  }

  async #restore({ name, version }: Found): Promise<void> {
    const { store, states, files, gate } = this.#parts;
    if (store.states(name).some((known) => known.version === version)) return;
    const text = await files.readUnknown({ name, version });
    const read = text === undefined ? undefined : readFile({ name, version, text }).read;
    if (text === undefined || read === undefined || !read.ok) return;
    const draft = draftOf(read.file);
    const reasons = gate.screen(draft, RESTORER).filter(({ rule }) => !OF_NEIGHBOURS.has(rule));
    const place = { version, at: read.file.manifest.created };
    // L2: that it lies in the bucket proves nothing.
    if (reasons.length === 0 && !isAgentDraft(draft)) reasons.push(...(await gate.tryOut(draft, place)));
    const row = rowOf(draft, text, { ...place, author: { by: "import" } });
    const since = new Date().toISOString();
    const why = `Restored from its file, and refused: ${reasons[0]?.problem ?? ""}`;
    states.change(name, () => {
      if (store.states(name).some((known) => known.version === version)) return; // meanwhile
      store.insert(
        reasons.length === 0 ? { ...row, since } : { ...row, since, state: "draft", testsPassed: false, why },
      );
    });
  }
}

type Read = { ok: true; file: SourceFile } | { ok: false; reason: Refusal };
interface Incoming {
  path: string;
  name: string;
  version: number;
  read: Read;
}

function readFile({ name, version, text }: ArchiveFile): Incoming {
  const path = `${name}/v${version}.ts`;
  const refused = (problem: string): Incoming => ({
    path,
    name,
    version,
    read: { ok: false, reason: { rule: "file", problem } },
  });
  const parsed = parseSourceFile(text);
  if (!parsed.ok)
    return refused(
      parsed.failure.kind === "bad-input"
        ? `Its ${parsed.failure.field} ${parsed.failure.problem}.`
        : "It can't be read.",
    );
  const { manifest } = parsed.value;
  if (manifest.name !== name || manifest.version !== version)
    return refused(`Its header says ${manifest.name}, version ${manifest.version}.`);
  return { path, name, version, read: { ok: true, file: parsed.value } };
}

/** Versions in order, and what a capability needs before it. Those in a circle come as they may: the gate tells them so. */
function inOrder(files: readonly ArchiveFile[]): Incoming[] {
  const byName = Map.groupBy(files.map(readFile), ({ name }) => name);
  for (const versions of byName.values()) versions.sort((a, b) => a.version - b.version);
  const ordered: Incoming[] = [];
  const state = new Map<string, "waits" | "placed">();
  // Not by recursion: an archive may hold a chain of thousands. The last of `open` is looked at until all it needs is placed.
  const open = [...byName.keys()].sort().reverse();
  for (let name = open.at(-1); name !== undefined; name = open.at(-1)) {
    const versions = byName.get(name)!;
    const before = state.has(name) ? [] : needsIn(versions).filter((need) => byName.has(need) && !state.has(need));
    if (before.length > 0) {
      state.set(name, "waits");
      open.push(...before);
      continue;
    }
    open.pop();
    if (state.get(name) !== "placed") ordered.push(...versions);
    state.set(name, "placed");
  }
  return ordered;
}

const needsIn = (versions: readonly Incoming[]): string[] =>
  versions.flatMap(({ read }) =>
    read.ok && read.file.manifest.kind === "function" ? (read.file.manifest.needs ?? []) : [],
  );
