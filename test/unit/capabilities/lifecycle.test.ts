import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  CAPABILITY_STATES,
  type CapabilityState,
  QUARANTINE_CAUSES,
  type VersionStatistics,
} from "../../../src/contract/capability.ts";
import {
  applyDecision,
  chooseVersion,
  type Decision,
  isOffered,
  type LifecycleContext,
  nextState,
  type Order,
  planRollback,
  THRESHOLDS,
  type VersionRecord,
} from "../../../src/capabilities/lifecycle.ts";
import { noStatistics, recordUse } from "../../../src/capabilities/statistics.ts";

const NOW = Date.parse("2026-11-18T12:00:00.000Z");
const daysAgo = (days: number): string => new Date(NOW - days * 86_400_000).toISOString();

/** Outcomes as text: `+` a success, `-` a failure. */
const used = (outcomes: string, { lastUsed = 0, created = 1 } = {}): VersionStatistics =>
  [...outcomes].reduce(
    (statistics, outcome, index) =>
      recordUse(statistics, {
        succeeded: outcome === "+",
        latencyMs: 10,
        tokensSaved: 100,
        caller: `main.${index}`,
        at: daysAgo(lastUsed),
      }),
    noStatistics(daysAgo(created)),
  );

it("one run that calls it in a loop is one witness: it stays on probation", () => {
  const statistics = { ...used("++++++++"), callers: ["main.1"] };
  const version = { version: 1, state: "probation" as const, testsPassed: true, since: daysAgo(1), statistics };
  expect(nextState(version, { now: NOW, dependencies: [], siblings: [] }).state).toBe("probation");
});

interface Case extends Partial<Omit<VersionRecord, "statistics">>, Partial<Omit<LifecycleContext, "now">> {
  /** Outcomes. */
  uses?: string;
  lastUsed?: number;
  created?: number;
}

const next = (state: CapabilityState, given: Case = {}): Decision => {
  const { uses = "", lastUsed, created, dependencies = [], siblings = [], order, ...version } = given;
  const times = { ...(lastUsed !== undefined && { lastUsed }), ...(created !== undefined && { created }) };
  return nextState(
    { version: 2, testsPassed: true, since: daysAgo(created ?? 1), ...version, state, statistics: used(uses, times) },
    { now: NOW, dependencies, siblings, ...(order && { order }) },
  );
};

type Row = [fact: string, from: CapabilityState, given: Case, to: CapabilityState];
const goes = (rows: Row[]): void => {
  it.each(rows)("%s", (_, from, given, to) => {
    const decision = next(from, given);
    expect(decision.state).toBe(to);
    expect(decision.why === "").toBe(from === to);
    expect(decision.cause !== undefined).toBe(to === "quarantined");
  });
};

const ok = "+".repeat(THRESHOLDS.successesToActivate);
const failing = "-".repeat(THRESHOLDS.failuresInARow);
const active = (version: number) => ({ version, state: "active" as const });
const down = (state: CapabilityState | "missing") => ({ dependencies: [{ name: "other", state }] });

describe("L2, L3: a draft", () => {
  goes([
    ["goes on probation when its tests passed", "draft", {}, "probation"],
    ["stays until its tests passed", "draft", { testsPassed: false }, "draft"],
    ["stays without passed tests whatever its record", "draft", { testsPassed: false, uses: ok }, "draft"],
    ["is not promoted by a person without passed tests", "draft", { testsPassed: false, order: "promote" }, "draft"],
    ["is promoted by a person once they passed", "draft", { order: "promote" }, "active"],
    ["is retired when nobody mended it", "draft", { testsPassed: false, created: 15 }, "retired"],
    ["is kept while it is young", "draft", { testsPassed: false, created: 13 }, "draft"],
    ["is retired by a person", "draft", { testsPassed: false, order: "retire" }, "retired"],
    ["is not quarantined: nobody is offered it", "draft", { testsPassed: false, ...down("retired") }, "draft"],
  ]);
});

