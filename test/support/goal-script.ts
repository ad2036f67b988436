import type { Step } from "./scripted-model.ts";

/**
 * A goal that carries its own script for the scripted model: what the model answers at each turn. So any number of tests
 * can share one server, in any order, and a replayed request gets the reply it got before.
 */
export const scripted = (name: string, steps: Step[]): string => `${name} <script>${JSON.stringify(steps)}</script>`;

const textOf = (content: unknown): string =>
  typeof content === "string"
    ? content
    : Array.isArray(content)
      ? content.map((block: { text?: string }) => block.text ?? "").join("\n")
      : "";

/** The step for a request: the script in its first message, at the position its past turns say. */
export function stepOf(body: { messages: { role: string; content: unknown }[] }): Step {
  const script = /<script>(.*)<\/script>/s.exec(textOf(body.messages[0]?.content))?.[1];
  if (script === undefined)
    return { status: 400, error: { type: "invalid_request_error", message: "the goal carries no script" } };
  const turn = body.messages.filter((message) => message.role === "assistant").length;
  return (
    parseScript(script)[turn] ?? {
      status: 400,
      error: { type: "invalid_request_error", message: `the script has no step ${turn}` },
    }
  );
}

/** A script inside data comes as part of a JSON text. */
function parseScript(text: string): Step[] {
  try {
    return JSON.parse(text) as Step[];
  } catch {
    return JSON.parse(JSON.parse(`"${text}"`) as string) as Step[];
  }
}
