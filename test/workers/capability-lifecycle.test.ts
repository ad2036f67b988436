import { env, runDurableObjectAlarm, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { rowOf } from "../../durable-objects/capability-gate.ts";
import { CapabilityStore } from "../../durable-objects/capability-store.ts";
import type { CapabilityState } from "../../src/contract/capability.ts";
import {
  convert,
  openLibrary,
  rate,
  saved,
  type TestLibrary,
  totals,
  use,
  useOf,
} from "../support/capability-drafts.ts";

const NAME = "total-by-customer";
const GOAL = "what did each customer spend on orders";
const first = { name: NAME, version: 1 };
const second = { name: NAME, version: 2 };
const better = totals({ description: "Adds up the amounts of orders by customer, with care." });

const statesOf = async (library: TestLibrary, name = NAME): Promise<CapabilityState[]> => {
  const versions = await library.versions(name);
  return versions.ok ? versions.value.map(({ state }) => state) : [];
};
const stateOf = async (library: TestLibrary, name: string): Promise<CapabilityState | undefined> => {
  const view = await library.get(name);
  return view.ok ? view.value.state : undefined;
};

describe("L3: state follows evidence", () => {
  it("from probation to active, to quarantine when it fails, and back by a version that mends it", async () => {
    const { library } = openLibrary();
    await saved(library, totals());
    await use(library, first, "++++");
    expect(await statesOf(library)).toEqual(["probation"]);
    await use(library, first, "+");
    expect(await statesOf(library)).toEqual(["active"]);
    expect((await library.offers(GOAL)).map(({ name }) => name)).toEqual([NAME]);

    await use(library, first, "---");
    expect(await library.version(NAME, 1)).toMatchObject({
      ok: true,
      value: {
        state: "quarantined",
        cause: "failures",
        why: "It failed 3 times in a row.",
        statistics: { uses: 8, failures: 3 },
      },
    });
    expect(await library.offers(GOAL)).toEqual([]);
    expect((await library.list({ q: GOAL, limit: 5 })).items).toEqual([]);
    for (const answer of [await library.choose(NAME), await library.choose(NAME, 1)])
      expect(answer).toMatchObject({ ok: false, failure: { kind: "capability-unavailable", state: "quarantined" } });

    expect(await saved(library, better)).toMatchObject({ saved: true, version: 2, state: "probation" });
    for (let i = 0; i < 10; i++) expect(await library.choose(NAME)).toMatchObject({ ok: true, value: { version: 2 } });
    expect((await library.offers(GOAL)).map(({ name }) => name)).toEqual([NAME]);
    await use(library, second, "+++++");
    expect(await statesOf(library)).toEqual(["quarantined", "active"]);
  });

  it("gives a newer version a share of the runs, and its place when it did well", async () => {
    const { library } = openLibrary();
    await saved(library, totals());
    await use(library, first, "+++++");
    await saved(library, better);
    const chosen: number[] = [];
    for (let i = 0; i < 200; i++) {
      const one = await library.choose(NAME);
      if (one.ok) chosen.push(one.value.version);
    }
    const canary = chosen.filter((version) => version === 2).length;
    expect(chosen).toHaveLength(200);
    // A fifth of 200 is 40, give or take six standard deviations.
    expect(canary).toBeGreaterThan(5);
    expect(canary).toBeLessThan(75);
    await use(library, second, "+++++");
    expect(await statesOf(library)).toEqual(["superseded", "active"]);
    expect(await library.choose(NAME)).toMatchObject({ ok: true, value: { version: 2 } });
    // A run that began with the old one goes on with it.
    expect(await library.choose(NAME, 1)).toMatchObject({ ok: true, value: { version: 1 } });
  });

  it("takes what fails away from what needs it, and gives it back when it is mended", async () => {
    const { library } = openLibrary();
    await saved(library, rate());
    await saved(library, convert());
    await use(library, { name: "exchange-rate", version: 1 }, "---");
    expect(await library.get("convert-amount")).toMatchObject({
      ok: true,
      value: {
        state: "quarantined",
        latest: { cause: "dependency", why: "It needs exchange-rate, which is quarantined." },
      },
    });
    expect(await library.offers("convert an amount of money into another currency")).toEqual([]);
    await saved(library, rate({ description: "Gives the exchange rate between two currencies, mended." }));
    expect(await stateOf(library, "exchange-rate")).toBe("probation");
    expect(await stateOf(library, "convert-amount")).toBe("probation");
    expect((await library.offers("convert an amount of money into another currency"))[0]?.name).toBe("convert-amount");
  });

  it("takes a chain of thousands along, and gives it back", async () => {
    const { library, tenant } = openLibrary();
    await saved(library, rate());
    const count = async (state: CapabilityState): Promise<number> =>
      runInDurableObject(
        env.LIBRARY.getByName(tenant),
        (_, { storage }) =>
          storage.sql
            .exec<{ n: number }>(
              "SELECT COUNT(*) AS n FROM capability_versions WHERE name LIKE 'link-%' AND state = ?",
              state,
            )
            .one().n,
      );
    await runInDurableObject(env.LIBRARY.getByName(tenant), (_, { storage }) => {
      const store = new CapabilityStore(storage);
      const row = rowOf(convert(), "file", { version: 1, at: new Date().toISOString(), author: { by: "api" } });
      for (let i = 0; i < 3_000; i++) {
        const needs = [i === 0 ? "exchange-rate" : `link-${i - 1}`];
        store.insert({ ...row, name: `link-${i}`, facts: { ...row.facts, needs } });
      }
    });
    expect(await count("probation")).toBe(3_000);
    await library.order("exchange-rate", "retire");
    expect(await count("quarantined")).toBe(3_000);
    await library.order("exchange-rate", "promote");
    expect(await count("probation")).toBe(3_000);
  });

  it("retires what nobody used for a quarter, and what needs it follows", async () => {
    const { library, tenant } = openLibrary();
    await saved(library, rate());
    await saved(library, convert());
    const object = env.LIBRARY.getByName(tenant);
    await runInDurableObject(object, (_, { storage }) => {
      const old = new Date(Date.now() - 91 * 86_400_000).toISOString();
      storage.sql.exec(
        "UPDATE capability_versions SET since = ?1, statistics = json_set(statistics, '$.createdAt', ?1) WHERE name = 'exchange-rate'",
        old,
      );
    });
    expect(await runDurableObjectAlarm(object)).toBe(true);
    expect(await library.get("exchange-rate")).toMatchObject({
      ok: true,
      value: { state: "retired", latest: { why: "Nobody used it for 90 days." } },
    });
    expect(await stateOf(library, "convert-amount")).toBe("quarantined");
    expect(await runInDurableObject(object, (_, { storage }) => storage.getAlarm())).not.toBeNull();
  });
});

describe("what a person orders", () => {
  it("rolls back to the version before, also when the newer one is in quarantine", async () => {
    const { library } = openLibrary();
    await saved(library, totals());
    expect(await library.order(NAME, "rollback")).toMatchObject({
      ok: false,
      failure: { kind: "capability-conflict" },
    });
    await library.order(NAME, "promote");
    await saved(library, better);
    await library.order(NAME, "promote");
    expect(await statesOf(library)).toEqual(["superseded", "active"]);
    expect(await library.order(NAME, "rollback")).toMatchObject({ ok: true, value: { state: "active", version: 1 } });
    expect(await statesOf(library)).toEqual(["active", "quarantined"]);

    await saved(library, totals({ description: "Adds up the amounts of orders by customer, once more." }));
    await library.order(NAME, "promote", 3);
    await use(library, { name: NAME, version: 3 }, "---");
    expect(await library.order(NAME, "rollback", 2)).toMatchObject({ ok: false });
    expect(await library.order(NAME, "rollback", 1)).toMatchObject({
      ok: true,
      value: { state: "active", version: 1 },
    });
    expect(await statesOf(library)).toEqual(["active", "quarantined", "quarantined"]);
    expect(await library.order(NAME, "promote", 9)).toMatchObject({
      ok: false,
      failure: { kind: "unknown-version", known: [1, 2, 3] },
    });
  });

  it("rolls back without taking away what needs it", async () => {
    const { library } = openLibrary();
    await saved(library, rate());
    await saved(library, convert());
    for (const name of ["exchange-rate", "convert-amount"]) await library.order(name, "promote");
    await saved(library, rate({ description: "Gives the exchange rate between two currencies, anew." }));
    await library.order("exchange-rate", "promote");
    await library.order("exchange-rate", "rollback");
    expect(await statesOf(library, "exchange-rate")).toEqual(["active", "quarantined"]);
    expect(await statesOf(library, "convert-amount")).toEqual(["active"]);
  });

  it("retires a version or all, and only a person brings them back", async () => {
    const { library } = openLibrary();
    await saved(library, totals());
    await saved(library, better);
    expect(await library.order(NAME, "retire", 2)).toMatchObject({
      ok: true,
      value: { state: "probation", version: 1 },
    });
    expect(await library.order(NAME, "retire")).toMatchObject({ ok: true, value: { state: "retired" } });
    expect(await library.offers(GOAL)).toEqual([]);
    expect(await library.choose(NAME)).toMatchObject({
      ok: false,
      failure: { kind: "capability-unavailable", state: "retired" },
    });
    await use(library, first, "+++++");
    expect(await statesOf(library)).toEqual(["retired", "retired"]);
    expect(await library.order(NAME, "promote", 1)).toMatchObject({ ok: true, value: { state: "active", version: 1 } });
    expect((await library.offers(GOAL)).map(({ name }) => name)).toEqual([NAME]);
  });

  it("of an unknown capability says which are near", async () => {
    const { library } = openLibrary();
    await saved(library, totals());
    expect(await library.order("total-by-custmer", "retire")).toMatchObject({
      ok: false,
      failure: { kind: "unknown-capability", nearest: [NAME] },
    });
  });
});

describe("uses", () => {
  it("count once by their id, and say what was saved against the run that made it", async () => {
    const { library } = openLibrary();
    await saved(library, totals(), { by: "code", run: "s.maker", grants: [], tokens: 5_000 });
    for (let i = 0; i < 3; i++) await library.record("same", useOf(first, { runTokens: 800 }));
    await library.record("dearer", useOf(first, { runTokens: 9_000, caller: "s.other", ms: 7 }));
    await library.record("unknown tokens", useOf(first));
    await library.record("failed", useOf(first, { ok: false, error: "it broke", runTokens: 10 }));
    expect(await library.get(NAME)).toMatchObject({
      ok: true,
      value: {
        uses: 4,
        successRate: 0.75,
        tokensSaved: 4_200,
        latest: { statistics: { latencyMs: 22, lastError: "it broke", callers: ["s.other", "s-test.run"] } },
      },
    });
  });

  it("tie the goals they served to the capability", async () => {
    const { library } = openLibrary();
    await saved(library, totals());
    const goal = "zorgle the quarterly frabnitz";
    expect(await library.offers(goal)).toEqual([]);
    for (let i = 0; i < 3; i++) await library.record(`learn-${i}`, useOf(first, { goal: `${goal} number ${i}` }));
    expect((await library.offers(goal)).map(({ name }) => name)).toEqual([NAME]);
  });

  it("are followed by the index, also when it was interrupted", async () => {
    const { library, tenant } = openLibrary();
    await saved(library, totals());
    await runInDurableObject(env.LIBRARY.getByName(tenant), async (instance, { storage }) => {
      await instance.remove([NAME]);
      storage.sql.exec("INSERT INTO capability_unfollowed VALUES (?, 1)", NAME); // as a crash leaves it
    });
    expect((await library.offers(GOAL)).map(({ name }) => name)).toEqual([NAME]);
  });

  it("of what is not there are nothing", async () => {
    const { library } = openLibrary();
    await library.record("x", useOf({ name: "nobody", version: 1 }));
    await saved(library, totals());
    await library.record("y", useOf({ name: NAME, version: 7 }));
    expect(await library.get(NAME)).toMatchObject({ ok: true, value: { uses: 0 } });
  });
});