describe("L3: a version on probation", () => {
  goes([
    ["becomes active by successes", "probation", { uses: ok }, "active"],
    ["stays with one success too few", "probation", { uses: ok.slice(1) }, "probation"],
    ["stays unused", "probation", {}, "probation"],
    ["becomes active with a rate that is just enough", "probation", { uses: "-+++-+++++" }, "active"],
    ["becomes active with a failure among many successes", "probation", { uses: `-${ok}` }, "active"],
    ["stays below the rate", "probation", { uses: "-+++-++" }, "probation"],
    ["is quarantined by failures in a row", "probation", { uses: `++${failing}` }, "quarantined"],
    ["is quarantined by its failure rate", "probation", { uses: "-+-+-+" }, "quarantined"],
    ["is not judged by a rate of few", "probation", { uses: "-+-+" }, "probation"],
    ["is quarantined with what it needs", "probation", { uses: ok, ...down("quarantined") }, "quarantined"],
    ["gives way to a newer active version", "probation", { siblings: [active(3)] }, "superseded"],
    ["stays beside an older active version", "probation", { siblings: [active(1)] }, "probation"],
    ["stays beside a newer draft", "probation", { siblings: [{ version: 3, state: "draft" }] }, "probation"],
    ["is retired by disuse", "probation", { created: 91 }, "retired"],
    ["is promoted by a person", "probation", { order: "promote" }, "active"],
    ["is retired by a person", "probation", { uses: ok, order: "retire" }, "retired"],
    ["is withdrawn by a rollback", "probation", { uses: ok, order: "withdraw" }, "quarantined"],
    ["is not restored: it is there", "probation", { order: "restore" }, "probation"],
  ]);
});

describe("L3: an active version", () => {
  goes([
    ["stays active", "active", { uses: ok }, "active"],
    ["stays with failures now and then", "active", { uses: "+++-+++-+++-++" }, "active"],
    ["stays with two failures in a row", "active", { uses: `${ok}${ok}--` }, "active"],
    [
      "is quarantined by failures in a row, whatever it did before",
      "active",
      { uses: `${ok.repeat(20)}${failing}` },
      "quarantined",
    ],
    [
      "is quarantined by the rate of its recent uses",
      "active",
      { uses: `${ok.repeat(20)}${"+--".repeat(6)}` },
      "quarantined",
    ],
    ["is not judged by old failures", "active", { uses: `${"-".repeat(50)}${"+".repeat(20)}` }, "active"],
    ["is quarantined with a quarantined dependency", "active", down("quarantined"), "quarantined"],
    ["is quarantined with a retired dependency", "active", down("retired"), "quarantined"],
    ["is quarantined with a dependency that is gone", "active", down("missing"), "quarantined"],
    ["stays with a dependency on probation", "active", down("probation"), "active"],
    ["stays with a superseded dependency: another version serves", "active", down("superseded"), "active"],
    ["is superseded by a newer active version", "active", { siblings: [active(3)] }, "superseded"],
    ["is not superseded by an older one", "active", { siblings: [active(1)] }, "active"],
    [
      "is not superseded by a newer one on probation",
      "active",
      { siblings: [{ version: 3, state: "probation" }] },
      "active",
    ],
    ["is quarantined rather than superseded", "active", { uses: failing, siblings: [active(3)] }, "quarantined"],
    ["is retired by disuse", "active", { uses: "+", lastUsed: 90, created: 200 }, "retired"],
    ["stays when it was used lately, however old", "active", { uses: "+", lastUsed: 89, created: 900 }, "active"],
    ["is retired by a person", "active", { uses: ok, order: "retire" }, "retired"],
    ["is withdrawn by a rollback", "active", { uses: ok, order: "withdraw" }, "quarantined"],
    ["is not promoted further", "active", { order: "promote" }, "active"],
    ["obeys its record when the order changes nothing", "active", { order: "promote", uses: failing }, "quarantined"],
  ]);
});

