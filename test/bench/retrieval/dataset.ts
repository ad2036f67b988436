import { readFileSync } from "node:fs";
import { join } from "node:path";
import { z } from "zod";

const Tools = z.array(z.object({ name: z.string().min(1), description: z.string() })).min(1);
const Goal = z.object({ query: z.string(), tool: z.string() });

export type Tool = z.infer<typeof Tools>[number];
export type SeenGoal = z.infer<typeof Goal>;

export interface Dataset {
  tools: Tool[];
  /** Goals that were served before, oldest first. */
  seen: SeenGoal[];
  /** Goals to find the tool for. */
  check: SeenGoal[];
}

/** Says which file and line is wrong, and how. */
export class DatasetError extends Error {}

export function loadDataset(folder: string): Dataset {
  const tools = parsed(Tools, readJson(read(folder, "tools.json"), "tools.json"), "tools.json");
  const names = new Set(tools.map(({ name }) => name));
  if (names.size < tools.length) throw new DatasetError("tools.json: two tools have the same name");
  const goals = (file: string): SeenGoal[] =>
    read(folder, file)
      .split("\n")
      .flatMap((line, i) => {
        if (line.trim() === "") return [];
        const place = `${file}, line ${i + 1}`;
        const goal = parsed(Goal, readJson(line, place), place);
        if (!names.has(goal.tool)) throw new DatasetError(`${place}: tools.json has no "${goal.tool}"`);
        return [goal];
      });
  const data = { tools, seen: goals("seen.jsonl"), check: goals("check.jsonl") };
  if (data.check.length === 0) throw new DatasetError("check.jsonl: no goals");
  return data;
}

function read(folder: string, file: string): string {
  try {
    return readFileSync(join(folder, file), "utf8");
  } catch (error) {
    throw new DatasetError(`cannot read ${join(folder, file)}: ${error instanceof Error ? error.message : error}`);
  }
}

function readJson(text: string, place: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new DatasetError(`${place}: ${error instanceof Error ? error.message : error}`);
  }
}

function parsed<T>(schema: z.ZodType<T>, value: unknown, place: string): T {
  const result = schema.safeParse(value);
  if (!result.success) throw new DatasetError(`${place}: ${z.prettifyError(result.error)}`);
  return result.data;
}
