/**
 * The static pass over a draft, before any of it runs: everything that is wrong with it, so that its author can mend it in
 * one go. Poisoned descriptions are refused, not mended: who reads the reason is who wrote them.
 *
 * It is no boundary. What a capability may reach is decided at each call, by its grant and its caller's (L4); this keeps
 * accidents and plain attempts out of the library.
 */
import { AgentDraft, type CapabilityTest, FunctionDraft, type JsonSchema } from "../contract/capability.ts";
import type { CellError } from "../contract/cell.ts";
import { isJsonObject, type Json } from "../contract/json.ts";
import { suspicionsIn } from "./inert-text.ts";
import { findLookalike } from "./lookalike.ts";
import { hostProblems, secretProblems, sourceProblems } from "./screen-source.ts";
import { needProblems } from "./screen-needs.ts";
import { parseSourceFile, printSourceFile } from "./source-file.ts";

export const SCREEN_RULES = [
  "shape", // a field that is missing, unknown or beyond its limits
  "name",
  "lookalike",
  "description",
  "source", // does not compile, or hides something
  "secret",
  "host",
  "needs", // unknown, not granted, or used and not named
  "cycle",
  "tests",
  "size", // of the file it would become
] as const;
export type ScreenRule = (typeof SCREEN_RULES)[number];

export interface Reason {
  rule: ScreenRule;
  /** What is wrong and what to do about it. */
  problem: string;
}

/** What the kernel says of a module; `emitModule` answers it. */
export type ReadModule = (
  source: string,
) => { ok: true; value: { facts: SourceFacts } } | { ok: false; error: CellError };

export interface SourceFacts {
  calls: { name: string; line: number }[];
  texts: { text: string; line: number }[];
}

/** What surrounds a draft. None of these may throw. */
export interface ScreenContext {
  /** Names of all capabilities and tools there are. */
  names(): Iterable<string>;
  /** Whether tools may reach `host` or `host:port`. */
  isAllowedHost(host: string): boolean;
  /** Whether there is such a tool or capability. */
  known(name: string): boolean;
  /** Whether the author may use it, and so hand it on. */
  granted(name: string): boolean;
  /** What is wrong with a value by a schema, or with the schema; nothing when it fits. */
  fits(schema: JsonSchema, value: Json): string[];
  /** What a capability needs; nothing for a tool. */
  dependenciesOf(name: string): readonly string[];
  readModule: ReadModule;
}

const MAX_REASONS = 50; // more is not read; the first of each kind come first

/** Everything that is wrong with a function's draft; nothing when it may go on to its tests. */
export function screenFunction(draft: unknown, context: ScreenContext): Reason[] {
  const reasons = shapeReasons(FunctionDraft, draft);
  // A field that is as it should be is looked at even where others are not.
  const { name, description, input, output, source, tests, needs } = validFields(draft);
  if (name !== undefined) reasons.push(...nameReasons(name, context));
  if (description !== undefined) reasons.push(...textReasons("description", description));
  for (const [field, schema] of [["input", input] as const, ["output", output] as const])
    if (schema !== undefined) reasons.push(...schemaReasons(field, schema));
  const facts = source === undefined ? undefined : read(source, context, reasons);
  if (source !== undefined)
    reasons.push(...sourceProblems(source).map((problem) => ({ rule: "source", problem }) as const));
  if (facts !== undefined)
    reasons.push(...hostProblems(facts, context).map((problem) => ({ rule: "host", problem }) as const));
  const literals = facts?.texts ?? [];
  const secrets = secretProblems({ source: source ?? "", literals, data: { description, input, output, tests } });
  reasons.push(...secrets.map((problem) => ({ rule: "secret", problem }) as const));
  reasons.push(...needProblems({ name, needs: needs ?? [], calls: facts?.calls ?? [] }, context));
  if (tests !== undefined) reasons.push(...testReasons(tests, { input, output }, context));
  if (reasons.length === 0) reasons.push(...fileReasons(FunctionDraft.parse(draft)));
  return reasons.slice(0, MAX_REASONS);
}

/** Everything that is wrong with an agent's draft. What its role tells it is its affair: it is meant to be obeyed. */
export function screenAgent(draft: unknown, context: ScreenContext): Reason[] {
  const reasons = shapeReasons(AgentDraft, draft);
  const parsed = AgentDraft.safeParse(draft);
  if (!parsed.success) return reasons.slice(0, MAX_REASONS);
  const { name, description, agent } = parsed.data;
  reasons.push(...nameReasons(name, context), ...textReasons("description", description));
  const secrets = secretProblems({ source: "", literals: [], data: { description, agent } });
  reasons.push(...secrets.map((problem) => ({ rule: "secret", problem }) as const));
  return reasons.slice(0, MAX_REASONS);
}