describe("L3: a quarantined version", () => {
  goes([
    ["stays, for failures", "quarantined", { cause: "failures", uses: failing }, "quarantined"],
    [
      "stays, for failures, also when the successes outweigh",
      "quarantined",
      { cause: "failures", uses: `${failing}${ok}` },
      "quarantined",
    ],
    [
      "stays while what it needs is down",
      "quarantined",
      { cause: "dependency", ...down("quarantined") },
      "quarantined",
    ],
    [
      "comes back on probation when what it needs works again",
      "quarantined",
      { cause: "dependency", ...down("active") },
      "probation",
    ],
    ["stays when a person took it back", "quarantined", { cause: "person" }, "quarantined"],
    ["comes back when a person promotes it", "quarantined", { cause: "failures", order: "promote" }, "active"],
    [
      "does not come back without passed tests",
      "quarantined",
      { cause: "failures", testsPassed: false, order: "promote" },
      "quarantined",
    ],
    ["is retired by disuse", "quarantined", { cause: "failures", created: 91 }, "retired"],
    ["is retired by a person", "quarantined", { cause: "failures", order: "retire" }, "retired"],
    ["is not restored by a rollback", "quarantined", { cause: "failures", order: "restore" }, "quarantined"],
    ["is not withdrawn again", "quarantined", { cause: "failures", order: "withdraw" }, "quarantined"],
    [
      "stays so beside a newer active version",
      "quarantined",
      { cause: "failures", siblings: [active(3)] },
      "quarantined",
    ],
  ]);
});

describe("L3: a superseded version", () => {
  goes([
    ["stays", "superseded", { uses: ok, siblings: [active(3)] }, "superseded"],
    [
      "stays by itself when its successor fails",
      "superseded",
      { uses: ok, siblings: [{ version: 3, state: "quarantined" }] },
      "superseded",
    ],
    ["is restored by a rollback", "superseded", { uses: ok, order: "restore" }, "active"],
    ["is promoted by a person", "superseded", { order: "promote" }, "active"],
    [
      "is not promoted past a newer active version",
      "superseded",
      { order: "promote", siblings: [active(3)] },
      "superseded",
    ],
    ["is not restored without passed tests", "superseded", { testsPassed: false, order: "restore" }, "superseded"],
    ["is retired by disuse", "superseded", { created: 91 }, "retired"],
    ["is retired by a person", "superseded", { order: "retire" }, "retired"],
    ["is not withdrawn: it isn't offered", "superseded", { order: "withdraw" }, "superseded"],
  ]);
});

describe("L3: a retired version", () => {
  goes([
    ["stays", "retired", { uses: ok }, "retired"],
    ["stays however long", "retired", { created: 900 }, "retired"],
    ["stays with what it needs down", "retired", down("missing"), "retired"],
    ["stays beside a newer active version", "retired", { siblings: [active(3)] }, "retired"],
    ["is not retired again", "retired", { order: "retire" }, "retired"],
    ["is not restored by a rollback", "retired", { order: "restore" }, "retired"],
    ["comes back when a person promotes it", "retired", { order: "promote" }, "active"],
    ["does not come back without passed tests", "retired", { testsPassed: false, order: "promote" }, "retired"],
  ]);
});

describe("the reasons", () => {
  it.each<[CapabilityState, Case, string]>([
    ["probation", { uses: `-${ok}` }, "It succeeded in 5 of 6 uses."],
    ["active", { uses: failing }, "It failed 3 times in a row."],
    ["active", { uses: "-+-+-+" }, "It failed 3 of its last 6 uses."],
    ["active", down("retired"), "It needs other, which is retired."],
    ["active", { siblings: [active(7)] }, "Version 7 took its place."],
    ["active", { created: 91 }, "Nobody used it for 90 days."],
  ])("from %s", (from, given, why) => {
    expect(next(from, given).why).toBe(why);
  });
});

const state = fc.constantFrom(...CAPABILITY_STATES);
const anyCase = fc.record({
  from: state,
  order: fc.constantFrom<(Order | undefined)[]>("promote", "retire", "withdraw", "restore", undefined),
  uses: fc.string({ unit: fc.constantFrom("+", "-"), maxLength: 30 }),
  sibling: state,
  dependency: state,
  cause: fc.constantFrom(...QUARANTINE_CAUSES),
  created: fc.constantFrom(0, 20, 100),
});

