import { readFileSync } from "node:fs";
import { parseArgs } from "node:util";
import type { Budget } from "../contract/goal.ts";
import { type Inputs, loadInputs } from "./inputs.ts";
import { reasonOf, splitPair, UsageError } from "./usage.ts";

export const DEFAULT_PORT = 8787;

export const GOAL_HELP = `npm run goal -- "count the words" [flags]      the goal is read from stdin when it is -

  --input name=value    a variable for the run; JSON when it reads as an object, array, number, true or false
  --input name=@file    the same from a file: .json is parsed, all else is text
  --inputs file.json    an object of inputs
  --session name        run in this session; its variables stay
  --budget turns=5      limits: turns, tokens, cost, cells, calls, seconds; may be given several times
  --url http://...      the server (default PRAXIS_URL, else http://127.0.0.1:${DEFAULT_PORT}); one is started when none answers
  --key K               the API key (default PRAXIS_KEY, which other users of this machine cannot see)
  --timeout s           cancel the run after so many seconds
  --json                print the finished run as one JSON object
  --quiet               no progress, only the result
  --help

Exit code: 0 succeeded; 1 failed, cancelled or exhausted; 2 wrong usage; 3 no server.
`;

export interface GoalFlags {
  goal: string;
  inputs: Inputs;
  session?: string;
  budget?: Budget;
  url?: string;
  key?: string;
  timeoutMs?: number;
  json: boolean;
  quiet: boolean;
}

export type Parsed<T> = { ok: true; value: T } | { ok: false; help: boolean; problem: string };

const BUDGET_NAMES = ["turns", "tokens", "cost", "cells", "calls", "seconds"] as const satisfies (keyof Budget)[];

/** Files are looked up from `cwd`: where the user was, not where npm went. */
export function loadGoalFlags(argv: string[], cwd: string): Parsed<GoalFlags> {
  try {
    const { values, positionals } = readArgs(argv);
    if (values.help === true) return { ok: false, help: true, problem: "" };
    if (positionals.length !== 1 || positionals[0] === undefined)
      throw new UsageError(
        positionals.length === 0 ? "no goal given" : `one goal, please, in quotes; got ${positionals.length} words`,
      );
    const goal = positionals[0] === "-" ? readFileSync(0, "utf8").trim() : positionals[0];
    if (goal.trim() === "") throw new UsageError("the goal is empty");
    return {
      ok: true,
      value: {
        goal,
        inputs: loadInputs({ file: values.inputs, pairs: values.input ?? [] }, cwd),
        json: values.json === true,
        quiet: values.quiet === true,
        ...(values.session !== undefined && { session: values.session }),
        ...(values.budget && { budget: parseBudget(values.budget) }),
        ...(values.url !== undefined && { url: parseUrl(values.url) }),
        ...(values.key !== undefined && { key: values.key }),
        ...(values.timeout !== undefined && { timeoutMs: parseSeconds(values.timeout) * 1000 }),
      },
    };
  } catch (error) {
    if (error instanceof UsageError) return { ok: false, help: false, problem: error.message };
    throw error;
  }
}

function readArgs(argv: string[]) {
  try {
    return parseArgs({
      args: argv,
      allowPositionals: true,
      options: {
        input: { type: "string", multiple: true },
        inputs: { type: "string" },
        session: { type: "string" },
        budget: { type: "string", multiple: true },
        url: { type: "string" },
        key: { type: "string" },
        timeout: { type: "string" },
        json: { type: "boolean" },
        quiet: { type: "boolean" },
        help: { type: "boolean", short: "h" },
      },
    });
  } catch (error) {
    throw new UsageError(reasonOf(error), { cause: error });
  }
}

function parseBudget(pairs: string[]): Budget {
  const budget: Budget = {};
  for (const pair of pairs.flatMap((text) => text.split(","))) {
    const [given, text] = splitPair("--budget", pair);
    const name = BUDGET_NAMES.find((known) => known === given);
    if (name === undefined) throw new UsageError(`--budget knows ${BUDGET_NAMES.join(", ")}, not "${given}"`);
    const value = Number(text);
    if (text.trim() === "" || !(value > 0)) throw new UsageError(`--budget ${name} must be a number above 0`);
    budget[name] = value;
  }
  return budget;
}

function parseUrl(text: string): string {
  const url = URL.parse(text);
  if (url === null || !/^https?:$/.test(url.protocol)) throw new UsageError(`--url "${text}" is no http(s) address`);
  return url.href.replace(/\/$/, "");
}

function parseSeconds(text: string): number {
  const seconds = Number(text);
  if (text.trim() === "" || !(seconds > 0)) throw new UsageError(`--timeout wants seconds above 0, not "${text}"`);
  return seconds;
}
