import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DATA_TOOLS } from "../../../tool-bindings/data/index.ts";
import { Pattern } from "../../../tool-bindings/data/pattern.ts";
import { caller, filled } from "./tool-call.ts";

const { call, failure } = caller(DATA_TOOLS);

interface Verdict {
  valid: boolean;
  problems: { path: string; keyword: string }[];
}
const check = async (value: unknown, schema: unknown): Promise<Verdict> =>
  (await call("data.validate", { value, schema })) as Verdict;
const keywords = async (value: unknown, schema: unknown): Promise<string[]> =>
  (await check(value, schema)).problems.map(({ path, keyword }) => `${path} ${keyword}`);

describe("data.validate", { timeout: 60_000 }, () => {
  it.each<[unknown, unknown, string[]]>([
    [1, { type: "integer" }, []],
    [1.5, { type: ["integer", "null"] }, [" type"]],
    ["x", { enum: ["y", { a: 1 }] }, [" enum"]],
    [{ b: 2, a: 1 }, { const: { a: 1, b: 2 } }, []],
    ["😀", { minLength: 2 }, [" minLength"]],
    ["abc", { maxLength: 2, pattern: "^a" }, [" maxLength"]],
    [5, { minimum: 6, exclusiveMaximum: 5, multipleOf: 2 }, [" minimum", " exclusiveMaximum", " multipleOf"]],
    [0.3, { multipleOf: 0.1 }, []],
    [
      [1, "a", 2],
      { prefixItems: [{ type: "number" }], items: { type: "string" }, maxItems: 2 },
      [" maxItems", "/2 type"],
    ],
    [[1, { a: 1 }, { a: 1 }], { uniqueItems: true, contains: { type: "string" } }, [" uniqueItems", " contains"]],
    [{ a: 1, "x/y": 2 }, { properties: { a: true }, additionalProperties: false }, ["/x~1y additionalProperties"]],
    [
      { n1: "a" },
      { patternProperties: { "^n\\d$": { type: "number" } }, propertyNames: { maxLength: 1 } },
      ["/n1 maxLength", "/n1 type"],
    ],
    [
      { a: 1 },
      { required: ["b"], dependentRequired: { a: ["c"] }, minProperties: 2 },
      [" minProperties", " required", " dependentRequired"],
    ],
    [5, { anyOf: [{ type: "string" }, { minimum: 6 }] }, [" anyOf"]],
    [5, { oneOf: [{ type: "number" }, { minimum: 1 }], not: { const: 5 } }, [" oneOf", " not"]],
    [5, { allOf: [{ type: "string" }, { minimum: 6 }] }, [" type", " minimum"]],
    [{ k: "a" }, { if: { properties: { k: { const: "b" } } }, else: { required: ["v"] } }, [" required"]],
    [
      { next: { next: {} } },
      { $ref: "#/$defs/n", $defs: { n: { properties: { next: { $ref: "#/$defs/n" } }, required: ["next"] } } },
      ["/next/next required"],
    ],
    [1, true, []],
    [1, false, [" false"]],
    [1, { "x-unknown": 1, description: "d" }, []],
  ])("checks %j against %j", async (value, schema, expected) => {
    expect((await keywords(value, schema)).toSorted()).toEqual(expected.toSorted());
  });

  it.each([
    ["date-time", "2026-03-05T10:00:00Z", "2026-02-30T10:00:00Z"],
    ["date", "2026-03-05", "5.3.2026"],
    ["time", "10:20:30Z", "25:00:00"],
    ["email", "a@b.org", "a@b@c"],
    ["uri", "https://x.org/a", "no uri"],
    ["uuid", "00000000-0000-4000-8000-000000000000", "0"],
    ["ipv4", "127.0.0.1", "256.1.1.1"],
    ["ipv6", "::1", "1:2"],
    ["hostname", "a-b.example.org", "-a.org"],
  ])("knows the format %s", async (format, good, bad) => {
    expect((await check(good, { format })).valid).toBe(true);
    expect((await check(bad, { format })).valid).toBe(false);
  });

  it("agrees with zod on schemas made by zod", async () => {
    const schema = z.strictObject({
      id: z.int().min(1),
      name: z.string().min(1).max(5),
      tags: z.array(z.enum(["a", "b"])).max(2),
      more: z.union([z.null(), z.record(z.string(), z.number())]).optional(),
    });
    const json = z.toJSONSchema(schema);
    const value = fc.record(
      {
        id: fc.oneof(fc.integer(), fc.double(), fc.constant("1")),
        name: fc.string({ maxLength: 7 }),
        tags: fc.array(fc.constantFrom("a", "b", "c"), { maxLength: 3 }),
        more: fc.oneof(
          fc.constant(null),
          fc.dictionary(fc.constantFrom("k", "l"), fc.oneof(fc.integer(), fc.string())),
        ),
        other: fc.boolean(),
      },
      { requiredKeys: ["id"] },
    );
    await fc.assert(
      fc.asyncProperty(value, async (raw) => {
        const candidate: unknown = JSON.parse(JSON.stringify(raw));
        expect((await check(candidate, json)).valid).toBe(schema.safeParse(candidate).success);
      }),
    );
  });

  it("says what is wrong with a schema", async () => {
    for (const schema of [{ $ref: "#/nowhere" }, { $ref: "https://x.org/s" }, { allOf: [1] }, { $ref: "#/%" }])
      expect((await failure("data.validate", { value: 1, schema })).kind).toBe("bad-schema");
    for (const pattern of ["(", "(?=a)", "(a)\\1", "(?<!a)b", "a".repeat(501)])
      expect((await failure("data.validate", { value: "x", schema: { pattern } })).kind).toBe("unsupported-pattern");
  });

  it("is not moved by names of the prototype", async () => {
    expect((await check({}, { required: ["constructor"] })).valid).toBe(false);
    expect((await check({ constructor: 1 }, { properties: {}, additionalProperties: false })).valid).toBe(false);
  });

  it("gives up on schemas that would take for ever", async () => {
    const layers = Object.fromEntries(
      Array.from({ length: 60 }, (_, i) => [
        `d${i}`,
        { allOf: [{ $ref: `#/$defs/d${i + 1}` }, { $ref: `#/$defs/d${i + 1}` }] },
      ]),
    );
    const doubling = { $ref: "#/$defs/d0", $defs: { ...layers, d60: { type: "string" } } };
    expect((await failure("data.validate", { value: "x", schema: doubling })).kind).toBe("too-complex");
    expect((await failure("data.validate", { value: "x", schema: { $ref: "#" } })).kind).toBe("too-complex");
    expect((await failure("data.validate", { value: "x", schema: { anyOf: [{ $ref: "#" }] } })).kind).toBe(
      "too-complex",
    );
    const names = Array.from({ length: 100_000 }, (_, i) => `n${i}`);
    const objects = Array.from({ length: 1_000 }, () => ({}));
    expect((await failure("data.validate", { value: objects, schema: { items: { required: names } } })).kind).toBe(
      "too-complex",
    );
    expect((await failure("data.validate", { value: objects, schema: { items: { enum: names } } })).kind).toBe(
      "too-complex",
    );
  });

  it("refuses values and schemas that are too deep or too large", async () => {
    const deep: unknown = JSON.parse(`${"[".repeat(1_000)}${"]".repeat(1_000)}`);
    expect((await failure("data.validate", { value: deep, schema: true })).kind).toBe("too-deep");
    expect((await failure("data.validate", { value: 1, schema: { enum: deep } })).kind).toBe("too-deep");
    expect((await failure("data.validate", { value: `${filled("x")}x`, schema: true })).kind).toBe("too-large");
  });

  it("lists a hundred problems at most", async () => {
    expect(
      (
        await check(
          Array.from({ length: 1_000 }, () => 1),
          { items: { type: "string" } },
        )
      ).problems,
    ).toHaveLength(100);
  });
});

