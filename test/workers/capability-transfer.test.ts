import { env, runInDurableObject } from "cloudflare:test";
import { describe, expect, it } from "vitest";
import { type ArchiveFile, packArchive, unpackArchive } from "../../src/capabilities/archive.ts";
import { convert, openLibrary, rate, saved, type TestLibrary, totals, use } from "../support/capability-drafts.ts";

const packed = async (library: TestLibrary): Promise<Uint8Array> => {
  const archive = await library.pack();
  if (!archive.ok) throw new Error(archive.failure.kind);
  return archive.value;
};
const archiveOf = async (files: ArchiveFile[]): Promise<Uint8Array> => {
  const archive = await packArchive(files);
  if (!archive.ok) throw new Error(archive.failure.kind);
  return archive.value;
};
const filesOf = async (archive: Uint8Array): Promise<ArchiveFile[]> => {
  const files = await unpackArchive(archive);
  return files.ok ? files.value : [];
};
const better = totals({ description: "Adds up the amounts of orders by customer, with care." });

/** `convert-amount` comes before `exchange-rate`, which it needs, by name. */
async function filled(): Promise<ReturnType<typeof openLibrary>> {
  const opened = openLibrary();
  for (const draft of [rate(), convert(), totals(), better])
    expect(await saved(opened.library, draft)).toMatchObject({ saved: true });
  return opened;
}

describe("a library as an archive", () => {
  it("goes out and comes into another, all versions, in the order of what they need", async () => {
    const [ours, theirs] = [await filled(), openLibrary()];
    const archive = await packed(ours.library);
    expect((await filesOf(archive)).map(({ name, version }) => `${name}/v${version}`)).toEqual([
      "convert-amount/v1",
      "exchange-rate/v1",
      "total-by-customer/v1",
      "total-by-customer/v2",
    ]);
    const taken = await theirs.library.unpack(archive);
    expect(taken).toMatchObject({ ok: true, value: { refused: [] } });
    expect(taken.ok && taken.value.saved.map((one) => one.saved && `${one.name}/v${one.version} ${one.state}`)).toEqual(
      [
        "exchange-rate/v1 probation",
        "convert-amount/v1 probation",
        "total-by-customer/v1 probation",
        "total-by-customer/v2 probation",
      ],
    );
    const [before, after] = [await filesOf(archive), await filesOf(await packed(theirs.library))];
    const undated = ({ text }: ArchiveFile): string => text.replace(/"created": "[^"]+"/, "");
    expect(after.map(undated)).toEqual(before.map(undated));
    expect((await theirs.library.offers("convert an amount of money into another currency"))[0]?.name).toBe(
      "convert-amount",
    );
  });

  it("comes in whatever the order of names, and a circle is refused", async () => {
    const linked = (name: string, need?: string): ReturnType<typeof totals> => {
      const body = need === undefined ? `"${name}"` : `(await tools.call("${need}", input)) + "-${name}"`;
      return totals({
        name,
        description: `Links ${name} to what comes before it.`,
        output: { type: "string" },
        source: `export default async (input) => { if (input.no) throw new Error("${name} says no"); return ${body}; };\n`,
        tests: [
          {
            input: { orders: [] },
            expect: need === undefined ? name : `0-${name}`,
            ...(need !== undefined && { tools: { [need]: "0" } }),
          },
          { input: { orders: [], no: true }, throws: `${name} says no` },
        ],
        ...(need !== undefined && { needs: [need] }),
      });
    };
    const names = ["wx", "hq", "pz", "ab", "mk"];
    const { library } = openLibrary();
    for (const [i, name] of names.entries())
      expect(await saved(library, linked(name, names[i - 1]))).toMatchObject({ saved: true });
    const files = await filesOf(await packed(library));
    expect(files.map(({ name }) => name)).toEqual(["ab", "hq", "mk", "pz", "wx"]);
    const taken = await openLibrary().library.unpack(await archiveOf(files));
    expect(taken.ok && taken.value.saved.map((one) => one.saved && one.name)).toEqual(names);

    const circular = files.map((file) =>
      file.name === "wx"
        ? { ...file, text: file.text.replace('"kind": "function"', '"kind": "function",\n  "needs": ["mk"]') }
        : file,
    );
    const refused = await openLibrary().library.unpack(await archiveOf(circular));
    expect(refused.ok && refused.value.saved).toEqual([]);
    expect(refused.ok && refused.value.refused.length).toBe(5);
  });

  it("comes in twice without a new version", async () => {
    const { library } = await filled();
    const archive = await packed(library);
    for (let i = 0; i < 2; i++) {
      const taken = await library.unpack(archive);
      expect(taken.ok && taken.value.saved.every((one) => one.saved && one.unchanged === true)).toBe(true);
    }
    expect(await library.versions("total-by-customer")).toMatchObject({
      ok: true,
      value: [{ version: 1 }, { version: 2 }],
    });
  });

  it("has every file go through the gate", async () => {
    const [first, ...rest] = await filesOf(await packed((await filled()).library));
    const { library } = openLibrary();
    const totalsFile = rest.find(({ name }) => name === "total-by-customer")!;
    const taken = await library.unpack(
      await archiveOf([
        { ...totalsFile, text: totalsFile.text.replace("?? 0", "?? 1") },
        { ...first!, name: "another-name" },
        { name: "no-header", version: 1, text: "export default () => 1" },
        { ...totalsFile, name: "twice-keyed", text: totalsFile.text.replace('"name":', '"name": "x",\n  "name":') },
      ]),
    );
    expect(taken).toMatchObject({ ok: true, value: { saved: [] } });
    const refused = taken.ok ? taken.value.refused : [];
    expect(refused.map(({ path, reasons }) => [path, reasons[0]!.rule])).toEqual([
      ["another-name/v1.ts", "file"],
      ["no-header/v1.ts", "file"],
      ["total-by-customer/v1.ts", "tests"],
      ["twice-keyed/v1.ts", "file"],
    ]);
    expect(refused[3]!.reasons[0]!.problem).toContain("twice");
    expect((await library.list({ limit: 10 })).items).toEqual([]);
    expect(await library.unpack(new Uint8Array([1, 2, 3]))).toMatchObject({
      ok: false,
      failure: { kind: "bad-input", field: "archive" },
    });
  });
});

