import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import type { GoalRequest } from "../contract/goal.ts";
import { reasonOf, splitPair, UsageError } from "./usage.ts";

export type Inputs = NonNullable<GoalRequest["inputs"]>;
type Json = Inputs[string];

/** What `--inputs` and `--input` give, the latter winning. Throws a UsageError. */
export function loadInputs(given: { file: string | undefined; pairs: string[] }, cwd: string): Inputs {
  const inputs: Inputs = Object.create(null);
  if (given.file !== undefined) {
    const value = parseJsonFile(given.file, loadText(given.file, cwd));
    if (typeof value !== "object" || value === null || Array.isArray(value))
      throw new UsageError(`--inputs ${given.file}: must hold a JSON object`);
    Object.assign(inputs, value);
  }
  for (const pair of given.pairs) {
    const [name, text] = splitPair("--input", pair);
    inputs[name] = text.startsWith("@") ? loadInputFile(text.slice(1), cwd) : parseInline(text);
  }
  return { ...inputs };
}

function loadInputFile(file: string, cwd: string): Json {
  const text = loadText(file, cwd);
  return file.toLowerCase().endsWith(".json") ? parseJsonFile(file, text) : text;
}

function loadText(file: string, cwd: string): string {
  try {
    return readFileSync(resolve(cwd, file), "utf8");
  } catch (error) {
    throw new UsageError(`cannot read ${file}: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

function parseJsonFile(file: string, text: string): Json {
  try {
    return JSON.parse(text) as Json; // what JSON.parse gives is JSON
  } catch (error) {
    throw new UsageError(`${file} is not JSON: ${reasonOf(error)}`, {
      cause: error,
    });
  }
}

/** `null` and quoted strings stay text: a user who writes them inline rarely means JSON. */
function parseInline(text: string): Json {
  try {
    const value = JSON.parse(text) as Json; // what JSON.parse gives is JSON
    return value === null || typeof value === "string" ? text : value;
  } catch {
    return text;
  }
}
