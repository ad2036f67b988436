/**
 * Whatever a program of cells does, and wherever its object is reset: it ends as it would have in one go, and its calls
 * have the effects they declare (J1 to J6, K4).
 */
import * as fc from "fast-check";
import { afterEach, expect, it, vi } from "vitest";
import type { RunView } from "../../src/contract/goal.ts";
import { executions, goOn, type Point, replied, stopAt } from "../support/effect-tools.ts";
import { scripted } from "../support/goal-script.ts";
import { decide, recordedKeys, reset, waitForHalt } from "../support/interruption.ts";
import { begin, get, submit } from "../support/runs.ts";

const EFFECT = fc.constantFrom("read", "idempotent", "once");
const EXPRESSION = fc.oneof(
  fc.integer({ min: -5, max: 99 }).map(String),
  fc.constantFrom(`"text"`, "n", "weigh(list)", "[n, map.size]", "[...map.values()].at(-1) ?? null", "twice(n)"),
);
const WORK = fc.oneof(
  fc.record({ do: fc.constant("assign" as const), value: EXPRESSION }),
  fc.record({ do: fc.constant("push" as const), value: EXPRESSION }),
  fc.record({ do: fc.constant("map" as const), value: EXPRESSION }),
  fc.record({ do: fc.constant("function" as const), value: EXPRESSION }),
  fc.record({ do: fc.constantFrom("fail" as const, "unknown" as const, "timer" as const, "throw" as const) }),
);
const CALLS = fc.oneof(
  fc.record({ do: fc.constant("call" as const), effect: EFFECT, value: EXPRESSION }),
  fc.record({ do: fc.constant("caught" as const), effect: EFFECT, value: EXPRESSION }),
  fc.record({ do: fc.constant("dice" as const), effect: EFFECT }),
  fc.record({ do: fc.constant("loop" as const), effect: EFFECT, times: fc.integer({ min: 1, max: 3 }) }),
  fc.record({ do: fc.constant("race" as const), winner: EFFECT, loser: EFFECT, value: EXPRESSION }),
  fc.record({
    do: fc.constant("parallel" as const),
    arms: fc.array(fc.record({ first: EFFECT, second: EFFECT }), { minLength: 2, maxLength: 3 }),
  }),
);
type Work = typeof WORK extends fc.Arbitrary<infer T> ? T : never;
type Calls = typeof CALLS extends fc.Arbitrary<infer T> ? T : never;

/** `id` tells the statement's labels and variables from those of all others. */
function render(statement: Work | Calls, id: string): string {
  switch (statement.do) {
    case "assign":
      return `n = weigh([n, ${statement.value}]);`;
    case "push":
      return `list.push(${statement.value});`;
    case "map":
      return `map.set("${id}", ${statement.value});`;
    case "function":
      return `function f${id}(x: unknown) { return [x, twice(n)]; } list.push(f${id}(${statement.value}));`;
    case "fail":
      return `list.push(await tools.test.fail({ kind: "${id}" }).catch((error) => error.kind));`;
    case "unknown":
      return `list.push(await tools.no.such({ id: "${id}" }).catch((error) => error.kind));`;
    case "timer":
      return `await new Promise((resolve) => setTimeout(resolve, 1));`;
    case "throw":
      return `if (list.length % 2 === 0) throw new Error("${id}");`;
    case "call":
      return `const v${id} = await call("${statement.effect}", "${id}", ${statement.value}); list.push(v${id});`;
    case "caught":
      return `try { list.push(await call("${statement.effect}", "${id}", ${statement.value})); null.x; } catch (error) { map.set("${id}", error.name); }`;
    case "dice":
      return `const d${id} = [Math.random(), Date.now()]; list.push(weigh(await call("${statement.effect}", "${id}", d${id})) === weigh(d${id}));`;
    case "loop":
      return `for (let i = 0; i < ${statement.times}; i++) list.push(await call("${statement.effect}", "${id}-" + i, [i, n]));`;
    case "race":
      return `map.set("${id}", await Promise.race([
        call("${statement.winner}", "${id}-won", ${statement.value}), call("${statement.loser}", "${id}-lost", "lost", "${id}-won")]));`;
    case "parallel":
      // Each arm's first reply comes after the arm before it: the order in which they push is part of the result.
      return `map.set("${id}", await Promise.all([${statement.arms
        .map(
          (arm, i) => `(async () => {
        list.push(await call("${arm.first}", "${id}-${i}", ${i}${i === 0 ? "" : `, "${id}-${i - 1}"`}));
        return call("${arm.second}", "${id}-${i}-then", list.length);
      })()`,
        )
        .join(", ")}]));`;
  }
}

const PRELUDE = `
let n = 1;
const list: unknown[] = [];
const map = new Map<string, unknown>();
const twice = (x: number) => 2 * x;
function weigh(x: unknown): number { return [...JSON.stringify(x)].reduce((sum, c) => (sum * 31 + c.charCodeAt(0)) % 9973, 7); }
async function call(effect: string, label: string, value: unknown, after?: string) {
  try { return await tools.call("test." + effect, { label: at + label, value, ...(after === undefined ? {} : { after: at + after }) }); }
  catch (error) { if (error.kind !== "call-rejected") throw error; return value; }
}`;
const PROGRAM = fc
  .array(
    fc.array(fc.oneof({ arbitrary: WORK, weight: 2 }, { arbitrary: CALLS, weight: 3 }), { minLength: 1, maxLength: 5 }),
    {
      minLength: 1,
      maxLength: 3,
    },
  )
  .map((cells) => [
    PRELUDE,
    ...cells.map((cell, c) => cell.map((statement, s) => render(statement, `${c}${"abcde"[s]}`)).join("\n")),
    "done({ n, list, map });",
  ]);
