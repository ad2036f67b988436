import { describe, expect, it } from "vitest";
import type { CapabilityTest } from "../../../src/contract/capability.ts";
import { moduleTokens } from "../../../src/kernel/module-tokens.ts";
import { findDuplicate, type Fingerprint, fingerprintOf, likeness } from "../../../src/capabilities/likeness.ts";

const print = (source: string, tests: CapabilityTest[] = []): Fingerprint => {
  const tokens = moduleTokens(source);
  if (!tokens.ok) throw new Error(tokens.error.message);
  return fingerprintOf(tokens.value, tests);
};

const SUM = `interface Order { customer: string; amount: number }
/** Adds up amounts. */
const add = (sums: Map<string, number>, { customer, amount }: Order) => sums.set(customer, (sums.get(customer) ?? 0) + amount);
export default async (input: { orders: Order[] }) => {
  const sums = new Map<string, number>();
  for (const order of input.orders) add(sums, order);
  return Object.fromEntries([...sums].sort(([a], [b]) => a.localeCompare(b)));
};`;
const SUM_RENAMED = `const plus = (totals, { customer, amount }) => totals.set(customer, (totals.get(customer) ?? 0) + amount)
export default async function sumUp(given) {
  const totals = new Map()
  for (const one of given.orders) plus(totals, one) // each
  return Object.fromEntries([...totals].sort(([x], [y]) => x.localeCompare(y)))
}`;
const PAGES = `export default async (input: { url: string }) => {
  const items: unknown[] = [];
  let url: string | undefined = input.url;
  while (url !== undefined) {
    const { status, body } = await tools.http.get({ url });
    if (status !== 200) throw new Error("status " + status);
    items.push(...body.items);
    url = body.next;
  }
  return items;
};`;

describe("likeness of source", () => {
  it("is 1 for the same but for types, comments and names of its own", () => {
    expect(likeness(print(SUM), print(SUM))).toBe(1);
    const plain = SUM.replace(/interface.*\n/, "")
      .replace(/\/\*\*.*\n/, "")
      .replaceAll(/: Order\b|: Map<string, number>|<string, number>|: \{ orders: Order\[\] \}/g, "");
    expect(plain).not.toContain("Order }");
    expect(likeness(print(SUM), print(plain.replaceAll("sums", "totals").replaceAll("input", "given")))).toBe(1);
  });

  it("is high when the form of the function alone differs", () => {
    expect(likeness(print(SUM), print(SUM_RENAMED))).toBeGreaterThan(0.75);
  });

  it("is high after a small change, and low for another task", () => {
    const changed = likeness(print(PAGES), print(PAGES.replace('"status "', '"HTTP "')));
    expect(changed).toBeGreaterThan(0.85);
    expect(changed).toBeLessThan(1);
    expect(likeness(print(SUM), print(PAGES))).toBeLessThan(0.2);
  });

  it("is symmetric, and 0 to 1", () => {
    for (const [a, b] of [
      [SUM, PAGES],
      [SUM, SUM_RENAMED],
      [PAGES, "export default () => 1"],
    ] as const) {
      const value = likeness(print(a), print(b));
      expect(value).toBe(likeness(print(b), print(a)));
      expect(value).toBeGreaterThanOrEqual(0);
      expect(value).toBeLessThanOrEqual(1);
    }
  });

  it("is told from a sketch about as well as from the whole", () => {
    const tokens = (from: number, to: number): string[] => Array.from({ length: to - from }, (_, i) => `t${from + i}`);
    for (const [shared, whole] of [
      [1_900, 2_000],
      [1_000, 2_000],
      [200, 2_000],
    ] as const) {
      const a = fingerprintOf(tokens(0, whole), []);
      const b = fingerprintOf(tokens(whole - shared, 2 * whole - shared), []);
      const real = (shared - 4) / (2 * (whole - 4) - (shared - 4));
      expect(a.shingles).toHaveLength(256);
      expect(Math.abs(likeness(a, b) - real)).toBeLessThan(0.1);
    }
  });
});

