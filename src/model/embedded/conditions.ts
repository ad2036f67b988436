import { clauseAt, isClause, type Parsed, type Scope, type Test, TEXT_OPERATORS } from "./clause.ts";
import type { Condition } from "./condition.ts";
import type { Token } from "./tokens.ts";
import { valueAt } from "./values.ts";

/** Conditions joined by `and`, `or` and commas, from `index` on. `and` binds stronger. */
export function conditionsAt(scope: Scope, index: number): Parsed | null {
  const first = clauseAt(scope, index, null);
  return first === null ? null : joined(scope, first);
}

/** A condition that was read, and those joined to it. */
export function joined(scope: Scope, first: Parsed): Parsed {
  const alternatives: Condition[][] = [[first.condition]];
  let next = first.next;
  for (;;) {
    const joint = jointAt(scope.tokens, next);
    if (joint === null) break;
    const group = alternatives.at(-1) ?? [];
    const previous = lastTest(group.at(-1));
    const clause = clauseAt(scope, joint.next, previous);
    if (clause !== null) {
      if (joint.word === "or") alternatives.push([clause.condition]);
      else group.push(clause.condition);
      next = clause.next;
      continue;
    }
    const value = previous === null ? null : valueAt(scope.tokens, joint.next, (at) => isClause(scope, at));
    if (value === null || previous === null || !["is", ...TEXT_OPERATORS].includes(previous.operator)) break;
    if (joint.word === "and" && previous.operator !== "is") group.push({ ...previous, values: [value.value] });
    else previous.values.push(value.value);
    next = value.next;
  }
  const all = alternatives.map((group) =>
    group.length === 1 && group[0] ? group[0] : ({ kind: "and", of: group } as const),
  );
  return { condition: all.length === 1 && all[0] ? all[0] : { kind: "or", of: all }, next };
}

const lastTest = (condition: Condition | undefined): Test | null => {
  if (condition?.kind === "not") return lastTest(condition.of);
  return condition?.kind === "test" ? condition : null;
};

function jointAt(tokens: readonly Token[], index: number): { word: "and" | "or" | ","; next: number } | null {
  const words = [tokens[index], tokens[index + 1]].map((token) =>
    token?.kind === "quoted" ? "" : (token?.lower ?? ""),
  );
  const [first = "", second = ""] = words;
  if (first === "," && (second === "and" || second === "or" || second === "but"))
    return { word: second === "or" ? "or" : "and", next: index + 2 };
  if (first === "and" || first === "but" || first === "&") return { word: "and", next: index + 1 };
  return first === "or" || first === "," ? { word: first, next: index + 1 } : null;
}
