import type { CellAnswer } from "../contract/cell.ts";
import type { Failure } from "../contract/failure.ts";
import type { Budget, Usage } from "../contract/goal.ts";
import type { ModelReply } from "../contract/model.ts";
import { spentLimit } from "./budget.ts";

/** One turn as recorded: a reply or a failure, then the cell it asked for. */
export interface TurnRecord {
  turn: number;
  reply?: ModelReply;
  failure?: Failure;
  /** What the model is told when its reply had neither code nor text. */
  nudge?: string;
  cell?: { cell: number; answer?: CellAnswer };
}

export interface RunState {
  turns: TurnRecord[];
  budget: Budget;
  usage: Usage;
  elapsedMs: number;
}

/** What a run does next. A pure function of what is recorded, so a restart goes on where the record ends. */
export type NextStep =
  | { do: "model"; turn: number }
  | { do: "cell"; turn: number; cell: number; code: string }
  | { do: "end"; status: "succeeded"; from: "done" | "text"; text?: string }
  /** `partial`: the last value there was, as a preview. */
  | { do: "end"; status: "failed" | "exhausted"; failure: Failure; partial?: string };

export const NUDGE = "Your reply had neither code nor an answer. Call run_code, or answer with text.";
const MAX_NUDGES = 2;
const MAX_REFUSALS = 2; // of results that don't fit the output schema: the third ends it

export function nextStep(state: RunState): NextStep {
  const last = state.turns.at(-1);
  if (last === undefined) return affordable(state, { do: "model", turn: 1 });
  if (last.failure !== undefined) return broken(state, last.failure);
  const refused = state.turns.flatMap((turn) => refusalOf(turn) ?? []);
  if (refused.length > MAX_REFUSALS) return broken(state, { kind: "output-refused", problem: refused.at(-1)! });
  if (last.reply?.call !== undefined) {
    if (last.cell?.answer === undefined) {
      const { usage } = state;
      const cell = last.cell?.cell ?? usage.cells + 1;
      // A cell that was begun is counted already, and must not be the one too many when it is run again.
      const before = last.cell === undefined ? state : { ...state, usage: { ...usage, cells: usage.cells - 1 } };
      return affordable(before, { do: "cell", turn: last.turn, cell, code: last.reply.call.code });
    }
    if (last.cell.answer.done === true) return { do: "end", status: "succeeded", from: "done" };
    return affordable(state, { do: "model", turn: last.turn + 1 });
  }
  const text = last.reply?.text.trim() ?? "";
  if (text !== "" && last.nudge === undefined) return { do: "end", status: "succeeded", from: "text", text };
  const nudges = state.turns.filter((turn) => turn.nudge !== undefined).length;
  if (nudges > MAX_NUDGES)
    return broken(state, {
      kind: "model-malformed",
      attempts: nudges,
      reason: "its replies had neither code nor text",
    });
  return affordable(state, { do: "model", turn: last.turn + 1 });
}

/** Why the turn's result was refused, if it was: a final text as much as a value given to done(). */
const refusalOf = ({ reply, nudge, cell }: TurnRecord): string | undefined => {
  if (cell?.answer?.error?.kind === "result") return cell.answer.error.message;
  return nudge !== undefined && reply?.call === undefined && reply?.text.trim() !== "" ? nudge : undefined;
};

/** G4: checked before each model call and cell. */
function affordable(state: RunState, step: NextStep & { do: "model" | "cell" }): NextStep {
  const failure = spentLimit(state, step.do);
  if (failure === undefined) return step;
  // It ran out over a result that never fitted: that is what its parent must know.
  const refused = state.turns.length === 0 ? undefined : refusalOf(state.turns.at(-1)!);
  return broken(state, refused === undefined ? failure : { kind: "output-refused", problem: refused });
}

/** Ends with what there is. A budget that is spent, the run's own or that of the tree above it, is no failure of the work. */
function broken(state: RunState, failure: Failure): NextStep {
  const partial = state.turns.findLast((turn) => turn.cell?.answer?.value !== undefined)?.cell?.answer?.value;
  const status = failure.kind === "budget-spent" ? "exhausted" : "failed";
  return { do: "end", status, failure, ...(partial === undefined ? {} : { partial }) };
}
