import { env } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { hashOf } from "../../src/capabilities/source-file.ts";
import { OUTSIDE, openLibrary, rate, saved, totals } from "../support/capability-drafts.ts";

describe("a draft that passes the gate", () => {
  it("is kept as a file, offered and found", async () => {
    const { library, tenant } = openLibrary();
    expect(await saved(library, totals())).toEqual({
      saved: true,
      name: "total-by-customer",
      version: 1,
      state: "probation",
    });
    const file = await (await env.BUCKET.get(`${tenant}/capabilities/total-by-customer/v1.ts`))!.text();
    expect(file).toMatch(/^\/\* praxis capability 1\n/);
    expect(file.endsWith(totals().source)).toBe(true);
    expect(await library.version("total-by-customer", 1)).toMatchObject({
      ok: true,
      value: {
        state: "probation",
        why: "Its tests passed.",
        hash: hashOf(file),
        tests: 2,
        needs: [],
        kind: "function",
      },
    });
    const offers = await library.offers("add up the order amounts of every customer");
    expect(offers).toMatchObject([{ name: "total-by-customer", description: totals().description }]);
    expect((await library.list({ q: "customer orders", limit: 5 })).items).toMatchObject([
      { name: "total-by-customer", state: "probation", version: 1, versions: 1, uses: 0, tokensSaved: 0 },
    ]);
    expect(await library.choose("total-by-customer")).toMatchObject({
      ok: true,
      value: { version: 1, file, hash: hashOf(file), input: totals().input, kind: "function" },
    });
  });

  it("runs its tests with stubbed tools", async () => {
    const { library } = openLibrary();
    expect(await saved(library, rate())).toMatchObject({ saved: true, version: 1 });
  });

  it("may be an agent", async () => {
    const { library } = openLibrary();
    const draft = {
      name: "careful-reader",
      description: "Reads contracts and lists the risks.",
      agent: { role: "Read closely and list the risks.", tier: "small" },
    };
    expect(await library.save(draft, OUTSIDE)).toMatchObject({
      ok: true,
      value: { saved: true, version: 1, state: "probation" },
    });
    const chosen = await library.choose("careful-reader");
    expect(chosen).toMatchObject({
      ok: true,
      value: { kind: "agent", agent: { name: "careful-reader", tier: "small" } },
    });
    expect(chosen.ok && chosen.value.file).toContain("export default {\n");
    expect((await library.offers("list the risks of a contract")).map(({ name }) => name)).toEqual(["careful-reader"]);
    expect(await library.save({ ...draft, agent: { role: "x", tier: "huge", foo: 1 } }, OUTSIDE)).toMatchObject({
      value: { saved: false, reasons: [{ rule: "shape" }, { rule: "shape" }] },
    });
  });
});
