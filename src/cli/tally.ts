import { z } from "zod";

export interface Tally {
  passed: number;
  failed: number;
}

export const NO_TESTS: Tally = { passed: 0, failed: 0 };

export const addTallies = (a: Tally, b: Tally): Tally => ({ passed: a.passed + b.passed, failed: a.failed + b.failed });

const Report = z.object({
  numPassedTests: z.number(),
  numFailedTests: z.number(),
  testResults: z.array(z.object({ status: z.string(), assertionResults: z.array(z.unknown()) })),
});

/** Reads vitest's JSON report. A file that fails before its first test counts as one failure. Throws on other JSON. */
export function parseTally(report: string): Tally {
  const { numPassedTests, numFailedTests, testResults } = Report.parse(JSON.parse(report));
  const broken = testResults.filter((file) => file.status === "failed" && file.assertionResults.length === 0).length;
  return { passed: numPassedTests, failed: numFailedTests + broken };
}
