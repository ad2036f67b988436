/**
 * What the Library knows of each version of each capability. The file itself is in R2 (see `CapabilityFiles`).
 *
 * Owns: `capability_versions` (what a version is, its state and why, its statistics), `capability_needs` (who needs whom, to find
 * the dependents of what fails), `capability_uses` (ids of recorded uses, the latest), `capability_unfollowed` (names whose
 * place in the search index is yet to follow their state).
 * Doesn't own: what becomes of a version; `lifecycle.ts` decides that.
 */
import type { CapabilityState, JsonSchema, QuarantineCause, VersionStatistics } from "../src/contract/capability.ts";
import type { Author } from "../src/contract/library.ts";
import type { Fingerprint } from "../src/capabilities/likeness.ts";
import type { VersionRecord } from "../src/capabilities/lifecycle.ts";

const MAX_USE_IDS = 50_000; // who reports a use again does so within a run, not after so many others
const SCHEMA = `
CREATE TABLE IF NOT EXISTS capability_versions (
  name TEXT NOT NULL, version INTEGER NOT NULL, kind TEXT NOT NULL, state TEXT NOT NULL, cause TEXT, why TEXT NOT NULL,
  since TEXT NOT NULL, tests_passed INTEGER NOT NULL, statistics TEXT NOT NULL, facts TEXT NOT NULL, words TEXT NOT NULL,
  hash TEXT NOT NULL, content TEXT NOT NULL, shingles BLOB, behaviour TEXT, author TEXT NOT NULL,
  PRIMARY KEY (name, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS capability_needs (
  need TEXT NOT NULL, name TEXT NOT NULL, version INTEGER NOT NULL, PRIMARY KEY (need, name, version)
) WITHOUT ROWID;
CREATE TABLE IF NOT EXISTS capability_uses (position INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL UNIQUE);
CREATE TABLE IF NOT EXISTS capability_unfollowed (name TEXT PRIMARY KEY, mark INTEGER NOT NULL) WITHOUT ROWID;`;

/** What its file says of a version: fixed with it (L1). */
export interface VersionFacts {
  description: string;
  needs: string[];
  /** How many. */
  tests: number;
  input?: JsonSchema;
  output?: JsonSchema;
  agent?: Record<string, unknown>;
}

export interface VersionRow extends VersionRecord {
  name: string;
  kind: "function" | "agent";
  why: string;
  facts: VersionFacts;
  /** More words it is found by. */
  words: string;
  /** Of the file. */
  hash: string;
  /** Of what its author wrote: the same for the same draft, whatever its version and day. */
  content: string;
  /** Of a function. */
  fingerprint?: Fingerprint;
  author: Pick<Author, "by" | "run" | "tokens">;
}

// oxlint-disable-next-line typescript/consistent-type-definitions -- SqlStorage wants an index signature
type Sql = {
  name: string;
  version: number;
  kind: string;
  state: string;
  cause: string | null;
  why: string;
  since: string;
  tests_passed: number;
  statistics: string;
  facts: string;
  words: string;
  hash: string;
  content: string;
  author: string;
};
const COLUMNS =
  "name, version, kind, state, cause, why, since, tests_passed, statistics, facts, words, hash, content, author";

export class CapabilityStore {
  readonly #storage: DurableObjectStorage;
  readonly #sql: SqlStorage;

  constructor(storage: DurableObjectStorage) {
    this.#storage = storage;
    this.#sql = storage.sql;
    this.#sql.exec(SCHEMA);
  }

  together<T>(change: () => T): T {
    return this.#storage.transactionSync(change);
  }

  /** All versions of a capability, the oldest first. Without fingerprints: only `fingerprints` reads them. */
  versions(name: string): VersionRow[] {
    return this.#sql
      .exec<Sql>(`SELECT ${COLUMNS} FROM capability_versions WHERE name = ? ORDER BY version`, name)
      .toArray()
      .map(toRow);
  }

  /** As `versions`, without all that is not their state. */
  states(name: string): { version: number; state: CapabilityState }[] {
    return this.#sql
      .exec<{ version: number; state: string }>(
        "SELECT version, state FROM capability_versions WHERE name = ? ORDER BY version",
        name,
      )
      .toArray()
      .map(({ version, state }) => ({ version, state: state as CapabilityState })); // as it was written
  }

  has(name: string): boolean {
    return this.#sql.exec("SELECT 1 FROM capability_versions WHERE name = ? LIMIT 1", name).toArray().length > 0;
  }

