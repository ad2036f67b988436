import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";

const MAX_VALUES = 500_000;
const QUANTILES = [0.05, 0.25, 0.5, 0.75, 0.95];
const MAX_BINS = 100;

/** Sum without the loss of small values beside large ones (Neumaier). */
export function exactSum(values: Iterable<number>): number {
  let sum = 0;
  let lost = 0;
  for (const value of values) {
    const next = sum + value;
    lost += Math.abs(sum) >= Math.abs(value) ? sum - next + value : value - next + sum;
    sum = next;
  }
  return sum + lost;
}

/** Linear between the two nearest ranks, as spreadsheets do. `sorted` is ascending and not empty. */
export function quantile(sorted: readonly number[], q: number): number {
  const place = (sorted.length - 1) * q;
  const below = sorted[Math.floor(place)]!;
  const above = sorted[Math.ceil(place)]!;
  return below + (above - below) * (place - Math.floor(place));
}

function histogram(sorted: readonly number[], bins: number): { from: number; to: number; count: number }[] {
  const min = sorted[0]!;
  const max = sorted.at(-1)!;
  if (min === max) return [{ from: min, to: max, count: sorted.length }];
  const width = (max - min) / bins;
  const edges = Array.from({ length: bins }, (_, i) => ({
    from: min + i * width,
    to: i === bins - 1 ? max : min + (i + 1) * width,
    count: 0,
  }));
  for (const value of sorted) edges[Math.min(bins - 1, Math.floor((value - min) / width))]!.count++;
  return edges;
}

export const stats = defineTool({
  name: "data.stats",
  summary: "Describes numbers: mean, median, quantiles, spread, histogram.",
  description:
    "null is counted as missing and left out. `stddev` is of a sample (n − 1), 0 for one value. Fails as `no-values` when there are none, `out-of-range` when they are too large to be summed, `too-large` above 500,000.",
  input: z.strictObject({
    values: z.array(z.number().nullable()).describe("the numbers"),
    quantiles: z
      .array(z.number().min(0).max(1))
      .max(100)
      .optional()
      .describe("which, from 0 to 1; 0.05, 0.25, 0.5, 0.75, 0.95 when left out"),
    bins: z.int().min(1).max(MAX_BINS).optional().describe("of the histogram; by the number of values when left out"),
  }),
  output: z.object({
    count: z.number(),
    missing: z.number().describe("null values"),
    sum: z.number(),
    mean: z.number(),
    median: z.number(),
    min: z.number(),
    max: z.number(),
    stddev: z.number().describe("of a sample"),
    quantiles: z.array(z.object({ q: z.number(), value: z.number() })),
    histogram: z
      .array(z.object({ from: z.number(), to: z.number(), count: z.number() }))
      .describe("bins of equal width; a value on a border counts for the upper bin"),
  }),
  effect: "read",
  examples: [
    {
      args: { values: [1, 2, 3, 4, null], quantiles: [0.5], bins: 2 },
      result: {
        count: 4,
        missing: 1,
        sum: 10,
        mean: 2.5,
        median: 2.5,
        min: 1,
        max: 4,
        stddev: 1.2909944487358056,
        quantiles: [{ q: 0.5, value: 2.5 }],
        histogram: [
          { from: 1, to: 2.5, count: 2 },
          { from: 2.5, to: 4, count: 2 },
        ],
      },
    },
  ],
  execute: async ({ values, quantiles = QUANTILES, bins }) => {
    if (values.length > MAX_VALUES)
      throw new ToolFailure("too-large", `${values.length} values are more than ${MAX_VALUES}. Work on them in parts.`);
    const sorted = values.filter((value) => value !== null).sort((a, b) => a - b);
    if (sorted.length === 0) throw new ToolFailure("no-values", "There is no number among the values.");
    const sum = exactSum(sorted);
    const mean = sum / sorted.length;
    const squares = exactSum(sorted.map((value) => (value - mean) ** 2));
    if (!Number.isFinite(sum) || !Number.isFinite(squares))
      throw new ToolFailure("out-of-range", "The values are too large to be summed. Scale them down first.");
    return {
      count: sorted.length,
      missing: values.length - sorted.length,
      sum,
      mean,
      median: quantile(sorted, 0.5),
      min: sorted[0]!,
      max: sorted.at(-1)!,
      stddev: sorted.length === 1 ? 0 : Math.sqrt(squares / (sorted.length - 1)),
      quantiles: quantiles.map((q) => ({ q, value: quantile(sorted, q) })),
      histogram: histogram(sorted, bins ?? Math.min(20, Math.ceil(Math.log2(sorted.length)) + 1)), // Sturges
    };
  },
});