describe("the same behaviour", () => {
  const tests: CapabilityTest[] = [
    { input: { a: 1, b: 2 }, expect: 3 },
    { input: {}, throws: true },
  ];
  const other = "export default ({ a, b }) => [a, b].reduce((x, y) => x + y, 0)";
  const one = "export default (input) => input.a + input.b";

  it("is the same tests, in any order of tests and keys", () => {
    const reordered: CapabilityTest[] = [
      { throws: true, input: {} },
      { expect: 3, input: { b: 2, a: 1 } },
    ];
    expect(likeness(print(one, tests), print(other, reordered))).toBe(1);
  });

  it.each<[string, CapabilityTest[]]>([
    ["another result", [{ input: { a: 1, b: 2 }, expect: 4 }, tests[1]!]],
    ["only the failing test", [tests[1]!]],
    ["a test more", [...tests, { input: { a: 0, b: 0 }, expect: 0 }]],
    ["another error", [tests[0]!, { input: {}, throws: "no a" }]],
    ["other stubs", [{ ...tests[0]!, tools: { "http.get": 1 } }, tests[1]!]],
    ["no tests", []],
  ])("is not %s", (_, others) => {
    expect(likeness(print(one, tests), print(other, others))).toBeLessThan(0.85);
  });

  it("is three results in common when one has no others", () => {
    const three: CapabilityTest[] = [1, 2, 3].map((n) => ({ input: { a: n, b: n }, expect: 2 * n }));
    expect(likeness(print(one, three), print(other, [...three, { input: { a: 5, b: 5 }, expect: 10 }]))).toBe(1);
  });
});

describe("a duplicate", () => {
  const tests: CapabilityTest[] = [{ input: 1, expect: 2 }];
  const existing = [
    { name: "fetch-pages", fingerprint: print(PAGES) },
    { name: "sum-orders", fingerprint: print(SUM, tests) },
  ];

  it("is found, with its name and why", () => {
    expect(findDuplicate({ name: "add-orders", fingerprint: print(SUM) }, existing)).toEqual({
      name: "sum-orders",
      likeness: 1,
      why: "Its source is that of sum-orders but for 0 %. Use sum-orders, or save a version of it that takes the difference as input.",
    });
    expect(
      findDuplicate({ name: "double", fingerprint: print("export default (n) => n * 2", tests) }, existing),
    ).toMatchObject({
      name: "sum-orders",
      why: expect.stringContaining("Its tests are those of sum-orders"),
    });
  });

  it("is not the earlier version of the same name, nor something else", () => {
    expect(findDuplicate({ name: "sum-orders", fingerprint: print(SUM, tests) }, existing)).toBeUndefined();
    expect(
      findDuplicate({ name: "double", fingerprint: print("export default (n) => n * 2") }, existing),
    ).toBeUndefined();
    expect(findDuplicate({ name: "double", fingerprint: print("export default (n) => n * 2") }, [])).toBeUndefined();
  });

  it("is the likest of several", () => {
    const near = { name: "fetch-all", fingerprint: print(PAGES.replace('"status "', '"HTTP "')) };
    expect(findDuplicate({ name: "x", fingerprint: print(PAGES) }, [near, ...existing])?.name).toBe("fetch-pages");
  });

  it("is found among ten thousand others", () => {
    const many = Array.from({ length: 10_000 }, (_, i) => ({
      name: `c${i}`,
      fingerprint: fingerprintOf(
        Array.from({ length: 100 }, (_, j) => `t${i}-${j}`),
        [],
      ),
    }));
    expect(findDuplicate({ name: "x", fingerprint: print(SUM) }, many)).toBeUndefined();
    expect(findDuplicate({ name: "x", fingerprint: many[7_000]!.fingerprint }, many)?.name).toBe("c7000");
  });
});
