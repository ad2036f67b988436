import { describe, expect, it } from "vitest";
import { CIRCUIT_FAILURES, CIRCUIT_REST_MS, type Ended, openCircuit } from "../../../src/orchestration/circuit.ts";

const failed = (message = "broken", kind = "model-refused"): Ended => ({ failure: { kind, message }, endedAt: 1_000 });
const succeeded: Ended = { endedAt: 1_000 };
const times = (count: number, ended: Ended): Ended[] => Array.from({ length: count }, () => ended);

describe("the circuit", () => {
  it.each<[string, Ended[], number, boolean]>([
    ["is closed at first", [], 1_000, false],
    ["stays closed below the limit", times(CIRCUIT_FAILURES - 1, failed()), 1_000, false],
    ["opens at equal failures in a row", times(CIRCUIT_FAILURES, failed()), 1_000, true],
    [
      "takes failures that differ in numbers for equal",
      times(CIRCUIT_FAILURES, failed()).map((_, i) => failed(`attempt ${i}`)),
      1_000,
      true,
    ],
    [
      "stays closed for failures of several kinds",
      [failed("x", "timed-out"), ...times(CIRCUIT_FAILURES, failed())],
      1_000,
      false,
    ],
    ["is closed by a success", [succeeded, ...times(CIRCUIT_FAILURES, failed())], 1_000, false],
    ["is not opened by cancelled ones", times(20, failed("It was cancelled.", "cancelled")), 1_000, false],
    ["is not closed by cancelled ones", [failed("c", "cancelled"), ...times(CIRCUIT_FAILURES, failed())], 1_000, true],
    ["lets one more try after a rest", times(CIRCUIT_FAILURES, failed()), 1_000 + CIRCUIT_REST_MS, false],
  ])("%s", (_what, ended, now, isOpen) => {
    const failure = openCircuit("worker", ended, now);
    expect(failure?.kind).toBe(isOpen ? "circuit-open" : undefined);
    if (isOpen) expect(failure).toMatchObject({ agent: "worker", failures: CIRCUIT_FAILURES });
  });
});