describe("a rebuild", () => {
  it("brings a wiped index back, and keeps what states say", async () => {
    const { library, tenant } = await filled();
    await use(library, { name: "total-by-customer", version: 2 }, "+++++");
    await library.order("exchange-rate", "retire");
    await runInDurableObject(env.LIBRARY.getByName(tenant), async (instance) => {
      await instance.remove(["total-by-customer", "convert-amount"]);
      await instance.put([{ name: "stale", kind: "capability", summary: "Adds up what is no more.", text: "" }]);
    });
    expect(await library.offers("add up the order amounts by customer")).toEqual([]);
    expect(await library.rebuild()).toEqual({ indexed: 1, removed: 1, done: true });
    expect(await library.offers("add up the order amounts by customer")).toMatchObject([{ name: "total-by-customer" }]);
    expect(await library.get("total-by-customer")).toMatchObject({
      ok: true,
      value: { state: "active", version: 2, uses: 5 },
    });
    expect(await library.get("exchange-rate")).toMatchObject({ ok: true, value: { state: "retired" } });
  });

  it("brings versions back from their files, their tests run anew, and what fails them stays a draft", async () => {
    const { library, tenant } = await filled();
    await runInDurableObject(env.LIBRARY.getByName(tenant), async (instance, { storage }) => {
      storage.sql.exec("DELETE FROM capability_versions");
      storage.sql.exec("DELETE FROM capability_needs");
      await instance.remove(["total-by-customer", "convert-amount", "exchange-rate"]);
    });
    const key = `${tenant}/capabilities/total-by-customer/v2.ts`;
    const file = await (await env.BUCKET.get(key))!.text();
    await env.BUCKET.put(key, file.replace("?? 0", "?? 1"));
    await env.BUCKET.put(`${tenant}/capabilities/junk/v1.ts`, "junk");
    await env.BUCKET.put(`${tenant}/capabilities/../x/v1.ts`, file);
    expect((await library.list({ limit: 10 })).items).toEqual([]);
    expect(await library.rebuild()).toMatchObject({ done: true });
    expect((await library.list({ limit: 10 })).items.map(({ name, state, version }) => [name, state, version])).toEqual(
      [
        ["convert-amount", "probation", 1],
        ["exchange-rate", "probation", 1],
        ["total-by-customer", "probation", 1],
      ],
    );
    expect(await library.version("total-by-customer", 2)).toMatchObject({
      ok: true,
      value: { state: "draft", why: expect.stringContaining("must give") },
    });
    expect((await library.offers("convert an amount of money into another currency"))[0]?.name).toBe("convert-amount");
    expect(await library.choose("total-by-customer", 2)).toMatchObject({
      ok: false,
      failure: { kind: "capability-unavailable", state: "draft" },
    });
  });

  it("finds what was changed in the bucket, and what is gone from it", async () => {
    const { library, tenant } = await filled();
    for (const version of [1, 2]) await env.BUCKET.delete(`${tenant}/capabilities/total-by-customer/v${version}.ts`);
    await env.BUCKET.put(`${tenant}/capabilities/exchange-rate/v1.ts`, "export default () => 1e9");
    await library.rebuild();
    expect(await library.get("exchange-rate")).toMatchObject({ ok: true, value: { state: "quarantined" } });
    expect(await library.get("convert-amount")).toMatchObject({
      ok: true,
      value: { state: "quarantined", latest: { cause: "dependency" } },
    });
    expect(await library.offers("exchange rate between two currencies")).toEqual([]);
    expect(await library.version("total-by-customer", 2)).toMatchObject({ ok: true, value: { state: "quarantined" } });
  });
});
