import { randomUUID } from "node:crypto";
import type { GoalRequest, RunView } from "../contract/goal.ts";
import { PraxisClient, type Trouble } from "./client.ts";
import { DEFAULT_PORT, GOAL_HELP, type GoalFlags, loadGoalFlags } from "./flags.ts";
import { interruptions } from "./interruption.ts";
import { ensureServer, isLoopback, type Server } from "./local-server.ts";
import { describeUsage, formatResult } from "./progress.ts";
import { type Seen, watch } from "./watch.ts";

const EXIT = { succeeded: 0, ended: 1, usage: 2, unreachable: 3 } as const;
const MAX_SERVERS = 3; // one that another command started ends with that command: then we start our own

const parsed = loadGoalFlags(process.argv.slice(2), process.env["INIT_CWD"] ?? process.cwd());
if (parsed.ok) process.exit(await pursue(parsed.value));
if (parsed.help) process.stdout.write(GOAL_HELP);
else process.stderr.write(`praxis: ${parsed.problem}\n\n${GOAL_HELP}`);
process.exit(parsed.help ? EXIT.succeeded : EXIT.usage);

async function pursue(flags: GoalFlags): Promise<number> {
  const say = (line: string): void => void (flags.quiet || process.stderr.write(`${line}\n`));
  const interruption = interruptions();
  const url = flags.url ?? process.env["PRAXIS_URL"]?.replace(/\/$/, "") ?? `http://127.0.0.1:${DEFAULT_PORT}`;
  const idempotencyKey = randomUUID(); // an answer may be lost: asking again makes no second run (E2)
  let seen: Seen = { after: 0, hasEnded: false };
  let id: string | undefined;
  let lastTrouble: Trouble | undefined;
  let server: Server | undefined;
  try {
    for (let servers = 0; servers < MAX_SERVERS; servers++) {
      await server?.stop();
      const ensured = await ensureServer(url, { say, signal: interruption.now });
      if (!ensured.ok) return complain(ensured.problem, interruption.now.aborted ? EXIT.ended : EXIT.unreachable);
      server = ensured.value;
      const client = new PraxisClient({ url: server.url, key: flags.key ?? keyFor(server.url) });
      if (id === undefined) {
        const submitted = await client.submit(requestOf(flags), idempotencyKey);
        if (!submitted.ok && submitted.trouble.kind === "refused") return complainOf(submitted.trouble);
        if (!submitted.ok) {
          lastTrouble = submitted.trouble;
          continue;
        }
        ({ id } = submitted.value);
        say(`run ${id}`);
      }
      const watched = await watch(client, id, { say, interruption, timeoutMs: flags.timeoutMs, seen });
      if (watched.kind === "finished") return report(watched.run, flags);
      if (watched.kind === "left") return complain(`left run ${id}, which may not have ended`, EXIT.ended);
      if (watched.kind === "refused") return complainOf(watched.trouble);
      ({ seen, trouble: lastTrouble } = watched);
    }
    return lastTrouble ? complainOf(lastTrouble) : EXIT.unreachable;
  } finally {
    await server?.stop();
  }
}

function requestOf({ goal, inputs, session, budget }: GoalFlags): GoalRequest {
  return {
    goal,
    ...(Object.keys(inputs).length > 0 && { inputs }),
    ...(session !== undefined && { session }),
    ...(budget && { budget }),
  };
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