const POINT: fc.Arbitrary<Point> = fc.oneof(
  fc.record({ effect: fc.integer({ min: 1, max: 8 }) }),
  fc.record({ reply: fc.integer({ min: 1, max: 8 }) }),
);

interface Ending {
  status: string;
  result: unknown;
  variables: Record<string, unknown>;
  /** Label of each call that was executed → its keys. A call has one key, however often it was executed. */
  calls: Record<string, string[]>;
}

async function endingOf({ id, status, result }: RunView, at: string): Promise<Ending> {
  const list = await get<{ items: { name: string }[] }>(`/v1/goals/${id}/variables`);
  const variables: Record<string, unknown> = {};
  for (const { name } of list.items)
    if (name !== "at") variables[name] = (await get<{ value: unknown }>(`/v1/goals/${id}/variables/${name}`)).value;
  for (const name of Object.keys(variables)) if (/^d\d/.test(name)) variables[name] = "dice";
  const calls: Record<string, string[]> = {};
  for (const { key } of executionsOf(id)) {
    const label = `${/test\.\w+/.exec(key)![0]} ${labelOf(key).replace(at, "")}`;
    calls[label] = [...new Set([...(calls[label] ?? []), key])];
  }
  return { status, result, variables, calls };
}

const executionsOf = (id: string) => executions.filter(({ key }) => key.includes(`:${id}:`));
const labelOf = (key: string): string => /"label":"([^"]*)"/.exec(key)![1]!;

/** Runs the program with a reset at each of the points that it comes to. Says how often each call was approved. */
async function runInterrupted(
  request: { goal: string; more: object },
  points: Point[],
  answers: boolean[],
): Promise<{ run: RunView; approvals: Map<string, number>; resets: number }> {
  const approvals = new Map<string, number>();
  let answered = 0;
  let resets = 0;
  let isReached = points.length === 0 ? () => false : stopAt(points[0]!);
  const id = await begin(request.goal, request.more);
  for (;;) {
    let run: RunView | undefined;
    await vi.waitUntil(
      async () => {
        if (isReached()) return true;
        run = await get<RunView>(`/v1/goals/${id}`);
        return run.status !== "running" && run.status !== "queued";
      },
      { interval: 5, timeout: 20_000 },
    );
    if (run === undefined || isReached()) {
      await recordedKeys(id); // what has a reply is on disk
      await reset();
      const next = points[++resets];
      isReached = next === undefined ? () => false : stopAt(next);
    } else if (run.status !== "waiting") return { run, approvals, resets };
    else
      for (const pending of (await waitForHalt(id)).waitingOn ?? []) {
        const { label, after } = pending.args as { label: string; after?: string };
        // A rejected call answers at once: one that has to come after another would come before it.
        const isApproved = after !== undefined || answers[answered++ % answers.length]!;
        if (isApproved) approvals.set(label, (approvals.get(label) ?? 0) + 1);
        else replied.add(label);
        const response = await decide(id, pending.id, { decision: isApproved ? "approve" : "reject" });
        if (!response.ok) throw new Error(`${pending.id} was not decided: ${await response.text()}`);
      }
  }
}

afterEach(goOn);
let programs = 0;

it("a program ends the same in one go and with its object reset after any call", { timeout: 120_000 }, async () => {
  let resets = 0;
  await fc.assert(
    fc.asyncProperty(
      PROGRAM,
      fc.array(POINT, { minLength: 1, maxLength: 3 }),
      fc.array(fc.boolean(), { minLength: 1, maxLength: 4 }),
      async (cells, points, answers) => {
        const request = (at: string) => ({
          goal: scripted(
            at,
            cells.map((code) => ({ code })),
          ),
          more: { inputs: { at } },
        });
        const [one, other] = [`one-${++programs}-`, `other-${programs}-`];
        goOn();
        const whole = request(one);
        const expected = await endingOf(await submit(whole.goal, whole.more), one);
        const interrupted = await runInterrupted(request(other), points, answers);
        resets += interrupted.resets;
        const actual = await endingOf(interrupted.run, other);

        expect(expected.status).toBe("succeeded");
        expect(actual.status).toBe("succeeded");
        expect(actual.result).toEqual(expected.result);
        expect(actual.variables).toEqual(expected.variables);
        expect(Object.keys(actual.calls).sort()).toEqual(Object.keys(expected.calls).sort());
        for (const [label, keys] of Object.entries(actual.calls)) expect(keys, label).toHaveLength(1);
        for (const { key } of executionsOf(interrupted.run.id).filter(({ key: k }) => k.includes("test.once"))) {
          const times = executionsOf(interrupted.run.id).filter((execution) => execution.key === key).length;
          expect(times, key).toBeLessThanOrEqual(1 + (interrupted.approvals.get(labelOf(key)) ?? 0));
        }
      },
    ),
    { numRuns: 60, endOnFailure: true },
  );
  expect(resets).toBeGreaterThan(10); // or it has shown nothing
});
