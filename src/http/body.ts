import type { z } from "zod";
import { fail, type Failure, ok, type Result } from "../contract/failure.ts";
import { LIMITS } from "../contract/goal.ts";
import { readStrictJson } from "../contract/strict-json.ts";

/** Reads and checks a JSON body. Size is counted while reading and depth before parsing, so neither can hurt. */
export async function parseBody<T>(
  request: Request,
  schema: z.ZodType<T>,
): Promise<Result<{ value: T; text: string }>> {
  // Required, not guessed: a web page can post to loopback without asking, but not with this type.
  const type = request.headers.get("content-type") ?? "none";
  if (!/^application\/json\s*(;\s*charset="?utf-8"?\s*)?$/i.test(type))
    return fail({
      kind: "bad-input",
      field: "Content-Type",
      problem: `must be application/json, not ${type.slice(0, 80)}`,
    });
  const text = await readText(request);
  if (!text.ok) return text;
  const depth = depthOf(text.value);
  if (depth > LIMITS.jsonDepth)
    return fail({ kind: "bad-input", field: "body", problem: `is nested deeper than ${LIMITS.jsonDepth} levels` });
  let json: unknown;
  try {
    json = parseJson(text.value);
    if (json === HAS_PROTO) return fail({ kind: "bad-input", field: "__proto__", problem: "is no name for a field" });
  } catch (error) {
    return fail({ kind: "not-json", problem: error instanceof Error ? error.message : "it does not parse" });
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? ok({ value: parsed.data, text: text.value }) : fail(badInput(parsed.error));
}

/** As `parseBody`, for what others will review: a text that can be read in two ways (a key that comes twice) is refused. */
export async function parseStrictBody<T>(request: Request, schema: z.ZodType<T>): Promise<Result<{ value: T }>> {
  const body = await parseBody(request, schema);
  if (!body.ok) return body;
  const read = readStrictJson(body.value.text, { depth: LIMITS.jsonDepth, chars: LIMITS.bodyBytes });
  return read.ok ? body : fail({ kind: "bad-input", field: "body", problem: read.problem });
}

/** As `parseBody`, where nothing sent means `{}`. */
export async function parseOptionalBody<T>(request: Request, schema: z.ZodType<T>): Promise<Result<{ value: T }>> {
  if (request.body !== null && request.headers.get("content-length") !== "0") return parseBody(request, schema);
  const parsed = schema.safeParse({});
  return parsed.success ? ok({ value: parsed.data }) : fail(badInput(parsed.error));
}

const HAS_PROTO = Symbol("__proto__");

/** The schemas would drop a key called `__proto__` silently, and what is sent is never dropped silently. */
function parseJson(text: string): unknown {
  // Only where the text can hold one: looking at every key of every body would cost more than parsing it.
  if (!/__proto__|\\u005f/i.test(text)) return JSON.parse(text);
  let found = false;
  const json: unknown = JSON.parse(text, (key, value: unknown) => {
    found ||= key === "__proto__";
    return value;
  });
  return found ? HAS_PROTO : json;
}

export function badInput(error: z.ZodError): Failure {
  const issue = likeliest(error.issues);
  if (issue.code === "unrecognized_keys") {
    const field = [...issue.path, issue.keys[0]].join(".");
    return { kind: "bad-input", field, problem: "is not a field of this request" };
  }
  return { kind: "bad-input", field: issue.path.join(".") || "body", problem: problemOf(issue) };
}

/** Of several forms the one that fits best is the one that was meant: what is wrong with that is said. */
function likeliest(issues: z.core.$ZodIssue[]): z.core.$ZodIssue {
  const issue = issues[0]!;
  if (issue.code !== "invalid_union" || issue.errors.length === 0) return issue;
  const best = issue.errors.reduce((least, other) => (other.length < least.length ? other : least));
  const inner = likeliest(best);
  return { ...inner, path: [...issue.path, ...inner.path] };
}

/** In words for people, where the schema library speaks of types. */
function problemOf(issue: z.core.$ZodIssue): string {
  if (issue.code === "invalid_key") return `is no good name: it ${issue.issues[0]?.message ?? "is invalid"}`;
  if (issue.code !== "invalid_type") return issue.message.replace(/^Invalid (input|option): /, "");
  if (issue.input === undefined && issue.message.endsWith("undefined")) return "is missing";
  const expected =
    { record: "an object", object: "an object", int: "a whole number", string: "text" }[issue.expected as string] ??
    `a ${issue.expected}`;
  return `must be ${expected}`;
}

async function readText(request: Request): Promise<Result<string>> {
  const bytes = await readBytes(request, LIMITS.bodyBytes);
  if (!bytes.ok) return bytes;
  if (bytes.value === undefined) return fail({ kind: "not-json", problem: "it is empty" });
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(bytes.value));
  } catch {
    return fail({ kind: "not-json", problem: "it is not valid UTF-8" });
  }
}

/** Counts while it reads; undefined when there is no body. */
export async function readBytes(request: Request, limitBytes: number): Promise<Result<Uint8Array | undefined>> {
  const tooLarge = fail({ kind: "body-too-large", limitBytes });
  if (Number(request.headers.get("content-length") ?? 0) > limitBytes) return tooLarge;
  if (request.body === null) return ok(undefined);
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > limitBytes) return tooLarge;
    chunks.push(chunk);
  }
  return ok(new Uint8Array(await new Blob(chunks).arrayBuffer()));
}

/** The deepest nesting of a JSON text, without parsing it. */
function depthOf(text: string): number {
  let depth = 0;
  let deepest = 0;
  let inString = false;
  for (let i = 0; i < text.length; i++) {
    const char = text.charCodeAt(i);
    if (inString) {
      if (char === 92) i++;
      else if (char === 34) inString = false;
    } else if (char === 34) inString = true;
    else if (char === 91 || char === 123) deepest = Math.max(deepest, ++depth);
    else if (char === 93 || char === 125) depth--;
  }
  return deepest;
}
