/**
 * L2: what a draft has to pass before it is kept. Everything that is wrong with it is said at once: the static pass, what it
 * repeats, and the tests that fail, as far as it can be run at all.
 */
import { AgentDefinition } from "../src/contract/agent.ts";
import { type AgentDraft, type CapabilityDraft, FunctionDraft, isAgentDraft } from "../src/contract/capability.ts";
import { canonicalJson, isJsonObject, type Json } from "../src/contract/json.ts";
import type { Author, Refusal } from "../src/contract/library.ts";
import { findDuplicate, fingerprintOf } from "../src/capabilities/likeness.ts";
import { type ScreenContext, screenAgent, screenFunction } from "../src/capabilities/screen.ts";
import { hashOf, type Manifest, parseSourceFile, printSourceFile } from "../src/capabilities/source-file.ts";
import { noStatistics } from "../src/capabilities/statistics.ts";
import { emitModule } from "../src/kernel/module.ts";
import { moduleTokens } from "../src/kernel/module-tokens.ts";
import type { CellRunnerApi } from "../src/kernel/runner.ts";
import { isGranted } from "../src/orchestration/grant.ts";
import { type AnyTool, grantOf } from "../tool-bindings/define.ts";
import { egressProblem, parseEgress } from "../tool-bindings/egress.ts";
import type { CapabilityStore, VersionRow } from "./capability-store.ts";
import { tryOut } from "./capability-trial.ts";
import { wordsOfDraft } from "./capability-words.ts";
import { problemsOf, schemaProblem } from "./result.ts";

export interface GateOptions {
  tenant: string;
  store: CapabilityStore;
  tools: ReadonlyMap<string, AnyTool>;
  /** PRAXIS_EGRESS. */
  egress: string | undefined;
  /** Where tests run. */
  runner: CellRunnerApi;
}

/** Which version, made when. Both stand in its file. */
export interface Place {
  version: number;
  /** ISO 8601. */
  at: string;
}

export interface Examined {
  reasons: Refusal[];
  duplicate?: string;
}

export class CapabilityGate {
  readonly #options: GateOptions;

  constructor(options: GateOptions) {
    this.#options = options;
  }

