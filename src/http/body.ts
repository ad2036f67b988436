import type { z } from "zod";
import { fail, type Failure, ok, type Result } from "../contract/failure.ts";
import { LIMITS } from "../contract/goal.ts";

/** Reads and checks a JSON body. Size is counted while reading and depth before parsing, so neither can hurt. */
export async function parseBody<T>(
  request: Request,
  schema: z.ZodType<T>,
): Promise<Result<{ value: T; text: string }>> {
  // Required, not guessed: a web page can post to loopback without asking, but not with this type.
  const type = request.headers.get("content-type") ?? "none";
  if (!/^application\/([\w.-]+\+)?json\b/i.test(type))
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
  // The schemas would drop such a key silently, and what is sent is never dropped silently.
  if (/"__proto__"\s*:/.test(text.value))
    return fail({ kind: "bad-input", field: "__proto__", problem: "is no name for a field" });
  let json: unknown;
  try {
    json = JSON.parse(text.value);
  } catch (error) {
    return fail({ kind: "not-json", problem: error instanceof Error ? error.message : "it does not parse" });
  }
  const parsed = schema.safeParse(json);
  return parsed.success ? ok({ value: parsed.data, text: text.value }) : fail(badInput(parsed.error));
}

export function badInput(error: z.ZodError): Failure {
  const issue = error.issues[0]!;
  if (issue.code === "unrecognized_keys") {
    const field = [...issue.path, issue.keys[0]].join(".");
    return { kind: "bad-input", field, problem: "is not a field of this request" };
  }
  const problem =
    issue.code === "invalid_key"
      ? `is no good name: it ${issue.issues[0]?.message ?? "is invalid"}`
      : issue.message.replace(/^Invalid input: /, "");
  return { kind: "bad-input", field: issue.path.join(".") || "body", problem };
}

async function readText(request: Request): Promise<Result<string>> {
  const tooLarge = fail({ kind: "body-too-large", limitBytes: LIMITS.bodyBytes });
  if (Number(request.headers.get("content-length") ?? 0) > LIMITS.bodyBytes) return tooLarge;
  if (request.body === null) return fail({ kind: "not-json", problem: "it is empty" });
  const chunks: Uint8Array[] = [];
  let size = 0;
  for await (const chunk of request.body) {
    size += chunk.byteLength;
    if (size > LIMITS.bodyBytes) return tooLarge;
    chunks.push(chunk);
  }
  try {
    return ok(new TextDecoder("utf-8", { fatal: true, ignoreBOM: false }).decode(await new Blob(chunks).arrayBuffer()));
  } catch {
    return fail({ kind: "not-json", problem: "it is not valid UTF-8" });
  }
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
