import type { CapabilityTest, FunctionDraft } from "../src/contract/capability.ts";
import { isJsonObject } from "../src/contract/json.ts";
import { stubbedTools } from "../src/capabilities/stub.ts";
import { type TestOutcome, whyFailed } from "../src/capabilities/verdict.ts";
import { encode } from "../src/kernel/codec.ts";
import { type DeskBackend, DeskTarget } from "../src/kernel/desk-target.ts";
import { type CallReply, CELL_LIMITS, type CellJob, type CellLimits } from "../src/kernel/job.ts";
import { emitModule } from "../src/kernel/module.ts";
import { Outcome } from "../src/kernel/outcome.ts";
import { toPlain } from "../src/kernel/plain.ts";
import type { CellRunnerApi } from "../src/kernel/runner.ts";
import { problemsOf } from "./result.ts";

/** Of one test: it has small data and no world to wait for. */
const LIMITS: CellLimits = {
  ...CELL_LIMITS,
  fuel: 30_000_000, // a tenth of a second: fifty of them may follow one another
  wallMs: 5_000,
  calls: 1_000,
  allocBytes: 64 * 1024 * 1024,
  resultChars: 512 * 1024,
};
const TRIAL_MS = 30_000; // all tests of one capability
const STARTED_AT = Date.UTC(2026, 0, 1); // its clock: a test gives the same on every day
const MAX_REASON_CHARS = 600;

export interface Trial {
  /** The file as it will be stored: what is tested is what will run (L1, L2). */
  file: string;
  /** Of the isolate. */
  id: string;
  draft: Pick<FunctionDraft, "tests" | "input" | "needs">;
}

/** Runs a capability's own tests, one after another, each in an isolate that reaches its stubs alone. Answers why they failed. */
export async function tryOut({ file, id, draft }: Trial, runner: CellRunnerApi): Promise<string[]> {
  const emitted = emitModule(file);
  if (!emitted.ok) return [`As a file it doesn't compile: ${emitted.error.message}.`];
  const end = Date.now() + TRIAL_MS;
  const failed: string[] = [];
  for (const [index, test] of draft.tests.entries()) {
    if (Date.now() > end) {
      failed.push(
        `tests.${index}: not run, for those before it took ${TRIAL_MS / 1000} s. Make them faster, or fewer.`,
      );
      break;
    }
    const why = await tryTest(test, {
      run: runOnce(runner, { id, module: emitted.value.module }),
      input: draft.input,
      needs: draft.needs ?? [],
    });
    if (why !== undefined) failed.push(`tests.${index}: ${why}`.slice(0, MAX_REASON_CHARS));
  }
  return failed;
}

type Ran = { outcome: TestOutcome; stopped?: string };

interface Trying {
  run: (input: unknown, backend: DeskBackend, seed: string) => Promise<Ran>;
  input: FunctionDraft["input"];
  needs: readonly string[];
}

async function tryTest(test: CapabilityTest, { run, input, needs }: Trying): Promise<string | undefined> {
  const desk = stubDesk(test, needs);
  const { outcome, stopped } = await run(test.input, desk.backend, JSON.stringify(test.input).slice(0, 200));
  const own = stopped ?? desk.missing() ?? whyFailed(test, outcome);
  if (own === undefined || "expect" in test) return own;
  // An input that the schema refuses never reaches the module when it is used: that is a refusal too.
  const refusal = problemsOf(test.input, input);
  return refusal.length > 0 && whyFailed(test, { ok: false, message: refusal.join("; ") }) === undefined
    ? undefined
    : own;
}

/** The tools of one test. A missing stub is remembered: the module may have caught what the call threw. */
function stubDesk(
  test: CapabilityTest,
  needs: readonly string[],
): { backend: DeskBackend; missing(): string | undefined } {
  const answer = stubbedTools(test.tools);
  let at = STARTED_AT;
  let missing: string | undefined;
  const reply = (tool: string, args: unknown): CallReply => {
    // Timers ask for it by themselves. Nobody waits: the clock goes on as if they had.
    if (tool === "time.sleep" && test.tools?.[tool] === undefined) {
      at += isJsonObject(args) && typeof args["ms"] === "number" ? Math.max(0, args["ms"]) : 0;
      return { at, ok: true, value: null };
    }
    const name = stubName(tool, args);
    const answered = answer(name);
    if (!answered.ok && (answered.error.kind === "not-stubbed" || answered.error.kind === "stub-spent"))
      missing ??= answered.error.message;
    // As when it is used: what it does not say it needs, it may not call (L4).
    if (!needs.includes(name) && !/^(time|tools)\./.test(name))
      missing ??= `it calls "${name}", which is not in its needs`;
    return { at, ...answered };
  };
  return {
    backend: { call: async (tool, args) => JSON.stringify(reply(tool, JSON.parse(args))), log: () => {} },
    missing: () => missing,
  };
}

/** `library.run(name, input)` is a call of that capability, and is stubbed by its name. */
const stubName = (tool: string, args: unknown): string =>
  tool === "library.run" && isJsonObject(args) && typeof args["name"] === "string" ? args["name"] : tool;

const runOnce =
  (runner: CellRunnerApi, code: { id: string; module: string }): Trying["run"] =>
  async (input, backend, seed) => {
    const job: CellJob = {
      fuel: LIMITS.fuel,
      startedAt: STARTED_AT,
      seed,
      variables: { input: { data: encode(input).data } },
      limits: LIMITS,
    };
    const ran = await withTimeout(() => runner.run(code, job, new DeskTarget(backend, LIMITS, new Map())));
    if (!ran.ok) return lost(ran.why);
    const parsed = Outcome.safeParse(ran.value);
    (ran.value as Partial<Disposable> | undefined)?.[Symbol.dispose]?.();
    if (!parsed.success) return lost("its isolate's answer made no sense");
    const { error, done } = parsed.data;
    // Stopped by the harness, which no test can ask for.
    if (error?.kind !== undefined) return lost(`it was stopped: ${error.message}`);
    if (error !== undefined) return { outcome: { ok: false, message: error.message } };
    return { outcome: { ok: true, value: done === undefined ? null : toPlain(done) } };
  };

const lost = (why: string): Ran => ({ outcome: { ok: false, message: why }, stopped: why });

async function withTimeout(
  run: () => Promise<unknown>,
): Promise<{ ok: true; value: unknown } | { ok: false; why: string }> {
  let timer: ReturnType<typeof setTimeout> | undefined;
  const late = new Promise<{ ok: false; why: string }>((resolve) => {
    timer = setTimeout(
      () => resolve({ ok: false, why: `it ran for more than ${LIMITS.wallMs / 1000} s` }),
      LIMITS.wallMs,
    );
  });
  try {
    return await Promise.race([run().then((value) => ({ ok: true as const, value })), late]);
  } catch (error) {
    return { ok: false, why: `its isolate ended without an answer: ${String(error).slice(0, 300)}` };
  } finally {
    clearTimeout(timer);
  }
}
