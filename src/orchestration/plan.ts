import { fail, ok, type Result } from "../contract/failure.ts";

interface Step {
  id: string;
  needs: string[];
}

/** The steps if they can be taken: each id once, every need a step, no step that waits for itself. */
export function checkPlan<T extends Step>(steps: T[]): Result<T[]> {
  const bad = (field: string, problem: string): Result<T[]> => fail({ kind: "bad-input", field, problem });
  const ids = new Set<string>();
  for (const { id } of steps) {
    if (ids.has(id)) return bad(`steps.${id}`, "is there twice; ids must differ");
    ids.add(id);
  }
  for (const { id, needs } of steps) {
    const unknown = needs.find((need) => !ids.has(need));
    if (unknown !== undefined)
      return bad(`steps.${id}.needs`, `names "${unknown}", which is no step; steps: ${[...ids].join(", ")}`);
  }
  const circle = inCircle(steps);
  if (circle !== undefined) return bad(`steps.${circle}.needs`, "leads back to the step itself");
  return ok(steps);
}

/** Takes away what can be taken, until nothing more can: what is left waits for itself. */
function inCircle(steps: readonly Step[]): string | undefined {
  let left = [...steps];
  for (;;) {
    const waiting = left.filter(({ needs }) => needs.some((need) => left.some(({ id }) => id === need)));
    if (waiting.length === left.length) return left[0]?.id;
    left = waiting;
  }
}
