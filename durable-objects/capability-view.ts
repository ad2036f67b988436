import type { CapabilitySummary, VersionView } from "../src/contract/capability.ts";
import type { CapabilityView } from "../src/contract/library.ts";
import { chooseVersion } from "../src/capabilities/lifecycle.ts";
import type { SearchEntry } from "../src/capabilities/search-index.ts";
import type { VersionRow } from "./capability-store.ts";

const pathOf = (name: string): string => `/v1/capabilities/${name}`;

export const versionView = (row: VersionRow): VersionView => ({
  name: row.name,
  version: row.version,
  kind: row.kind,
  state: row.state,
  why: row.why,
  ...(row.cause && { cause: row.cause }),
  description: row.facts.description,
  ...(row.facts.input && { input: row.facts.input }),
  ...(row.facts.output && { output: row.facts.output }),
  needs: row.facts.needs,
  tests: row.facts.tests,
  hash: row.hash,
  statistics: row.statistics,
  links: {
    self: `${pathOf(row.name)}/versions/${row.version}`,
    capability: pathOf(row.name),
    source: `${pathOf(row.name)}/source?version=${row.version}`,
  },
});

/** The version that speaks for a capability: the one that is offered, or else its newest. */
export const shownOf = (rows: readonly VersionRow[]): VersionRow => chooseVersion(rows, 1) ?? rows.at(-1)!;

/** `rows`: all versions, at least one. Numbers are of all of them. */
export function summaryOf(rows: readonly VersionRow[]): CapabilitySummary {
  const shown = shownOf(rows);
  const sum = (of: "uses" | "successes" | "tokensSaved"): number =>
    rows.reduce((total, { statistics }) => total + statistics[of], 0);
  const uses = sum("uses");
  const lastUsedAt = rows
    .flatMap(({ statistics }) => statistics.lastUsedAt ?? [])
    .sort()
    .at(-1);
  const path = pathOf(shown.name);
  return {
    name: shown.name,
    kind: shown.kind,
    description: shown.facts.description,
    state: shown.state,
    version: shown.version,
    versions: rows.length,
    uses,
    ...(uses > 0 && { successRate: sum("successes") / uses }),
    tokensSaved: sum("tokensSaved"),
    ...(lastUsedAt !== undefined && { lastUsedAt }),
    links: { self: path, versions: `${path}/versions`, source: `${path}/source` },
  };
}

export const capabilityView = (rows: readonly VersionRow[]): CapabilityView => ({
  ...summaryOf(rows),
  latest: versionView(rows.at(-1)!),
});

/** What a version is found by. */
export const entryOf = ({ name, facts, words }: VersionRow): SearchEntry => ({
  name,
  kind: "capability",
  summary: facts.description,
  text: words,
});
