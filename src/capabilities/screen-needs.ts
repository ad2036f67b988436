import type { Reason, ScreenContext, SourceFacts } from "./screen.ts";

interface Needing {
  name: string | undefined;
  needs: readonly string[];
  calls: SourceFacts["calls"];
}

/** What is wrong with what a draft needs: names unknown, out of reach, left out, or leading back to it. */
export function needProblems({ name, needs, calls }: Needing, context: ScreenContext): Reason[] {
  const reasons: Reason[] = [];
  for (const need of new Set(needs)) {
    if (need === name) continue; // a cycle, told below
    if (!context.known(need))
      reasons.push({ rule: "needs", problem: `needs: there is no "${need}". Find names with tools.search.` });
    else if (!context.granted(need))
      reasons.push({
        rule: "needs",
        problem: `needs: "${need}" is not granted to its author, so it can't be passed on.`,
      });
  }
  for (const { name: called, line } of calls)
    // What library.run runs is told by the trial, call by call: its name is the need.
    if (!needs.includes(called) && called !== "library.run")
      reasons.push({ rule: "needs", problem: `line ${line} calls "${called}", which is not in needs. Add it there.` });
  const cycle = name === undefined ? undefined : findCycle(name, needs, context.dependenciesOf);
  if (cycle !== undefined)
    reasons.push({ rule: "cycle", problem: `It would need itself: ${cycle.join(" → ")}. Drop one of these needs.` });
  return reasons;
}

/** A way from a capability back to itself through what it needs. Looks at each name once. */
export function findCycle(
  name: string,
  needs: readonly string[],
  dependenciesOf: (name: string) => readonly string[],
): string[] | undefined {
  const cameFrom = new Map<string, string>();
  const waiting: string[] = [];
  const visit = (from: string, next: readonly string[]): boolean => {
    for (const one of next) {
      if (cameFrom.has(one)) continue;
      cameFrom.set(one, from);
      if (one === name) return true;
      waiting.push(one);
    }
    return false;
  };
  let found = visit(name, needs);
  while (!found && waiting.length > 0) {
    const next = waiting.pop()!;
    found = visit(next, dependenciesOf(next));
  }
  if (!found) return undefined;
  const path = [name];
  for (let at = cameFrom.get(name)!; at !== name; at = cameFrom.get(at)!) path.unshift(at);
  return [name, ...path];
}
