import { type CapabilityDraft, CapabilityName, isAgentDraft } from "../src/contract/capability.ts";
import { ok, type Result } from "../src/contract/failure.ts";
import { isJsonObject, type JsonLimits, whyNotJson } from "../src/contract/json.ts";
import type { Author, Refusal, Saved } from "../src/contract/library.ts";
import type { SearchIndex } from "../src/capabilities/search-index.ts";
import type { CapabilityFiles } from "./capability-files.ts";
import { parseSourceFile } from "../src/capabilities/source-file.ts";
import { type CapabilityGate, contentOf, fileOf, type Place, rowOf } from "./capability-gate.ts";
import type { CapabilityStates } from "./capability-states.ts";
import type { CapabilityStore, VersionRow } from "./capability-store.ts";

const MAX_CAPABILITIES = 20_000; // as many files as an archive holds
const MAX_VERSIONS = 1_000; // of one capability
const DRAFT: JsonLimits = { depth: 100, chars: 1024 * 1024 }; // far above what passes: no check after it can run out of stack
const MAX_STRAYS = 3; // files in a row that the library doesn't know

export interface CapabilitiesParts {
  store: CapabilityStore;
  files: CapabilityFiles;
  gate: CapabilityGate;
  states: CapabilityStates;
  index: SearchIndex;
}

/** From a draft to a version: through the gate, into the bucket, into the store. */
export class CapabilitySaving {
  readonly #parts: CapabilitiesParts;
  readonly #follow: () => Promise<void>;
  readonly #saving = new Map<string, Promise<unknown>>();

  /** `follow` brings the index in line. */
  constructor(parts: CapabilitiesParts, follow: () => Promise<void>) {
    this.#parts = parts;
    this.#follow = follow;
  }

  /** One draft of a name at a time: two must not become the same version. */
  async save(draft: CapabilityDraft, author: Author): Promise<Result<Saved>> {
    const unfit = whyNotJson(draft, DRAFT);
    if (unfit !== undefined) return ok({ saved: false, reasons: [{ rule: "shape", problem: `the draft ${unfit}` }] });
    const name = isJsonObject(draft) ? CapabilityName.safeParse(draft["name"]).data : undefined;
    if (name === undefined)
      return ok({ saved: false, ...(await this.#parts.gate.examine(draft, author, firstPlace())) });
    const before = this.#saving.get(name) ?? Promise.resolve();
    const mine = before.then(() => this.#save(draft, author));
    const done = mine.catch(() => {});
    this.#saving.set(name, done);
    try {
      return ok(await mine);
    } finally {
      if (this.#saving.get(name) === done) this.#saving.delete(name);
    }
  }

  async #save(draft: CapabilityDraft, author: Author): Promise<Saved> {
    const { store, files, gate, states } = this.#parts;
    const { name } = draft;
    const rows = store.versions(name);
    const same = this.#sameAs(draft, rows, author);
    if (same !== undefined) return { saved: true, name, version: same.version, state: same.state, unchanged: true };
    const place = { version: (rows.at(-1)?.version ?? 0) + 1, at: new Date().toISOString() };
    const { reasons, duplicate } = await gate.examine(draft, author, place);
    reasons.push(...this.#fullness(rows), ...kindReasons(draft, rows));
    const refused = (more: Refusal[] = []): Saved => ({
      saved: false,
      reasons: [...reasons, ...more],
      ...(duplicate !== undefined && { duplicate }),
    });
    if (reasons.length === 0) reasons.push(...(await this.#regressions(draft, rows, place)));
    if (reasons.length > 0) return refused();
    // A file that nobody knows of: written, and not recorded. It stays; the next number is free, or the one after it.
    for (let version = place.version; version < place.version + MAX_STRAYS; version++) {
      const file = fileOf(draft, { ...place, version });
      if (!file.ok) return refused([{ rule: "size", problem: file.problem }]);
      if (!(await files.write({ name, version }, file.text))) continue;
      const { by, run, tokens } = author;
      const known = { by, ...(run !== undefined && { run }), ...(tokens !== undefined && { tokens }) };
      states.change(name, () => store.insert(rowOf(draft, file.text, { version, at: place.at, author: known })));
      await this.#follow();
      return { saved: true, name, version, state: store.states(name).find((one) => one.version === version)!.state };
    }
    return refused([
      {
        rule: "name",
        problem: "The bucket holds files of it that the library doesn't know. Rebuild the library first.",
      },
    ]);
  }

  /** What the active version promises must go on: a version that breaks it is another capability. */
  async #regressions(draft: CapabilityDraft, rows: readonly VersionRow[], place: Place): Promise<Refusal[]> {
    const active = rows.findLast(({ state, kind }) => state === "active" && kind === "function");
    if (active === undefined || isAgentDraft(draft)) return [];
    const read = await this.#parts.files.read(active);
    const parsed = read.ok ? parseSourceFile(read.file) : undefined;
    if (parsed?.ok !== true || parsed.value.manifest.kind !== "function") return [];
    const failed = await this.#parts.gate.tryOut({ ...draft, tests: parsed.value.manifest.tests }, place);
    return failed.map(({ problem }) => ({
      rule: "regression",
      problem: `It fails what version ${active.version}, which is active, is tested for: ${problem} Use another name, or retire that version first.`,
    }));
  }

  /** The version that this very draft is already: the newest, or for what is taken in again, any. Not one whose file is lost. */
  #sameAs(draft: CapabilityDraft, rows: readonly VersionRow[], { by }: Author): VersionRow | undefined {
    const candidates = by === "import" ? rows : rows.slice(-1);
    const content = contentOf(draft);
    return candidates.findLast((row) => row.testsPassed && row.content === content);
  }

  #fullness(rows: readonly VersionRow[]): Refusal[] {
    if (rows.length >= MAX_VERSIONS)
      return [{ rule: "size", problem: `It has ${rows.length} versions, and no more can be. Use another name.` }];
    return rows.length === 0 && this.#parts.store.count() >= MAX_CAPABILITIES
      ? [{ rule: "size", problem: `The library holds ${MAX_CAPABILITIES} capabilities, and no more can be.` }]
      : [];
  }
}

const firstPlace = (): { version: number; at: string } => ({ version: 1, at: new Date().toISOString() });

const kindReasons = (draft: CapabilityDraft, rows: readonly VersionRow[]): Refusal[] => {
  const kind = isAgentDraft(draft) ? "agent" : "function";
  const is = rows.at(-1)?.kind ?? kind;
  return is === kind
    ? []
    : [{ rule: "name", problem: `"${draft.name}" is of the kind ${is} already. Use another name.` }];
};