describe("patterns", { timeout: 60_000 }, () => {
  const matches = (pattern: string, text: string): boolean => new Pattern(pattern).test(text, () => {});

  it.each([
    "^a+$",
    "a|b|",
    "^(?:ab)*c?$",
    "[a-c]{2,3}",
    "^[^a]+$",
    "\\d+-\\w*",
    "^\\p{Lu}",
    "^.$",
    "b$",
    "^(a|ab)(c|bcd)$",
    "\\bab\\b",
    "a{2}",
    "a{0,2}b",
    "^[a-z]+(?:-[a-z]+)*$",
    "(?<n>a)b",
    "\\u0061",
    "[\\]a]",
    "^$",
    "a**".slice(0, 2),
    "x*",
    "\\Bb",
    "^(a*)*b$",
    "[\\d\\-]+",
    "a{,2}",
  ])("agree with the engine on %s", (pattern) => {
    let regexp: RegExp;
    try {
      regexp = new RegExp(pattern, "u");
    } catch {
      regexp = new RegExp(pattern);
    }
    fc.assert(
      fc.property(
        fc.array(fc.constantFrom("a", "b", "c", "d", "-", "1", " ", "Z", "]", "\n", "{,2}"), { maxLength: 8 }),
        (parts) => {
          const text = parts.join("");
          expect(matches(pattern, text)).toBe(regexp.test(text));
        },
      ),
    );
  });

  it("that make an engine backtrack for ever are matched in one pass", async () => {
    for (const pattern of ["^(a+)+$", "^(a|aa)+$", "^(a*)*b", "(a+){10}c", "^(([a-z])+.)+[A-Z]([a-z])+$"]) {
      let steps = 0;
      const text = "a".repeat(2_000);
      new Pattern(pattern).test(`${text}!`, (more) => (steps += more));
      expect(steps).toBeLessThan(200 * text.length);
    }
    expect((await failure("data.validate", { value: filled("a"), schema: { pattern: "^(a+)+$" } })).kind).toBe(
      "too-complex",
    );
  });

  it("that repeat without end are refused", () => {
    for (const pattern of ["(a{999}){999}", "((((){999}){999}){999}){999}", "a{99999}", "(a{0,999}){0,999}"])
      expect(() => new Pattern(pattern)).toThrow("repeats too much");
  });
});
