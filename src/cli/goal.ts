import { randomUUID } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import type { StoredEvent } from "../contract/event.ts";
import type { RunView } from "../contract/goal.ts";
import { type Answer, PraxisClient, type Trouble } from "./client.ts";
import { DEFAULT_PORT, GOAL_HELP, type GoalFlags, loadGoalFlags } from "./flags.ts";
import { follow } from "./follow.ts";
import { type Interruption, interruptions } from "./interruption.ts";
import { ensureServer, isLoopback, type Server } from "./local-server.ts";
import { describeEvent, describeUsage, formatResult } from "./progress.ts";

const EXIT = { succeeded: 0, ended: 1, usage: 2, unreachable: 3 } as const;
const PATIENCE_MS = 45_000; // a frozen runtime is back after about fifteen seconds
const RETRY_MS = 500;
const CANCEL_MS = 10_000; // a server that does not end a cancelled run in this time is left to itself
const SUBMISSIONS = 3;

const parsed = loadGoalFlags(process.argv.slice(2), process.env["INIT_CWD"] ?? process.cwd());
if (parsed.ok) process.exit(await pursue(parsed.value));
if (parsed.help) process.stdout.write(GOAL_HELP);
else process.stderr.write(`praxis: ${parsed.problem}\n\n${GOAL_HELP}`);
process.exit(parsed.help ? EXIT.succeeded : EXIT.usage);

async function pursue(flags: GoalFlags): Promise<number> {
  const say = (line: string): void => void (flags.quiet || process.stderr.write(`${line}\n`));
  const interruption = interruptions();
  const url = flags.url ?? process.env["PRAXIS_URL"]?.replace(/\/$/, "") ?? `http://127.0.0.1:${DEFAULT_PORT}`;
  let server: Server | undefined;
  try {
    for (let started = 0, after = 0, id: string | undefined; started < 2; started++) {
      const ensured = await ensureServer(url, { say, signal: interruption.now });
      if (!ensured.ok) return complain(ensured.problem, EXIT.unreachable);
      server = ensured.value;
      const client = new PraxisClient({ url: server.url, key: flags.key ?? keyFor(server.url) });
      if (id === undefined) {
        const submitted = await submit(client, flags);
        if (!submitted.ok) return complainOf(submitted.trouble);
        ({ id } = submitted.value);
        say(`run ${id}`);
      }
      const outcome = await watch(client, id, { flags, say, interruption, after });
      if (outcome.kind === "finished") return report(outcome.run, flags);
      if (outcome.kind === "failed") return outcome.code;
      // The server is gone: it was another command's, which has ended. The run goes on where one runs.
      await server.stop();
      after = outcome.after;
    }
    return complain("the server went away again and again", EXIT.unreachable);
  } finally {
    await server?.stop();
  }
}

/** An answer may be lost; the key makes asking again harmless (E2). */
async function submit(client: PraxisClient, flags: GoalFlags): Promise<Answer<RunView>> {
  const { goal, inputs, session, budget } = flags;
  const request = {
    goal,
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...(session !== undefined && { session }),
    ...(budget && { budget }),
  };
  const key = randomUUID();
  for (let attempt = 1; ; attempt++) {
    const answer = await client.submit(request, key);
    if (answer.ok || answer.trouble.kind === "refused" || attempt === SUBMISSIONS) return answer;
    await sleep(RETRY_MS);
  }
}

type Watched = { kind: "finished"; run: RunView } | { kind: "failed"; code: number } | { kind: "gone"; after: number };

interface Watch {
  flags: GoalFlags;
  say(line: string): void;
  interruption: Interruption;
  after: number;
}

async function watch(client: PraxisClient, id: string, { flags, say, interruption, after }: Watch): Promise<Watched> {
  const giveUp = new AbortController();
  const timers: NodeJS.Timeout[] = [];
  const cancel = async (why: string): Promise<void> => {
    say(`${why}: cancelling`);
    timers.push(setTimeout(() => giveUp.abort(), CANCEL_MS));
    await client.cancel(id);
  };
  interruption.onFirst(() => cancel("interrupted"));
  if (flags.timeoutMs !== undefined)
    timers.push(setTimeout(() => void cancel(`no end after ${(flags.timeoutMs ?? 0) / 1000} s`), flags.timeoutMs));

  const logged = new Set<number>();
  const onEvent = (event: StoredEvent): void => {
    for (const line of describeEvent(event, logged)) say(line);
    if (event.type === "cell-logged") logged.add(event.cell);
    if (event.type === "run-waiting") void showDecisions(client, id, say);
  };
  const signal = AbortSignal.any([giveUp.signal, interruption.second]);
  let hasDropped = false;
  const onDrop = (): void => {
    if (!hasDropped) say("connection lost; waiting for the server");
    hasDropped = true;
  };
  const end = await follow(client, id, { onEvent, onDrop, signal, after, patienceMs: PATIENCE_MS, retryMs: RETRY_MS });
  for (const timer of timers) clearTimeout(timer);
  if (end.kind === "aborted") return { kind: "failed", code: complain(`left run ${id}`, EXIT.ended) };
  if (end.kind === "lost" && end.trouble.kind === "unreachable") return { kind: "gone", after: end.after };
  if (end.kind === "lost") return { kind: "failed", code: complainOf(end.trouble) };
  const view = await client.view(id);
  return view.ok ? { kind: "finished", run: view.value } : { kind: "failed", code: complainOf(view.trouble) };
}

/** Who waits for a person must say on what, and how to answer. */
async function showDecisions(client: PraxisClient, id: string, say: (line: string) => void): Promise<void> {
  const view = await client.view(id);
  for (const decision of view.ok ? (view.value.waitingOn ?? []) : []) {
    say(`  ${decision.tool}: ${decision.why}`);
    say(`  approve: ${decision.choices.approve}; reject: ${decision.choices.reject}`);
    say(`  answer with POST /v1/goals/${id}/approvals/${decision.id} {"decision": "approve" or "reject"}`);
  }
}

function report(run: RunView, flags: GoalFlags): number {
  if (flags.json) process.stdout.write(`${JSON.stringify(run)}\n`);
  else if (run.result !== undefined) process.stdout.write(`${formatResult(run.result)}\n`);
  if (flags.quiet && run.failure) process.stderr.write(`praxis: ${run.status}: ${run.failure.message}\n`);
  if (!flags.quiet) process.stderr.write(`${describeUsage(run)}\n`);
  return run.status === "succeeded" ? EXIT.succeeded : EXIT.ended;
}

/** The root key is for the server of this machine alone. */
function keyFor(url: string): string | undefined {
  return process.env["PRAXIS_KEY"] ?? (isLoopback(new URL(url).hostname) ? process.env["PRAXIS_ROOT_KEY"] : undefined);
}

function complain(problem: string, code: number): number {
  process.stderr.write(`praxis: ${problem}\n`);
  return code;
}

function complainOf(trouble: Trouble): number {
  if (trouble.kind === "unreachable") return complain(`cannot reach the server: ${trouble.reason}`, EXIT.unreachable);
  const { status, title, detail } = trouble.problem;
  const isUsage = status >= 400 && status < 500 && status !== 404 && status !== 409;
  return complain(`${title} (${status}). ${detail}`, isUsage ? EXIT.usage : EXIT.ended);
}
