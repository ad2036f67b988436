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
  if (answer.decision === "reject")
    return ok({ decision: "reject", ...(answer.note === undefined ? {} : { note: answer.note }) });
  if (asked.about === "question") return badInput("answer", "is missing: a question is answered, not approved");
  if (answer.args === undefined) return ok({ decision: "approve" });
  if (asked.about !== "approval") return badInput("args", "can't be changed for a call that was made before");
  const parsed = tools.find(({ name }) => name === asked.tool)?.input.safeParse(answer.args);
  if (parsed?.success === true) return ok({ decision: "approve", args: canonical(answer.args) });
  const issue = parsed?.error.issues[0];
  return badInput(["args", ...(issue?.path ?? [])].join("."), issue?.message ?? "do not fit");
}
