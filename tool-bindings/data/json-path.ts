import { ToolFailure } from "../define.ts";

const MAX_SHOWN = 20;
const STEP = /\.?(?<name>[^.[\]"']{1,1000})|\[(?<index>\d{1,10})\]|\[(?<quoted>"(?:[^"\\]|\\.){0,1000}")\]/y;

/** The steps of a JSON Pointer (`/items/0/name`) or a path (`items[0].name`). Empty: the whole. */
function stepsOf(path: string): string[] {
  if (path === "" || path === "$") return [];
  if (path.startsWith("/"))
    return path
      .slice(1)
      .split("/")
      .map((step) => step.replaceAll("~1", "/").replaceAll("~0", "~"));
  const steps: string[] = [];
  for (let at = path.startsWith("$") ? 1 : 0; at < path.length; at = STEP.lastIndex) {
    STEP.lastIndex = at;
    const groups = STEP.exec(path)?.groups;
    if (groups === undefined)
      throw new ToolFailure(
        "bad-path",
        `Can't read the path at character ${at + 1}. Write items[0].name or the JSON Pointer /items/0/name.`,
      );
    steps.push(groups["name"] ?? groups["index"] ?? (JSON.parse(groups["quoted"]!) as string));
  }
  return steps;
}

const isObject = (value: unknown): value is Record<string, unknown> => typeof value === "object" && value !== null;

/** The value at a path, or `no-such-path` with what there is instead. */
export function valueAt(value: unknown, path: string): unknown {
  let here = value;
  const walked: string[] = [];
  for (const step of stepsOf(path)) {
    if (!isObject(here) || !Object.hasOwn(here, step) || (Array.isArray(here) && step === "length")) {
      const known = isObject(here) ? Object.keys(here).slice(0, MAX_SHOWN) : [];
      const place = walked.length === 0 ? "at the top" : `in "${walked.join(".").slice(-100)}"`;
      const what = Array.isArray(here)
        ? `It is a list of ${here.length}.`
        : known.length > 0
          ? `Known: ${known.map((name) => name.slice(0, 60)).join(", ")}.`
          : "There is no object.";
      throw new ToolFailure("no-such-path", `There is no "${step.slice(0, 60)}" ${place}. ${what}`);
    }
    here = here[step];
    walked.push(step);
  }
  return here;
}
