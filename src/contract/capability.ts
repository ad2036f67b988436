import { z } from "zod";
import { CELL_API } from "./cell.ts";
import { isJsonObject, type Json, type JsonLimits, type JsonObject, whyNotJson } from "./json.ts";

export const CAPABILITY_LIMITS = {
  nameChars: 64,
  toolNameChars: 200, // as the desk takes them
  descriptionChars: 600, // a model reads up to three of them beside its goal
  sourceChars: 64 * 1024, // with the header it stays under what the kernel compiles
  headerChars: 160 * 1024,
  tests: 50, // they all run before it is offered, each in its turn
  needs: 50,
  stubs: 50,
  eachAnswers: 200, // of one stub
  errorChars: 2_000,
  callers: 20, // the latest; a list of all would grow for ever
  recent: 20, // outcomes that say how it does now; older ones say how it did
  agentFields: 32,
} as const;

const SCHEMA: JsonLimits = { depth: 32, chars: 16 * 1024 };
const VALUE: JsonLimits = { depth: 64, chars: 32 * 1024 }; // one input, expectation or stub: a test is there to be read
const AGENT: JsonLimits = { depth: 32, chars: 32 * 1024 };
const TESTS_CHARS = 96 * 1024; // all tests of one capability

const bounded = <T extends Json>(limits: JsonLimits, isKind: (value: unknown) => boolean, kind: string) =>
  z.custom<T>((value) => isKind(value) && whyNotJson(value, limits) === undefined, {
    error: ({ input }) => (isKind(input) ? whyNotJson(input, limits)! : `must be ${kind}`),
  });

const isPresent = (value: unknown): boolean => value !== undefined;
const JsonValue = bounded<Json>(VALUE, isPresent, "given");

/** A JSON Schema as data; whether it makes sense as one is for those who check values against it. */
export const JsonSchema = bounded<JsonObject>(SCHEMA, isJsonObject, "a JSON Schema, an object");
export type JsonSchema = z.infer<typeof JsonSchema>;

/**
 * Names that are no capability's: the cell API's, what `tools.…` has of its own, what JavaScript asks every object for,
 * words of the routes, and device names that can't be a folder everywhere an archive is unpacked.
 */
// prettier-ignore
const RESERVED_NAMES: ReadonlySet<string> = new Set([...CELL_API, "search", "describe", "call", "run", "get", "save", "list", "input", "output", "default", "constructor", "prototype", "then", "versions", "source", "promote", "rollback", "retire", "diff", "export", "import", "archive", "reindex", "con", "prn", "aux", "nul", ...[0, 1, 2, 3, 4, 5, 6, 7, 8, 9].flatMap((n) => [`com${n}`, `lpt${n}`])]);

/** Without a dot: a tool has one, a capability has none, so neither can pass for the other. */
export const CapabilityName = z
  .string()
  .max(CAPABILITY_LIMITS.nameChars)
  .regex(/^[a-z][a-z0-9]*(-[a-z0-9]+)*$/, "must be words of a-z and 0-9 joined by single hyphens, a letter first")
  .refine((name) => !RESERVED_NAMES.has(name), "is a reserved name");
export type CapabilityName = z.infer<typeof CapabilityName>;

/** `family.tool`, also of a connected server. */
export const ToolName = z
  .string()
  .max(CAPABILITY_LIMITS.toolNameChars)
  .regex(/^[A-Za-z][A-Za-z0-9_-]*(\.[A-Za-z0-9_-]+)+$/, "must be a tool's name, such as http.get");

const NeedName = z.union([CapabilityName, ToolName], { error: "must be the name of a tool or of a capability" });

const StubError = z.strictObject({
  kind: z.string().min(1).max(100),
  message: z.string().max(CAPABILITY_LIMITS.errorChars),
});
const isSpecial = (value: unknown): boolean =>
  isJsonObject(value) && Object.keys(value).some((key) => key.startsWith("$"));
const Failing = z.strictObject({ $error: StubError });
const Plain = JsonValue.refine((value) => !isSpecial(value), "has a key that begins with $ and is not $error or $each");
const Each = z.strictObject({
  $each: z
    .array(z.union([Failing, Plain]))
    .min(1)
    .max(CAPABILITY_LIMITS.eachAnswers),
});

/** What a stubbed call answers: the value, `{$error}` to fail, `{$each}` for one answer after another. */
export const ToolStub = z.union([Failing, Each, Plain], {
  error: "must be a value, {$error: {kind, message}} or {$each: [answers]}",
});
export type ToolStub = z.infer<typeof ToolStub>;

const Stubs = z
  .record(NeedName, ToolStub)
  .refine(
    (stubs) => Object.keys(stubs).length <= CAPABILITY_LIMITS.stubs,
    `holds more than ${CAPABILITY_LIMITS.stubs}`,
  );
const Throws = z.union([z.literal(true), z.string().min(1).max(CAPABILITY_LIMITS.errorChars)]);

