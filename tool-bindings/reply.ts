import type { CallReply } from "../src/kernel/job.ts";
import type { Decision } from "../src/orchestration/decision.ts";
import { ToolFailure } from "./define.ts";

/** The replies of the desk, as the text that is recorded and sent. */
const replyText = (reply: CallReply): string => JSON.stringify(reply);

export const success = (value: unknown): string => replyText({ ok: true, value: value ?? null, at: Date.now() });

export const refusal = (kind: string, message: string): string =>
  replyText({ ok: false, error: { kind, message }, at: Date.now() });

export function failureOf(tool: string, error: unknown): string {
  if (!(error instanceof ToolFailure))
    return refusal("tool-broken", `${tool} broke: ${error instanceof Error ? error.message : String(error)}`);
  const { kind, message, data } = error;
  return replyText({ ok: false, error: { kind, message, ...(data === undefined ? {} : { data }) }, at: Date.now() });
}

type Declined = Exclude<Decision, { decision: "approve" | "answer" }>;

/** What the cell is told when a person did not answer a question. */
export function unanswered(decision: Declined): string {
  if (decision.decision === "expired")
    return refusal(
      "call-expired",
      "Nobody answered the question in time. Go on without an answer, or end with what there is.",
    );
  const note = decision.note === undefined ? "" : `: ${decision.note}`;
  return refusal("call-rejected", `A person chose not to answer${note}.`);
}

/** What the cell is told when a person did not let a call go on. */
export function declined(tool: string, decision: Declined): string {
  if (decision.decision === "expired")
    return refusal("call-expired", `Nobody answered in time whether ${tool} may be called. It was not.`);
  const note = decision.note === undefined ? "" : `: ${decision.note}`;
  return refusal("call-rejected", `A person decided against ${tool}${note}.`);
}