const shapeReasons = (schema: typeof FunctionDraft | typeof AgentDraft, draft: unknown): Reason[] =>
  (schema.safeParse(draft).error?.issues ?? []).map(({ path, message }) => ({
    rule: path[0] === "name" ? "name" : "shape",
    problem: `${path.join(".") || "the draft"}: ${message}`,
  }));

type Fields = { [K in keyof FunctionDraft]: FunctionDraft[K] | undefined };

const validFields = (draft: unknown): Fields => {
  const given: Record<string, unknown> = isJsonObject(draft) ? draft : {};
  const { shape } = FunctionDraft;
  return {
    name: shape.name.safeParse(given["name"]).data,
    description: shape.description.safeParse(given["description"]).data,
    input: shape.input.safeParse(given["input"]).data,
    output: shape.output.safeParse(given["output"]).data,
    source: shape.source.safeParse(given["source"]).data,
    tests: shape.tests.safeParse(given["tests"]).data,
    needs: shape.needs.safeParse(given["needs"]).data,
  };
};

const nameReasons = (name: string, context: ScreenContext): Reason[] => {
  const twin = findLookalike(name, context.names());
  return twin === undefined
    ? []
    : [
        {
          rule: "lookalike",
          problem: `"${name}" could be taken for "${twin}". Use another name, or save a version of it.`,
        },
      ];
};

const textReasons = (field: string, text: string): Reason[] =>
  suspicionsIn(text).map((what) => ({
    rule: "description",
    problem: `${field} ${what}. Say what the capability does, takes and gives, in plain text.`,
  }));

const SHOWN_KEYS = new Set(["description", "title", "$comment"]);

/** What a model is shown of a schema: the names of its properties and what is said of them. */
const schemaReasons = (field: string, schema: JsonSchema): Reason[] => {
  const found: Reason[] = [];
  const visit = (value: Json, path: string): void => {
    if (Array.isArray(value)) return value.forEach((item) => visit(item, path));
    if (!isJsonObject(value)) return;
    for (const [key, item] of Object.entries(value)) {
      found.push(...textReasons(`a name in ${path}`, key));
      if (typeof item === "string" && SHOWN_KEYS.has(key)) found.push(...textReasons(`${path}.${key}`, item));
      else visit(item, path);
    }
  };
  visit(schema, field);
  return found;
};

const read = (source: string, context: ScreenContext, reasons: Reason[]): SourceFacts | undefined => {
  const module = context.readModule(source);
  if (module.ok) return module.value.facts;
  const { message, line, hint } = module.error;
  reasons.push({ rule: "source", problem: `${line === undefined ? "" : `line ${line}: `}${message}. ${hint}` });
  return undefined;
};

const testReasons = (
  tests: readonly CapabilityTest[],
  schemas: { input: JsonSchema | undefined; output: JsonSchema | undefined },
  context: ScreenContext,
): Reason[] => {
  const problems: string[] = [];
  if (!tests.some((test) => "throws" in test))
    problems.push("No test is of a failing case. Add one: {input, throws}, with an input it must refuse.");
  if (!tests.some((test) => "expect" in test)) problems.push("No test expects a value. Add one: {input, expect}.");
  tests.forEach((test, index) => {
    // An input that must fail may well be one that doesn't fit.
    if (!("expect" in test)) return;
    const check = (schema: JsonSchema | undefined, value: Json, what: string): void => {
      const wrong = schema === undefined ? [] : context.fits(schema, value);
      if (wrong.length > 0)
        problems.push(
          `tests.${index}: its ${what} doesn't fit the ${what === "input" ? "input" : "output"} schema: ${wrong.slice(0, 3).join("; ")}.`,
        );
    };
    check(schemas.input, test.input, "input");
    check(schemas.output, test.expect, "expect");
  });
  return problems.map((problem) => ({ rule: "tests", problem }));
};

/** What it would be stored as must be what is read back. */
const fileReasons = ({ source, ...draft }: FunctionDraft): Reason[] => {
  const manifest = { kind: "function" as const, ...draft, version: 1, created: "2026-01-01T00:00:00Z" };
  const result = parseSourceFile(printSourceFile(manifest, source));
  if (result.ok || result.failure.kind !== "bad-input") return [];
  return [{ rule: "size", problem: `As a file its ${result.failure.field} ${result.failure.problem}.` }];
};
