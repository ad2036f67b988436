/**
 * Times tasks from outside: the clock inside workerd stands still while code runs.
 *
 * A sample is the time of a request less that of one that does nothing, divided by how often the thing was done.
 */
import type { BenchServer } from "./server.ts";
import type { Task } from "./task.ts";

/** One thing to time. `per`: how many of what is counted one request does. */
export interface Timed {
  task: Task;
  per: number;
}

const WARMUP_ROUNDS = 2;

/** Medians in milliseconds, one for each. All take their turn in every round, so that drift hits them alike. */
export async function measure(server: BenchServer, things: Timed[], rounds: number): Promise<number[]> {
  const samples: number[][] = things.map(() => []);
  for (let round = -WARMUP_ROUNDS; round < rounds; round++) {
    // Every other round backwards: none always follows a heavy one.
    const order = round % 2 === 0 ? [...things.keys()] : [...things.keys()].reverse();
    for (const index of order) {
      const { task, per } = things[index]!;
      const nothing = await time(server, { do: "nothing" });
      const ms = Math.max(0, (await time(server, task)) - nothing) / per;
      if (round >= 0) samples[index]!.push(ms);
    }
  }
  return samples.map(median);
}

async function time(server: BenchServer, task: Task): Promise<number> {
  const start = performance.now();
  await server.perform(task);
  return performance.now() - start;
}

const CHECK_MS = 100;

/** Rejects unless a wait of known length is seen as that long: no number of a clock that fails here means anything. */
export async function checkClock(server: BenchServer): Promise<void> {
  const [seen] = await measure(server, [{ task: { do: "wait", ms: CHECK_MS }, per: 1 }], 5);
  if (seen === undefined || Math.abs(seen - CHECK_MS) > CHECK_MS / 4)
    throw new Error(`the clock is off: a wait of ${CHECK_MS} ms was seen as ${seen?.toFixed(1)} ms`);
}

export function median(values: number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
