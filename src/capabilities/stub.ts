import type { ToolStub } from "../contract/capability.ts";
import { isJsonObject, type Json } from "../contract/json.ts";

export type StubAnswer = { ok: true; value: Json } | { ok: false; error: { kind: string; message: string } };

/**
 * The tools of one test: each call is answered by its stub. A call that no stub is for fails, and so does one after the
 * last of `$each`: a test reaches nothing but what it says itself.
 */
export function stubbedTools(stubs: Readonly<Record<string, ToolStub>> = {}): (tool: string) => StubAnswer {
  const calls = new Map<string, number>();
  return (tool) => {
    const stub = (Object.hasOwn(stubs, tool) ? stubs[tool] : undefined) as Json | undefined; // all of its forms are
    if (stub === undefined)
      return failing("not-stubbed", `The test has no stub for ${tool}. Add it: tools: { "${tool}": answer }.`);
    const count = calls.get(tool) ?? 0;
    calls.set(tool, count + 1);
    const answers = isJsonObject(stub) && Array.isArray(stub["$each"]) ? stub["$each"] : undefined;
    if (answers === undefined) return answerOf(stub);
    const answer = answers[count];
    return answer === undefined
      ? failing("stub-spent", `The stub of ${tool} has ${answers.length} answers, and this is call ${count + 1}.`)
      : answerOf(answer);
  };
}

const failing = (kind: string, message: string): StubAnswer => ({ ok: false, error: { kind, message } });

const answerOf = (stub: Json): StubAnswer => {
  const error = isJsonObject(stub) ? stub["$error"] : undefined;
  // Parsed by `ToolStub`: an error has a kind and a message.
  return isJsonObject(error) ? failing(String(error["kind"]), String(error["message"])) : { ok: true, value: stub };
};
