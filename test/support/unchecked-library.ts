/**
 * The product's Library, with capabilities beside its own that its gate would refuse: those that fail, lie, reach too far or never
 * end. What happens when such a one is run must be known all the same. Also knows the tests' tools.
 */
import { Library as ProductLibrary } from "../../durable-objects/library.ts";
import { hashOf, parseSourceFile, printSourceFile } from "../../src/capabilities/source-file.ts";
import { type CapabilityDraft, isAgentDraft, type VersionView } from "../../src/contract/capability.ts";
import { fail, ok, type Result } from "../../src/contract/failure.ts";
import type { CapabilityView, LibraryApi, Runnable, Use } from "../../src/contract/library.ts";
import type { AnyTool } from "../../tool-bindings/define.ts";
import { APPROVAL_TOOLS } from "./approval-tools.ts";
import { EFFECT_TOOLS } from "./effect-tools.ts";

const SCHEMA = `
CREATE TABLE IF NOT EXISTS unchecked (name TEXT, version INTEGER, file TEXT, withdrawn INTEGER, PRIMARY KEY (name, version));
CREATE TABLE IF NOT EXISTS unchecked_uses (id TEXT PRIMARY KEY, use TEXT);`;
type Row = { name: string; version: number; file: string; withdrawn: number };

export class Library extends ProductLibrary {
  readonly #sql = this.ctx.storage.sql;

  constructor(...args: ConstructorParameters<typeof ProductLibrary>) {
    super(...args);
    this.#sql.exec(SCHEMA);
  }

  protected override tools(): readonly AnyTool[] {
    return [...super.tools(), ...EFFECT_TOOLS, ...APPROVAL_TOOLS];
  }

  /** Takes it as it is. */
  async admit(draft: CapabilityDraft): Promise<void> {
    const { name, description } = draft;
    const version = this.#rows(name).length + 1;
    const base = { name, version, description, created: new Date().toISOString() };
    const file = isAgentDraft(draft)
      ? printSourceFile({ ...base, kind: "agent", agent: draft.agent }, "")
      : functionFile(base, draft);
    this.#sql.exec("INSERT INTO unchecked VALUES (?, ?, ?, 0)", name, version, file);
    await this.put([{ name, kind: "capability", summary: description, text: "" }]);
  }

  withdraw(name: string): void {
    this.#sql.exec("UPDATE unchecked SET withdrawn = 1 WHERE name = ?", name);
  }

  /** Of one that was admitted. */
  uses(name: string): Use[] {
    return this.#sql
      .exec<{ use: string }>("SELECT use FROM unchecked_uses")
      .toArray()
      .map(({ use }) => JSON.parse(use) as Use)
      .filter((use) => use.name === name);
  }

  override async choose(name: string, version?: number, roll?: number): Promise<Result<Runnable>> {
    const row = this.#find(name, version);
    if (row === undefined) return super.choose(name, version, roll);
    if (!row.ok) return row;
    const { file, withdrawn } = row.value;
    if (withdrawn === 1) return fail({ kind: "capability-unavailable", name, state: "quarantined", why: "it failed" });
    const { manifest } = parsed(file);
    const base = { name, version: row.value.version, hash: hashOf(file), file, description: manifest.description };
    if (manifest.kind === "agent") return ok({ ...base, kind: "agent", needs: [], agent: manifest.agent });
    const { input, output, needs = [] } = manifest;
    return ok({ ...base, kind: "function", needs, input, output });
  }

  override async record(id: string, use: Use): Promise<void> {
    if (this.#rows(use.name).length === 0) return super.record(id, use);
    this.#sql.exec("INSERT OR IGNORE INTO unchecked_uses VALUES (?, ?)", id, JSON.stringify(use));
  }

  override async get(name: string): Promise<Result<CapabilityView>> {
    const row = this.#find(name);
    if (row === undefined) return super.get(name);
    if (!row.ok) return row;
    const latest = versionView(row.value);
    const { kind, description, state, version } = latest;
    const uses = this.uses(name).length;
    return ok({ name, kind, description, state, version, versions: version, uses, tokensSaved: 0, links: {}, latest });
  }

  override async version(name: string, version: number): Promise<Result<VersionView>> {
    const row = this.#find(name, version);
    if (row === undefined) return super.version(name, version);
    return row.ok ? ok(versionView(row.value)) : row;
  }

  override async source(name: string, version?: number): ReturnType<LibraryApi["source"]> {
    const row = this.#find(name, version);
    if (row === undefined) return super.source(name, version);
    return row.ok ? ok({ name, version: row.value.version, hash: hashOf(row.value.file), file: row.value.file }) : row;
  }

  /** Undefined when it is none of those that were admitted. */
  #find(name: string, version?: number): Result<Row> | undefined {
    const rows = this.#rows(name);
    if (rows.length === 0) return undefined;
    const row = version === undefined ? rows.at(-1) : rows.find((one) => one.version === version);
    if (row !== undefined) return ok(row);
    return fail({ kind: "unknown-version", name, version: version ?? 0, known: rows.map((one) => one.version) });
  }

  #rows(name: string): Row[] {
    return this.#sql.exec<Row>("SELECT * FROM unchecked WHERE name = ? ORDER BY version", name).toArray();
  }
}

const functionFile = (
  base: { name: string; version: number; description: string; created: string },
  { input, output, tests, needs, source }: Exclude<CapabilityDraft, { agent: unknown }>,
): string =>
  printSourceFile(
    { ...base, kind: "function", input, output, tests, ...(needs === undefined ? {} : { needs }) },
    source,
  );

const parsed = (file: string) => {
  const read = parseSourceFile(file);
  if (!read.ok) throw new Error(JSON.stringify(read.failure));
  return read.value;
};

function versionView({ name, version, file }: Row): VersionView {
  const { manifest } = parsed(file);
  const counts = { uses: 0, successes: 0, failures: 0, latencyMs: 0, tokensSaved: 0 };
  return {
    name,
    version,
    kind: manifest.kind,
    state: "active",
    why: "it was admitted",
    description: manifest.description,
    hash: hashOf(file),
    statistics: { ...counts, recent: [], callers: [], createdAt: manifest.created },
    links: {},
    ...(manifest.kind === "agent"
      ? { needs: [], tests: 0 }
      : { input: manifest.input, output: manifest.output, needs: manifest.needs ?? [], tests: manifest.tests.length }),
  };
}