  /** Throws for a version that is there: it is immutable (L1). */
  insert(row: VersionRow): void {
    const { shingles, expects, throws } = row.fingerprint ?? {};
    this.#storage.transactionSync(() => {
      this.#sql.exec(
        `INSERT INTO capability_versions (${COLUMNS}, shingles, behaviour) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
        row.name,
        row.version,
        row.kind,
        row.state,
        row.cause ?? null,
        row.why,
        row.since,
        Number(row.testsPassed),
        JSON.stringify(row.statistics),
        JSON.stringify(row.facts),
        row.words,
        row.hash,
        row.content,
        JSON.stringify(row.author),
        shingles === undefined ? null : new Uint32Array(shingles).buffer,
        shingles === undefined ? null : JSON.stringify({ expects, throws }),
      );
      for (const need of row.facts.needs)
        this.#sql.exec("INSERT OR IGNORE INTO capability_needs VALUES (?, ?, ?)", need, row.name, row.version);
      this.#unfollow(row.name);
    });
  }

  /** Where a version is now. Its place in the index is to follow. */
  saveState(name: string, { why, ...version }: VersionRecord & { why: string }): void {
    this.#sql.exec(
      "UPDATE capability_versions SET state = ?, cause = ?, why = ?, since = ?, tests_passed = ?, statistics = ? WHERE name = ? AND version = ?",
      version.state,
      version.cause ?? null,
      why,
      version.since,
      Number(version.testsPassed),
      JSON.stringify(version.statistics),
      name,
      version.version,
    );
    this.#unfollow(name);
  }

  saveStatistics(name: string, version: number, statistics: VersionStatistics): void {
    this.#sql.exec(
      "UPDATE capability_versions SET statistics = ? WHERE name = ? AND version = ?",
      JSON.stringify(statistics),
      name,
      version,
    );
  }

  count(): number {
    return this.#sql.exec<{ n: number }>("SELECT COUNT(DISTINCT name) AS n FROM capability_versions").one().n;
  }

  /** In order, after one. */
  names(after = "", limit = Number.MAX_SAFE_INTEGER): string[] {
    return this.#sql
      .exec<{ name: string }>(
        "SELECT DISTINCT name FROM capability_versions WHERE name > ? ORDER BY name LIMIT ?",
        after,
        limit,
      )
      .toArray()
      .map(({ name }) => name);
  }

  /** Of the newest version of each function, where that may be used. Read one by one: all together they are large. */
  *fingerprints(): Generator<{ name: string; fingerprint: Fingerprint }> {
    const rows = this.#sql.exec<{ name: string; shingles: ArrayBuffer; behaviour: string }>(
      `SELECT name, shingles, behaviour FROM capability_versions AS v WHERE shingles IS NOT NULL AND state IN ('probation', 'active')
       AND version = (SELECT MAX(version) FROM capability_versions WHERE name = v.name)`,
    );
    for (const { name, shingles, behaviour } of rows) {
      // As `insert` wrote it.
      const tests = JSON.parse(behaviour) as Pick<Fingerprint, "expects" | "throws">;
      yield { name, fingerprint: { shingles: [...new Uint32Array(shingles)], ...tests } };
    }
  }

  /** The capabilities with a version that needs this one. */
  dependents(need: string): string[] {
    return this.#sql
      .exec<{ name: string }>("SELECT DISTINCT name FROM capability_needs WHERE need = ?", need)
      .toArray()
      .map(({ name }) => name);
  }

  /** What any version of a capability needs that is not retired; nothing for a tool. */
  needs(name: string): string[] {
    return this.#sql
      .exec<{ need: string }>(
        `SELECT DISTINCT need FROM capability_needs JOIN capability_versions USING (name, version)
         WHERE name = ? AND state <> 'retired'`,
        name,
      )
      .toArray()
      .map(({ need }) => need);
  }

  /** Whether this use is new. Asked once: the next time it is not. */
  admitUse(id: string): boolean {
    if (this.#sql.exec("SELECT 1 FROM capability_uses WHERE id = ?", id).toArray().length > 0) return false;
    this.#sql.exec("INSERT INTO capability_uses (id) VALUES (?)", id);
    this.#sql.exec(
      "DELETE FROM capability_uses WHERE position <= (SELECT MAX(position) FROM capability_uses) - ?",
      MAX_USE_IDS,
    );
    return true;
  }

  /** Names whose index entry is to follow their state: what was interrupted between the two is done later. */
  unfollowed(): Unfollowed[] {
    return this.#sql.exec<Unfollowed>("SELECT name, mark FROM capability_unfollowed").toArray();
  }

  /** Not for one whose state changed again meanwhile. */
  followed({ name, mark }: Unfollowed): void {
    this.#sql.exec("DELETE FROM capability_unfollowed WHERE name = ? AND mark = ?", name, mark);
  }

  #unfollow(name: string): void {
    this.#sql.exec(
      "INSERT OR REPLACE INTO capability_unfollowed SELECT ?, COALESCE(MAX(mark), 0) + 1 FROM capability_unfollowed",
      name,
    );
  }
}

// oxlint-disable-next-line typescript/consistent-type-definitions -- SqlStorage wants an index signature
export type Unfollowed = { name: string; mark: number };

// Casts: as `insert` and `saveState` wrote them.
const toRow = (row: Sql): VersionRow => ({
  name: row.name,
  version: row.version,
  kind: row.kind as VersionRow["kind"],
  state: row.state as CapabilityState,
  ...(row.cause === null ? {} : { cause: row.cause as QuarantineCause }),
  why: row.why,
  since: row.since,
  testsPassed: row.tests_passed === 1,
  statistics: JSON.parse(row.statistics) as VersionStatistics,
  facts: JSON.parse(row.facts) as VersionFacts,
  words: row.words,
  hash: row.hash,
  content: row.content,
  author: JSON.parse(row.author) as VersionRow["author"],
});