/** `throws`: true for any error, a text for one whose message holds it. */
export const CapabilityTest = z.union(
  [
    z.strictObject({ input: JsonValue, expect: JsonValue, tools: Stubs.exactOptional() }),
    z.strictObject({ input: JsonValue, throws: Throws, tools: Stubs.exactOptional() }),
  ],
  { error: "must be {input, expect, tools?} or {input, throws, tools?}, of bounded size" },
);
export type CapabilityTest = z.infer<typeof CapabilityTest>;

const isWellFormed = (text: string): boolean => text.isWellFormed();
const Description = z
  .string()
  .min(10, "must say what it does")
  .max(CAPABILITY_LIMITS.descriptionChars)
  .refine(isWellFormed, "holds half a character");

export const FunctionDraft = z.strictObject({
  name: CapabilityName,
  description: Description,
  input: JsonSchema,
  output: JsonSchema,
  /** A TypeScript module whose default export is `async (input) => output`. Stored as UTF-8, so it must survive that. */
  source: z.string().min(1).max(CAPABILITY_LIMITS.sourceChars).refine(isWellFormed, "holds half a character"),
  tests: z
    .array(CapabilityTest)
    .min(1)
    .max(CAPABILITY_LIMITS.tests)
    .refine((tests) => JSON.stringify(tests).length <= TESTS_CHARS, `are longer than ${TESTS_CHARS} characters`),
  needs: z.array(NeedName).max(CAPABILITY_LIMITS.needs).exactOptional(),
});
export type FunctionDraft = z.infer<typeof FunctionDraft>;

/** An inline agent as design.md 3.2 has it; its fields are the agents' to check. */
export const AgentRecord = z
  .record(z.string(), z.json())
  .refine((agent) => Object.keys(agent).length <= CAPABILITY_LIMITS.agentFields, "has too many fields")
  .refine((agent) => whyNotJson(agent, AGENT) === undefined, "is too large or nested too deeply");

export const AgentDraft = z.strictObject({ name: CapabilityName, description: Description, agent: AgentRecord });
export type AgentDraft = z.infer<typeof AgentDraft>;

export const CapabilityDraft = z.union([FunctionDraft, AgentDraft]);
export type CapabilityDraft = z.infer<typeof CapabilityDraft>;

export const isAgentDraft = (draft: CapabilityDraft): draft is AgentDraft => "agent" in draft;

/** L3. What each means is in `src/capabilities/lifecycle.ts`. */
export const CAPABILITY_STATES = ["draft", "probation", "active", "quarantined", "superseded", "retired"] as const;
export const CapabilityState = z.enum(CAPABILITY_STATES);
export type CapabilityState = z.infer<typeof CapabilityState>;

/** What put a version into quarantine decides what lets it out again. */
export const QUARANTINE_CAUSES = ["failures", "dependency", "person"] as const;
export const QuarantineCause = z.enum(QUARANTINE_CAUSES);
export type QuarantineCause = z.infer<typeof QuarantineCause>;

const Count = z.int().min(0);
const Instant = z.iso.datetime();
export const VersionNumber = z.int().min(1).max(1_000_000);

/** What real runs showed of one version. Runs of its own tests are not among them. */
export const VersionStatistics = z.strictObject({
  uses: Count,
  successes: Count,
  failures: Count,
  /** The latest outcomes, the newest last; true for a success. */
  recent: z.array(z.boolean()).max(CAPABILITY_LIMITS.recent),
  /** Of all uses together. */
  latencyMs: z.number().min(0),
  /** Against the run it was first made in. */
  tokensSaved: Count,
  lastError: z.string().max(CAPABILITY_LIMITS.errorChars).exactOptional(),
  /** Runs that used it, the latest last. */
  callers: z.array(z.string().max(200)).max(CAPABILITY_LIMITS.callers),
  lastUsedAt: Instant.exactOptional(),
  createdAt: Instant,
});
export type VersionStatistics = z.infer<typeof VersionStatistics>;

/** One version as HTTP shows it; its source has a route of its own. */
export const VersionView = z.strictObject({
  name: CapabilityName,
  version: VersionNumber,
  kind: z.enum(["function", "agent"]),
  state: CapabilityState,
  /** Why it is in this state, in a sentence. */
  why: z.string(),
  cause: QuarantineCause.exactOptional(),
  description: z.string(),
  input: JsonSchema.exactOptional(),
  output: JsonSchema.exactOptional(),
  needs: z.array(z.string()),
  tests: Count,
  /** Of the file in R2, sha-256 (L1). */
  hash: z.string().regex(/^[0-9a-f]{64}$/),
  statistics: VersionStatistics,
  links: z.record(z.string(), z.string()),
});
export type VersionView = z.infer<typeof VersionView>;

/** A capability in a list: the version that is offered, or else its newest. */
export const CapabilitySummary = z.strictObject({
  name: CapabilityName,
  kind: z.enum(["function", "agent"]),
  description: z.string(),
  state: CapabilityState,
  version: VersionNumber,
  versions: z.int().min(1),
  uses: Count,
  /** Of all its uses; absent before the first. */
  successRate: z.number().min(0).max(1).exactOptional(),
  tokensSaved: Count,
  lastUsedAt: Instant.exactOptional(),
  links: z.record(z.string(), z.string()),
});
export type CapabilitySummary = z.infer<typeof CapabilitySummary>;
