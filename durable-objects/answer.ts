import { fail, ok, type Result } from "../src/contract/failure.ts";
import { type DecisionAnswer, isEnded } from "../src/contract/goal.ts";
import { type Decision, sameDecision } from "../src/orchestration/decision.ts";
import { canonical } from "../src/orchestration/journal.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import type { DecisionRow } from "./decision-store.ts";
import type { RunRow } from "./run-store.ts";

/** What an answer changes, if it does: the same twice is one, and another comes too late. */
export function judge(
  asked: DecisionRow,
  answer: DecisionAnswer,
  { tools, run }: { tools: readonly AnyTool[]; run: Pick<RunRow, "id" | "status"> },
): Result<Decision | "known"> {
  const read = readAnswer(asked, answer, tools);
  if (!read.ok) return read;
  const { id, decision } = asked;
  if (decision !== undefined && !sameDecision(decision, read.value))
    return fail({ kind: "already-decided", id, decision: decision.decision });
  // Said again with "for the rest of the run", it says more than before.
  if (decision !== undefined && (!isForRun(answer) || isEnded(run.status))) return ok("known");
  return isEnded(run.status) ? fail({ kind: "already-ended", id: run.id, status: run.status }) : read;
}

/** What an answer means for what was asked, or what is wrong with it. */
function readAnswer(asked: DecisionRow, answer: DecisionAnswer, tools: readonly AnyTool[]): Result<Decision> {
  if (answer.digest !== undefined && answer.digest !== asked.digest)
    return fail({ kind: "stale-decision", id: asked.id, digest: asked.digest });
  const badInput = (field: string, problem: string): Result<Decision> => fail({ kind: "bad-input", field, problem });
  if ("answer" in answer) {
    if (asked.about !== "question")
      return badInput("answer", "is for questions; this is a call to approve or reject with decision");
    if (asked.options !== undefined && !asked.options.includes(answer.answer))
      return badInput("answer", `must be one of: ${asked.options.join(", ")}`);
    return ok({ decision: "answer", answer: answer.answer });
  }
  const forgetting = rememberProblem(asked, answer);
  if (forgetting !== undefined) return badInput("remember", forgetting);
  if (answer.decision === "reject")
    return ok({ decision: "reject", ...(answer.note === undefined ? {} : { note: answer.note }) });
  if (asked.about === "question") return badInput("answer", "is missing: a question is answered, not approved");
  if (answer.args === undefined) return ok({ decision: "approve" });
  if (asked.about === "interrupted-call") return badInput("args", "can't be changed for a call that was made before");
  const parsed = tools.find(({ name }) => name === asked.tool)?.input.safeParse(answer.args);
  if (parsed?.success === true) return ok({ decision: "approve", args: canonical(answer.args) });
  const issue = parsed?.error.issues[0];
  return badInput(["args", ...(issue?.path ?? [])].join("."), issue?.message ?? "do not fit");
}

/** What an answer says about further calls can't be taken back: it must mean something. */
function rememberProblem(
  asked: DecisionRow,
  answer: Extract<DecisionAnswer, { decision: string }>,
): string | undefined {
  if (answer.remember === undefined) return undefined;
  if (answer.decision === "reject") return "goes with approve only: a rejection is for this call";
  if (asked.about === "always") return `is not possible: each call of ${asked.tool} needs a decision of its own`;
  if (asked.about === "interrupted-call")
    return "is not possible: each call that was interrupted needs a decision of its own";
  return undefined;
}

/** Whether an answer that was read without a problem is for the rest of the run. */
export const isForRun = (answer: DecisionAnswer): boolean => "remember" in answer && answer.remember === "run";
