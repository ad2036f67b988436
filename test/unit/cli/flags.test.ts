import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { type GoalFlags, loadGoalFlags } from "../../../src/cli/flags.ts";
import { parseStartFlags } from "../../../src/cli/start-flags.ts";

let cwd = "";
beforeAll(() => {
  cwd = mkdtempSync(join(tmpdir(), "praxis-flags-"));
  writeFileSync(join(cwd, "notes.txt"), "12");
  writeFileSync(join(cwd, "table.json"), '[{"a":1}]');
  writeFileSync(join(cwd, "inputs.json"), '{"a":"from file","b":true}');
});
afterAll(() => rmSync(cwd, { recursive: true }));

const flagsOf = (...argv: string[]): GoalFlags => {
  const parsed = loadGoalFlags(argv, cwd);
  if (!parsed.ok) throw new Error(parsed.problem);
  return parsed.value;
};
const problemOf = (...argv: string[]): string => {
  const parsed = loadGoalFlags(argv, cwd);
  return parsed.ok ? "" : parsed.problem;
};

describe("goal flags", () => {
  it("reads an inline value as JSON unless it is text", () => {
    const pairs = ["n=5", "b=true", 'o={"x":1}', "l=[1]", "t=two words", 'q="quoted"', "z=null", "e=", "x=a=b"];
    expect(flagsOf("g", ...pairs.flatMap((pair) => ["--input", pair])).inputs).toEqual({
      n: 5,
      b: true,
      o: { x: 1 },
      l: [1],
      t: "two words",
      q: '"quoted"',
      z: "null",
      e: "",
      x: "a=b",
    });
  });

  it("reads @file as text, and .json parsed", () => {
    expect(flagsOf("g", "--input", "t=@notes.txt", "--input", "j=@table.json").inputs).toEqual({
      t: "12",
      j: [{ a: 1 }],
    });
  });

  it("lets --input win over --inputs", () => {
    expect(flagsOf("g", "--input", "a=1", "--inputs", "inputs.json").inputs).toEqual({ a: 1, b: true });
  });

  it("reads budgets, one or many", () => {
    expect(flagsOf("g", "--budget", "turns=5,seconds=60", "--budget", "cost=0.5").budget).toEqual({
      turns: 5,
      seconds: 60,
      cost: 0.5,
    });
  });

  it("takes a timeout in seconds and an address without its last slash", () => {
    expect(flagsOf("g", "--timeout", "1.5", "--url", "http://localhost:9/")).toMatchObject({
      timeoutMs: 1500,
      url: "http://localhost:9",
    });
  });

  it.each([
    [[], "no goal given"],
    [["count", "words"], "in quotes"],
    [[" "], "the goal is empty"],
    [["g", "--input", "novalue"], "--input wants name=value"],
    [["g", "--input", "a=@absent.txt"], "cannot read absent.txt"],
    [["g", "--inputs", "table.json"], "must hold a JSON object"],
    [["g", "--inputs", "notes.txt"], "must hold a JSON object"],
    [["g", "--budget", "rounds=3"], "turns, tokens, cost, cells, calls, seconds"],
    [["g", "--budget", "turns=many"], "must be a number above 0"],
    [["g", "--url", "ftp://x"], "is no http(s) address"],
    [["g", "--timeout", "0"], "seconds above 0"],
    [["g", "--nonsense"], "--nonsense"],
  ])("refuses %j and says why", (argv, problem) => {
    expect(problemOf(...argv)).toContain(problem);
  });

  it("asks for help before it asks for a goal", () => {
    expect(loadGoalFlags(["--help"], cwd)).toMatchObject({ ok: false, help: true });
  });
});

describe("start flags", () => {
  it("adds loopback, the default port and no hotkeys", () => {
    expect(parseStartFlags([])).toMatchObject({
      args: ["--ip", "127.0.0.1", "--port", "8787", "--show-interactive-dev-session=false"],
      protocol: "http",
      host: "127.0.0.1",
      port: 8787,
    });
  });

  it("hands every flag on and adds no second one", () => {
    const given = [
      "--port=8911",
      "--ip",
      "0.0.0.0",
      "--persist-to",
      "/x",
      "--no-show-interactive-dev-session",
      "--minify",
    ];
    const flags = parseStartFlags(given);
    expect(flags.args).toEqual(given);
    expect(flags).toMatchObject({ port: 8911, host: "127.0.0.1" });
  });

  it("knows the variables that were given", () => {
    const flags = parseStartFlags(["--var", "A_KEY:a:b", "B:1", "--var=C:2", "--port", "1", "-e", "staging"]);
    expect([...flags.vars]).toEqual(["A_KEY", "B", "C"]);
    expect(flags.env).toBe("staging");
  });

  it("probes an IPv6 address and https where they are asked for", () => {
    expect(parseStartFlags(["--ip", "::1", "--local-protocol", "https"])).toMatchObject({
      host: "[::1]",
      protocol: "https",
    });
  });
});
