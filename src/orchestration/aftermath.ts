import type { CellView } from "../contract/cell.ts";
import type { LessonView } from "../contract/library.ts";
import type { RunStatus } from "../contract/goal.ts";

/** A run that has ended, as what follows from it is decided by. */
export interface EndedRun {
  goal: string;
  status: RunStatus;
  failure?: { kind: string; message: string };
  turns: number;
  /** The model's tokens, all told. */
  tokens: number;
  cells: Pick<CellView, "cell" | "code" | "status" | "answer">[];
  /** Tools its cells called, and capabilities among them. */
  tools: string[];
  /** Whether it ended by done() in a cell. */
  isByCode: boolean;
  model: string | undefined;
}

const GOAL_CHARS = 120;
const MAX_TOOLS = 5;

/** What a run teaches, in a line: what worked, or what failed and how it was mended. Nothing when nobody decided anything in it. */
export function lessonOf(run: EndedRun): Pick<LessonView, "text" | "goal" | "outcome" | "kind"> | undefined {
  if (run.status === "cancelled" || run.cells.length === 0) return undefined;
  const goal = run.goal.slice(0, GOAL_CHARS).replace(/\s+/g, " ");
  const about = `"${goal}"`;
  const first = run.cells.find(({ answer }) => answer?.error !== undefined)?.answer?.error;
  const with_ = run.tools.length === 0 ? "plain code" : [...new Set(run.tools)].slice(0, MAX_TOOLS).join(", ");
  if (run.status !== "succeeded") {
    const why = run.failure?.message ?? first?.message ?? "no reason is known";
    return { text: `${about} ${run.status}: ${why}`, goal: run.goal, outcome: "failed", kind: "failed" };
  }
  if (first !== undefined)
    return {
      text: `${about}: ${first.kind} error "${first.message.slice(0, 80)}" first; worked with ${with_}.`,
      goal: run.goal,
      outcome: "succeeded",
      kind: "mended",
    };
  return {
    text: `${about} worked with ${with_} in ${run.turns} ${run.turns === 1 ? "turn" : "turns"}.`,
    goal: run.goal,
    outcome: "succeeded",
    kind: "worked",
  };
}

/** From so many turns on a use of what was made saves something: a run of fewer is as cheap as its reuse. */
export const DISTIL_TURNS = 3;
/** And from so many tokens on: making a capability costs about as much. */
export const DISTIL_TOKENS = 8_000;
const MAX_CODE_CHARS = 24_000; // of the cells shown to the model that generalises them: about 6K tokens

/** Whether it is worth asking if the run would serve again. */
export function isWorthDistilling(run: EndedRun, hasRule: boolean): boolean {
  if (run.status !== "succeeded" || !run.isByCode) return false;
  if (run.tools.some((tool) => tool === "library.run" || !tool.includes("."))) return false; // it reused something
  if (codeOf(run) === undefined) return false;
  return hasRule || (run.turns >= DISTIL_TURNS && run.tokens >= DISTIL_TOKENS);
}

/** The code that worked, in order; undefined when there is none or too much of it. */
export function codeOf({ cells }: EndedRun): string | undefined {
  const code = cells.filter(({ status }) => status === "succeeded").map(({ code: text }) => text);
  const all = code.join("\n\n// next cell\n");
  return code.length === 0 || all.length > MAX_CODE_CHARS ? undefined : all;
}
