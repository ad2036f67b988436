import { describe, expect, it } from "vitest";
import { parseTally } from "../../../src/cli/tally.ts";
import { parseUpload } from "../../../src/cli/upload.ts";

describe("a test report", () => {
  const file = (status: string, tests: number) => ({
    status,
    assertionResults: Array.from({ length: tests }, () => ({})),
  });

  it("counts tests, and a file that broke before its first one as a failure", () => {
    const testResults = [file("passed", 3), file("failed", 2), file("failed", 0)];
    expect(parseTally(JSON.stringify({ numPassedTests: 4, numFailedTests: 1, testResults }))).toEqual({
      passed: 4,
      failed: 2,
    });
  });

  it("is not taken from other JSON", () => {
    expect(() => parseTally("{}")).toThrow("numPassedTests");
  });
});

describe("an upload's size", () => {
  it("is read in one unit", () => {
    expect(parseUpload("x\nTotal Upload: 1.50 MiB / gzip: 71.03 KiB\n")).toEqual({ rawKiB: 1536, gzipKiB: 71.03 });
  });

  it("is unknown when the build said nothing", () => {
    expect(parseUpload("error")).toBeUndefined();
  });
});
