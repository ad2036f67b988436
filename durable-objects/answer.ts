import { fail, ok, type Result } from "../src/contract/failure.ts";
import type { DecisionAnswer } from "../src/contract/goal.ts";
import type { Decision } from "../src/orchestration/decision.ts";
import { canonical } from "../src/orchestration/journal.ts";
import type { AnyTool } from "../tool-bindings/define.ts";
import type { DecisionRow } from "./decision-store.ts";

/** What an answer means for what was asked, or what is wrong with it. */
export function readAnswer(asked: DecisionRow, answer: DecisionAnswer, tools: readonly AnyTool[]): Result<Decision> {
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
