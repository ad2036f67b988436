import type { CellAnswer } from "../contract/cell.ts";
import type { StoredEvent } from "../contract/event.ts";
import type { RunView } from "../contract/goal.ts";

const MAX_VALUE_CHARS = 500; // a preview beside the code, not the result
const INDENT = "    ";

/** The lines that show an event. `logged`: cells whose logs were shown as they came. */
export function describeEvent(event: StoredEvent, logged: ReadonlySet<number>): string[] {
  switch (event.type) {
    case "run-queued":
      return [];
    case "run-started":
      return ["started"];
    case "run-resumed":
      return [`resumed: ${clean(event.reason)}`];
    case "run-waiting":
      return [`waiting: ${clean(event.on)}`];
    case "model-called":
      return [`turn ${event.turn}: asking the ${event.tier} model`];
    case "model-retried":
      return [
        `turn ${event.turn}: attempt ${event.attempt} failed (${clean(event.reason)}), again in ${seconds(event.delayMs)}`,
      ];
    case "model-replied":
      return [`turn ${event.turn}: ${clean(event.model)} answered`, ...indent(event.text)];
    case "cell-started":
      return [`cell ${event.cell}:`, ...indent(event.code)];
    case "cell-logged":
      return indent(event.text, "  | ");
    case "cell-finished":
      return describeAnswer(event.cell, event.answer, logged.has(event.cell));
    case "plan-written":
      return [
        `plan ${event.revision}: ${event.steps.map(({ id, agent, needs }) => `${id} (${agent})${needs.length > 0 ? ` after ${needs.join(", ")}` : ""}`).join("; ")}`,
      ];
    case "agent-started":
      return [`${agent(event)} started (${event.tier}: ${clean(event.reason)})`];
    case "agent-waiting":
      return [`${agent(event)} waits: ${clean(event.on)}`];
    case "agent-escalated":
      return [`an agent asks for help: ${clean(event.need)} (${clean(event.decision)})`];
    case "agent-ended":
      return [`${agent(event)} ${event.status}${event.failure ? `: ${clean(event.failure.message)}` : ""}`];
    case "circuit-opened":
      return [clean(event.reason)];
    case "run-ended":
      return [event.failure ? `${event.status}: ${clean(event.failure.message)}` : event.status];
  }
}

const agent = ({ name, agent: id }: { name: string; agent: string }): string =>
  `agent ${clean(name)} ${id.split(".").slice(2).join(".").slice(-8)}`;

function describeAnswer(cell: number, answer: CellAnswer, isLogged: boolean): string[] {
  const logs = isLogged ? [] : (answer.logs ?? []).flatMap((text) => indent(text, "  | "));
  const unsaved = (answer.unsaved ?? []).map(({ name, reason }) => `  not kept: ${clean(name)} (${clean(reason)})`);
  if (answer.error) {
    const { kind, line, message } = answer.error;
    return [...logs, `cell ${cell} failed (${kind}${line === undefined ? "" : `, line ${line}`}): ${clean(message)}`];
  }
  const value = answer.value === undefined ? [] : indent(shorten(answer.value), "  = ");
  return [...logs, ...value, ...unsaved];
}

/** What a run took: `1,204 + 96 tokens · $0.0021 · 2 turns · 1 cell · 3.4 s`. */
export function describeUsage({ usage, createdAt, endedAt }: RunView): string {
  const read = usage.input + usage.cacheRead + usage.cacheWrite;
  const ms = endedAt === undefined ? undefined : Date.parse(endedAt) - Date.parse(createdAt);
  return [
    `${count(read)} + ${count(usage.output)} tokens${usage.cacheRead > 0 ? ` (${count(usage.cacheRead)} from cache)` : ""}`,
    usage.costUsd === null ? "cost unknown" : `$${usage.costUsd.toFixed(usage.costUsd < 1 ? 4 : 2)}`,
    plural(usage.turns, "turn"),
    plural(usage.cells, "cell"),
    ...(ms === undefined ? [] : [seconds(ms)]),
  ].join(" · ");
}

/** A result for stdout: text as it is, all else as JSON. */
export const formatResult = (result: unknown): string =>
  typeof result === "string" ? result : JSON.stringify(result, null, 2);

/** A model's words may hold sequences that drive a terminal: they are shown, not obeyed. */
// oxlint-disable-next-line no-control-regex -- control characters are what this removes
const clean = (text: string): string => text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");

const indent = (text: string, prefix = INDENT): string[] =>
  text.trim() === ""
    ? []
    : clean(text)
        .trimEnd()
        .split("\n")
        .map((line) => prefix + line);

const shorten = (text: string): string =>
  text.length > MAX_VALUE_CHARS ? `${text.slice(0, MAX_VALUE_CHARS)}… (${count(text.length)} characters)` : text;

const count = (value: number): string => value.toLocaleString("en-US");
const plural = (value: number, noun: string): string => `${count(value)} ${noun}${value === 1 ? "" : "s"}`;
const seconds = (ms: number): string => `${(ms / 1000).toFixed(1)} s`;
