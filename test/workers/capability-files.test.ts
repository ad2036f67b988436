import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { openLibrary, OUTSIDE, saved, totals, use } from "../support/capability-drafts.ts";

const NAME = "total-by-customer";
const keyOf = (tenant: string, version: number): string => `${tenant}/capabilities/${NAME}/v${version}.ts`;
const second = totals({ description: "Adds up the amounts of orders by customer, again." });

describe("L1: a version", () => {
  it("is never written over: a stray file of its number stays, and the next number is taken", async () => {
    const { library, tenant } = openLibrary();
    await env.BUCKET.put(keyOf(tenant, 1), "// not ours");
    expect(await saved(library, totals())).toMatchObject({ saved: true, version: 2 });
    expect(await (await env.BUCKET.get(keyOf(tenant, 1)))!.text()).toBe("// not ours");
    expect(await library.versions(NAME)).toMatchObject({ ok: true, value: [{ version: 2 }] });
  });

  it("keeps its file and hash when there are newer ones", async () => {
    const { library, tenant } = openLibrary();
    await saved(library, totals());
    const before = await (await env.BUCKET.get(keyOf(tenant, 1)))!.text();
    await saved(library, second);
    expect(await (await env.BUCKET.get(keyOf(tenant, 1)))!.text()).toBe(before);
    expect(await library.source(NAME, 1)).toMatchObject({ ok: true, value: { version: 1, file: before } });
    expect(await library.source(NAME)).toMatchObject({ ok: true, value: { version: 2 } });
    const diff = await library.diff(NAME, 1, 2);
    expect(diff).toMatchObject({ ok: true, value: { added: 3, removed: 3 } });
    expect(await library.diff(NAME, 1, 3)).toMatchObject({
      ok: false,
      failure: { kind: "unknown-version", known: [1, 2] },
    });
  });

  it.each(["changed", "gone"] as const)(
    "whose file is %s is not handed out, but quarantined with a reason",
    async (what) => {
      const { library, tenant } = openLibrary();
      await saved(library, totals());
      const file = await (await env.BUCKET.get(keyOf(tenant, 1)))!.text();
      if (what === "gone") await env.BUCKET.delete(keyOf(tenant, 1));
      else await env.BUCKET.put(keyOf(tenant, 1), file.replace("?? 0", "?? 1"));
      expect(await library.choose(NAME)).toMatchObject({
        ok: false,
        failure: { kind: "capability-unavailable", state: "quarantined", why: expect.stringContaining(what) },
      });
      expect(await library.get(NAME)).toMatchObject({
        ok: true,
        value: { state: "quarantined", latest: { why: expect.stringContaining(what) } },
      });
      expect(await library.offers("add up order amounts by customer")).toEqual([]);
      expect(await library.order(NAME, "promote")).toMatchObject({
        ok: false,
        failure: { kind: "capability-conflict" },
      });
      // Saved again it is a new version, and runs.
      expect(await saved(library, totals())).toMatchObject({ saved: true, version: 2, state: "probation" });
      expect(await library.choose(NAME)).toMatchObject({ ok: true, value: { version: 2 } });
    },
  );

  it("that is changed leaves the run to the other one that is offered", async () => {
    const { library, tenant } = openLibrary();
    await saved(library, totals());
    await saved(library, second);
    await env.BUCKET.put(keyOf(tenant, 2), "export default () => 'evil'");
    expect(await library.choose(NAME)).toMatchObject({ ok: true, value: { version: 1 } });
    expect(await library.version(NAME, 2)).toMatchObject({
      ok: true,
      value: { state: "quarantined", cause: "person" },
    });
  });
});

describe("E1: tenants", () => {
  it("see nothing of one another", async () => {
    const [ours, theirs] = [openLibrary(), openLibrary()];
    await saved(ours.library, totals());
    await use(ours.library, { name: NAME, version: 1 }, "+++++");
    expect((await theirs.library.list({ limit: 10 })).items).toEqual([]);
    expect((await theirs.library.list({ q: "add up orders by customer", limit: 10 })).items).toEqual([]);
    expect(await theirs.library.offers("add up orders by customer")).toEqual([]);
    for (const answer of [theirs.library.get(NAME), theirs.library.choose(NAME), theirs.library.source(NAME)])
      expect(await answer).toMatchObject({ ok: false, failure: { kind: "unknown-capability" } });
    await theirs.library.record("x", { name: NAME, version: 1, ok: false, ms: 1, caller: "s.r", goal: "g" });
    expect(await theirs.library.rebuild()).toEqual({ indexed: 0, removed: 0, done: true });
    // Its own of the same name is no duplicate, and another file.
    expect(await saved(theirs.library, totals({ description: "Adds up what they have by customer." }))).toMatchObject({
      version: 1,
    });
    expect(await ours.library.get(NAME)).toMatchObject({
      ok: true,
      value: { description: totals().description, uses: 5 },
    });
  });

  it("can't be named by what a capability is called", async () => {
    const { library, tenant } = openLibrary();
    await saved(library, totals());
    const other = openLibrary();
    for (const name of [`../../${tenant}/capabilities/${NAME}`, `${tenant}/${NAME}`, `..%2f${NAME}`]) {
      expect(await other.library.source(name)).toMatchObject({ ok: false, failure: { kind: "unknown-capability" } });
      expect(await other.library.save(totals({ name }), OUTSIDE)).toMatchObject({ value: { saved: false } });
    }
  });
});