  /** All that is wrong with a draft, whatever it is. `place`: what it would become. */
  async examine(draft: unknown, author: Author, place: Place): Promise<Examined> {
    const reasons: Refusal[] = this.screen(draft, author);
    const parsed = FunctionDraft.safeParse(draft);
    if (!parsed.success) return { reasons };
    for (const field of ["input", "output"] as const) {
      const problem = schemaProblem(parsed.data[field]);
      if (problem !== undefined) reasons.push({ rule: "schema", problem: `${field}: it ${problem}` });
    }
    const fingerprint = fingerprintOfDraft(parsed.data);
    if (fingerprint === undefined) return { reasons };
    // A library that is taken in comes as a whole: what it holds twice it held before.
    const duplicate =
      author.by === "import"
        ? undefined
        : findDuplicate({ name: parsed.data.name, fingerprint }, this.#options.store.fingerprints());
    if (duplicate !== undefined) reasons.push({ rule: "duplicate", problem: duplicate.why });
    reasons.push(...(await this.tryOut(parsed.data, place)));
    return { reasons, ...(duplicate && { duplicate: duplicate.name }) };
  }

  /** The static pass. */
  screen(draft: unknown, author: Author): Refusal[] {
    const context = this.#context(author);
    if (!isJsonObject(draft) || !("agent" in draft)) return screenFunction(draft, context);
    const reasons: Refusal[] = screenAgent(draft, context);
    if (reasons.some(({ rule }) => rule === "shape" || rule === "name")) return reasons;
    const agent = AgentDefinition.safeParse(definitionOf(draft as AgentDraft)); // its shape was found good
    for (const { path, message } of agent.error?.issues ?? [])
      reasons.push({ rule: "shape", problem: `${["agent", ...path].join(".")}: ${message}` });
    return reasons;
  }

  /** The draft's own tests, in isolates. */
  async tryOut(draft: FunctionDraft, place: Place): Promise<Refusal[]> {
    const file = fileOf(draft, place);
    if (!file.ok) return [{ rule: "size", problem: file.problem }];
    const id = `${this.#options.tenant}/${hashOf(file.text)}`; // of one tenant: a warm isolate is shared by nobody else
    const failed = await tryOut({ file: file.text, id, draft }, this.#options.runner);
    return failed.map((problem) => ({ rule: "tests", problem }));
  }

  #context({ grants }: Author): ScreenContext {
    const { store, tools, egress } = this.#options;
    const policy = parseEgress(egress);
    const isReached = (host: string, scheme: string): boolean => {
      const url = URL.parse(`${scheme}://${host}`);
      return url !== null && egressProblem(url, policy) === undefined;
    };
    /** L4: a capability hands on all that it needs, so its author must have all of that. */
    const granted = (name: string): boolean => {
      const needed = new Set([name]);
      // A set goes on to what is added meanwhile.
      for (const one of grants.length === 0 ? [] : needed) {
        const tool = tools.get(one);
        if (!isGranted({ name: one, grant: tool === undefined ? "library" : grantOf(tool) }, grants)) return false;
        if (tool === undefined) for (const need of store.needs(one)) needed.add(need);
      }
      return true;
    };
    return {
      names: () => [...tools.keys(), ...store.names()],
      isAllowedHost: (host) => isReached(host, "https") || isReached(host, "http"),
      known: (name) => tools.has(name) || store.has(name),
      granted,
      fits: (schema, value) => problemsOf(value, schema),
      dependenciesOf: (name) => store.needs(name),
      readModule: emitModule,
    };
  }
}

/** The same for the same draft. */
export function contentOf(draft: CapabilityDraft): string {
  const whole = isAgentDraft(draft) ? { ...draft, agent: definitionOf(draft) } : draft;
  return hashOf(canonicalJson(whole as Json)); // a draft is JSON
}

/** The file of a version; not when it could not be read again. */
export function fileOf(
  draft: CapabilityDraft,
  place: Place,
): { ok: true; text: string } | { ok: false; problem: string } {
  const { manifest, source } = manifestOf(draft, place);
  const text = printSourceFile(manifest, source);
  const read = parseSourceFile(text);
  if (read.ok) return { ok: true, text };
  const { failure } = read;
  return {
    ok: false,
    problem: `As a file its ${failure.kind === "bad-input" ? `${failure.field} ${failure.problem}` : failure.kind}.`,
  };
}

function manifestOf(draft: CapabilityDraft, { version, at: created }: Place): { manifest: Manifest; source: string } {
  if (isAgentDraft(draft)) {
    const agent = definitionOf(draft);
    const { name, description } = draft;
    const source = `export default ${JSON.stringify(agent, null, 2)};\n`;
    return { manifest: { kind: "agent", name, version, description, agent, created }, source };
  }
  const { source, ...rest } = draft;
  return { manifest: { kind: "function", ...rest, version, created }, source };
}

/** The draft that a file came from. */
export function draftOf({ manifest, source }: { manifest: Manifest; source: string }): CapabilityDraft {
  if (manifest.kind === "agent") {
    const { name, description, agent } = manifest;
    return { name, description, agent };
  }
  const { name, description, input, output, tests, needs } = manifest;
  return { name, description, input, output, source, tests, ...(needs && { needs }) };
}

/** An agent that says no name of its own has the capability's. */
const definitionOf = ({ name, agent }: AgentDraft): AgentDraft["agent"] => ({ name, ...agent });

/** What is known of a version when its file is written. On probation: who makes one has examined it. */
export function rowOf(draft: CapabilityDraft, file: string, made: Place & Pick<VersionRow, "author">): VersionRow {
  const fingerprint = isAgentDraft(draft) ? undefined : fingerprintOfDraft(draft);
  return {
    name: draft.name,
    version: made.version,
    kind: isAgentDraft(draft) ? "agent" : "function",
    state: "probation",
    why: isAgentDraft(draft) ? "Its definition is sound." : "Its tests passed.",
    since: made.at,
    testsPassed: true,
    statistics: noStatistics(made.at),
    facts: isAgentDraft(draft)
      ? { description: draft.description, needs: [], tests: 0, agent: definitionOf(draft) }
      : {
          description: draft.description,
          needs: [...new Set(draft.needs)],
          tests: draft.tests.length,
          input: draft.input,
          output: draft.output,
        },
    words: wordsOfDraft(draft),
    hash: hashOf(file),
    content: contentOf(draft),
    ...(fingerprint && { fingerprint }),
    author: made.author,
  };
}

const fingerprintOfDraft = ({ source, tests }: FunctionDraft): ReturnType<typeof fingerprintOf> | undefined => {
  const tokens = moduleTokens(source);
  return tokens.ok ? fingerprintOf(tokens.value, tests) : undefined;
};
