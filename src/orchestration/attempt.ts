import type { Failure } from "../contract/failure.ts";

/** How a subtask is to be tried. */
export interface AttemptPlan {
  /** Tries after a failure. */
  retry: number;
  hasFallback: boolean;
  quorum?: { agree: number; of: number } | undefined;
}

/** One try: an agent. `answer` is canonical JSON, so that equal answers are equal texts. */
export interface Attempt {
  by: "definition" | "fallback";
  outcome?: { answer: string } | { failure: Failure };
}

export type AfterAttempts =
  | { do: "start"; by: Attempt["by"]; count: number }
  | { do: "wait" }
  /** The attempt whose answer counts. */
  | { do: "succeed"; attempt: number }
  /** `attempt`: the last one that failed, for what it had. */
  | { do: "fail"; failure: Failure; attempt: number };

/** Trying again would end the same way, or nobody wants it any more. */
const FINAL = new Set<Failure["kind"]>([
  "cancelled",
  "circuit-open",
  "model-unauthorized",
  "model-misconfigured",
  "no-recipe",
]);

/** What a subtask does next. Pure: the same attempts always lead to the same step. */
export function afterAttempts(plan: AttemptPlan, attempts: readonly Attempt[]): AfterAttempts {
  const wanted = plan.quorum ?? { agree: 1, of: 1 };
  const own = attempts.filter(({ by }) => by === "definition");
  if (own.length === 0) return { do: "start", by: "definition", count: wanted.of };

  const winner = equalAnswers(attempts).find(({ by, at }) => by === "fallback" || at.length >= wanted.agree);
  if (winner !== undefined) return { do: "succeed", attempt: winner.at[0]! };

  const open = attempts.filter(({ outcome }) => outcome === undefined).length;
  const failed = own.filter(({ outcome }) => outcome !== undefined && "failure" in outcome);
  const isHopeless = failed.some(({ outcome }) => FINAL.has(failureOf(outcome)!.kind));
  const triesLeft = isHopeless ? 0 : Math.max(0, wanted.of + plan.retry - own.length);
  const lacking = Math.min(failed.length - (own.length - wanted.of), triesLeft);
  if (lacking > 0) return { do: "start", by: "definition", count: lacking };
  if (open > 0) return { do: "wait" };

  const isUnwanted = failed.some(({ outcome }) => failureOf(outcome)!.kind === "cancelled");
  if (plan.hasFallback && !isUnwanted && !attempts.some(({ by }) => by === "fallback"))
    return { do: "start", by: "fallback", count: 1 };
  const last = attempts.findLastIndex(({ outcome }) => failureOf(outcome) !== undefined);
  const failure = last < 0 ? undefined : failureOf(attempts[last]!.outcome);
  if (plan.quorum !== undefined && !isUnwanted) {
    const most = Math.max(0, ...equalAnswers(own).map(({ at }) => at.length));
    if (most > 0 || failure === undefined)
      return { do: "fail", failure: { kind: "no-quorum", ...plan.quorum, most }, attempt: attempts.length - 1 };
  }
  // Without a quorum the definition's one answer would have won, so something failed.
  return { do: "fail", failure: failure!, attempt: last };
}

const failureOf = (outcome: Attempt["outcome"]): Failure | undefined =>
  outcome !== undefined && "failure" in outcome ? outcome.failure : undefined;

/** Answers with the attempts that gave them, in order of the first. */
function equalAnswers(attempts: readonly Attempt[]): { by: Attempt["by"]; at: number[] }[] {
  const groups = new Map<string, { by: Attempt["by"]; at: number[] }>();
  attempts.forEach(({ by, outcome }, index) => {
    if (outcome === undefined || !("answer" in outcome)) return;
    const key = `${by} ${outcome.answer}`;
    const group = groups.get(key) ?? { by, at: [] };
    group.at.push(index);
    groups.set(key, group);
  });
  return [...groups.values()];
}