it("L2: whatever is known of it, a version whose tests did not pass never comes on offer", () => {
  fc.assert(
    fc.property(anyCase, ({ from, order, uses, sibling, dependency, cause, created }) => {
      fc.pre(!isOffered(from));
      const decision = next(from, {
        testsPassed: false,
        uses,
        created,
        siblings: [{ version: 3, state: sibling }],
        ...down(dependency),
        ...(order && { order }),
        ...(from === "quarantined" && { cause }),
      });
      expect(isOffered(decision.state)).toBe(false);
    }),
    { numRuns: 2_000, seed: 6 },
  );
});

it("settles: no version goes round in circles", () => {
  fc.assert(
    fc.property(anyCase, ({ from, order, uses, sibling, dependency, cause, created }) => {
      const context: LifecycleContext = {
        now: NOW,
        siblings: [{ version: 3, state: sibling }],
        dependencies: [{ name: "other", state: dependency }],
      };
      let version: VersionRecord = {
        version: 2,
        state: from,
        testsPassed: true,
        since: daysAgo(created),
        statistics: used(uses, { created, lastUsed: created }),
        ...(from === "quarantined" && { cause }),
      };
      version = applyDecision(version, nextState(version, { ...context, ...(order && { order }) }), NOW);
      for (let step = 0; step < 4; step++) version = applyDecision(version, nextState(version, context), NOW);
      expect(applyDecision(version, nextState(version, context), NOW)).toBe(version);
    }),
    { numRuns: 2_000, seed: 6 },
  );
});

describe("a version that a person brings back", () => {
  const bringBack = (state: CapabilityState, uses: string, created: number): VersionRecord => {
    const before: VersionRecord = {
      version: 2,
      state,
      testsPassed: true,
      since: daysAgo(created),
      statistics: used(uses, { created, lastUsed: created }),
      ...(state === "quarantined" && { cause: "failures" as const }),
    };
    const context = { now: NOW, siblings: [], dependencies: [] };
    const back = applyDecision(before, nextState(before, { ...context, order: "promote" }), NOW);
    return applyDecision(back, nextState(back, context), NOW);
  };

  it("is not quarantined again for what it did before", () => {
    const back = bringBack("quarantined", `${ok}${failing}`, 1);
    expect(back).toMatchObject({
      state: "active",
      since: daysAgo(0),
      statistics: { uses: 8, failures: 3, recent: [] },
    });
    expect(back.cause).toBeUndefined();
  });

  it("is not retired again for the time it was away", () => {
    expect(bringBack("retired", ok, 400).state).toBe("active");
  });
});

describe("the version a run gets", () => {
  const of = (...states: CapabilityState[]) => states.map((state, i) => ({ version: i + 1, state }));
  it.each<[string, CapabilityState[], number, number | undefined]>([
    ["the active one", ["superseded", "active"], 0, 2],
    ["the canary, within its share", ["active", "probation"], 0.19, 2],
    ["the active one, beyond it", ["active", "probation"], 0.2, 1],
    ["the newest canary", ["active", "probation", "probation"], 0, 3],
    ["no canary that is older than the active one", ["probation", "active"], 0, 2],
    ["one on probation when none is active", ["quarantined", "probation"], 0.99, 2],
    ["the newest of two active ones", ["active", "active"], 0.5, 2],
    ["none of a draft", ["draft"], 0, undefined],
    [
      "none of quarantined, superseded and retired ones",
      ["quarantined", "superseded", "retired", "draft"],
      0,
      undefined,
    ],
    ["none of none", [], 0, undefined],
  ])("is %s", (_, states, roll, version) => {
    expect(chooseVersion(of(...states), roll)?.version).toBe(version);
  });

  it("is the canary for its share of the rolls", () => {
    const rolls = Array.from({ length: 1_000 }, (_, i) => chooseVersion(of("active", "probation"), i / 1_000)?.version);
    expect(rolls.filter((version) => version === 2).length).toBe(1_000 * THRESHOLDS.canaryShare);
  });

  it("is offered in two states alone", () => {
    expect(CAPABILITY_STATES.filter(isOffered)).toEqual(["probation", "active"]);
  });
});

describe("a version that mends a quarantined one", () => {
  const [broken, mended] = [
    { version: 1, state: "quarantined" as const },
    { version: 2, state: "probation" as const },
  ];

  it("goes on probation when its tests passed, and every run gets it at once", () => {
    expect(next("draft", { version: 2, siblings: [broken] })).toMatchObject({ state: "probation" });
    for (const roll of [0, 0.5, 0.99]) expect(chooseVersion([broken, mended], roll)).toBe(mended);
  });

  it("becomes active by its own successes, and leaves the broken one where it is", () => {
    expect(next("probation", { version: 2, uses: ok, siblings: [broken] })).toMatchObject({ state: "active" });
    expect(next("quarantined", { version: 1, uses: failing, cause: "failures", siblings: [active(2)] })).toMatchObject({
      state: "quarantined",
    });
  });
});

describe("a rollback", () => {
  const of = (...states: CapabilityState[]) => states.map((state, i) => ({ version: i + 1, state, testsPassed: true }));

  it("goes to the newest version that was superseded", () => {
    expect(planRollback(of("superseded", "superseded", "retired", "active"))).toEqual({ withdraw: 4, restore: 2 });
    expect(planRollback(of("superseded", "probation"))).toEqual({ withdraw: 2, restore: 1 });
  });

  it("goes to the one that was asked for, if it was superseded", () => {
    const versions = of("superseded", "superseded", "retired", "active");
    expect(planRollback(versions, 1)).toEqual({ withdraw: 4, restore: 1 });
    for (const to of [3, 4, 5]) expect(planRollback(versions, to)).toBeUndefined();
  });

  it("withdraws nobody when what took over is in quarantine", () => {
    expect(planRollback(of("superseded", "quarantined"))).toEqual({ restore: 1 });
    expect(planRollback(of("quarantined", "superseded"))).toBeUndefined();
  });

  it("is not to be had without one", () => {
    for (const versions of [of("active"), of("retired", "active"), of("quarantined", "active"), of("superseded"), of()])
      expect(planRollback(versions)).toBeUndefined();
    expect(
      planRollback([{ version: 1, state: "superseded", testsPassed: false }, ...of("draft", "active").slice(1)]),
    ).toBeUndefined();
  });

  it("holds: neither of the two goes back by itself", () => {
    const withdrawn = next("active", { version: 2, uses: ok, order: "withdraw" });
    const restored = next("superseded", { version: 1, uses: ok, order: "restore" });
    const siblings = [{ version: 2, state: withdrawn.state }];
    expect(next(restored.state, { version: 1, uses: ok, siblings }).state).toBe("active");
    expect(next(withdrawn.state, { version: 2, uses: ok, cause: withdrawn.cause!, siblings: [active(1)] }).state).toBe(
      "quarantined",
    );
  });
});

describe("statistics", () => {
  it("count what happened and keep the latest", () => {
    let statistics = noStatistics(daysAgo(1));
    for (let i = 0; i < 30; i++)
      statistics = recordUse(statistics, {
        succeeded: i % 3 > 0,
        latencyMs: 5,
        tokensSaved: 10,
        caller: `run.${i % 25}`,
        at: daysAgo(0),
        ...(i % 3 === 0 && { error: `e${i}${"x".repeat(3_000)}` }),
      });
    expect(statistics).toMatchObject({
      uses: 30,
      successes: 20,
      failures: 10,
      latencyMs: 150,
      tokensSaved: 200,
      lastUsedAt: daysAgo(0),
    });
    expect(statistics.recent).toHaveLength(20);
    expect(statistics.lastError).toMatch(/^e27x/);
    expect(statistics.lastError).toHaveLength(2_000);
    expect(statistics.callers).toHaveLength(20);
    expect(statistics.callers.at(-1)).toBe("run.4");
  });
});
