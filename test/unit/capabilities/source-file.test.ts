import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Json } from "../../../src/contract/json.ts";
import { emitModule } from "../../../src/kernel/module.ts";
import { printJson } from "../../../src/capabilities/printed-json.ts";
import {
  hashOf,
  type Manifest,
  parseSourceFile,
  printSourceFile,
  readSourceKey,
  sourceKey,
} from "../../../src/capabilities/source-file.ts";
import { runModule } from "../kernel/module-host.ts";
import { draftWith } from "./drafts.ts";

const manifestWith = (changes: object = {}): Manifest => {
  const { name, description, input, output, tests } = draftWith();
  return {
    kind: "function",
    name,
    description,
    input,
    output,
    tests,
    version: 3,
    created: "2026-11-18T12:00:00.000Z",
    ...changes,
  } as Manifest;
};
const SOURCE = "export default async (input: { n: number }) => input.n + 1;\n";

const problemOf = (text: string): string => {
  const result = parseSourceFile(text);
  if (result.ok) throw new Error("was read");
  if (result.failure.kind !== "bad-input") throw new Error(result.failure.kind);
  return `${result.failure.field} ${result.failure.problem}`;
};

describe("a version's file", () => {
  it("is read back as it was written", () => {
    const manifest = manifestWith({
      needs: ["http.get"],
      description: "Ends */ here, /* begins there /*$px */*/ and on.",
    });
    const file = printSourceFile(manifest, SOURCE);
    expect(parseSourceFile(file)).toEqual({ ok: true, value: { manifest, source: SOURCE } });
  });

  it("L1: is a module that compiles and runs as it stands", async () => {
    const manifest = manifestWith({ description: "Ends */ here; throw 1; /* and /*$px goes on. \u2028 \u202e" });
    const file = printSourceFile(manifest, SOURCE);
    expect(emitModule(file).ok).toBe(true);
    expect((await runModule(file, { n: 1 })).outputs).toEqual([2]);
  });

  it("shows people what it holds", () => {
    expect(printSourceFile(manifestWith({ description: "Turns\u202e it \u200baround." }), SOURCE))
      .toBe(`/* praxis capability 1
{
  "kind": "function",
  "version": 3,
  "name": "sum-orders",
  "description": "Turns\\u202e it \\u200baround.",
  "input": { "type": "object", "properties": { "orders": { "type": "array" } }, "required": ["orders"] },
  "output": { "type": "object" },
  "tests": [{ "input": { "orders": [] }, "expect": {} }, { "input": { "orders": 5 }, "throws": true }],
  "created": "2026-11-18T12:00:00.000Z"
}
*/
${SOURCE}`);
  });

  it("holds an agent as well", () => {
    const manifest: Manifest = {
      kind: "agent",
      name: "reviewer",
      version: 1,
      description: "Reads texts with care.",
      agent: { name: "reviewer", role: "Reads", tools: ["files"] },
      created: "2026-11-18T12:00:00Z",
    };
    expect(parseSourceFile(printSourceFile(manifest, ""))).toEqual({ ok: true, value: { manifest, source: "" } });
  });

  it("is read back whatever the source and the values are, byte for byte", () => {
    const text = fc.string({ unit: "binary", maxLength: 200 });
    const hostile = fc
      .array(
        fc.constantFrom(
          "*/",
          "/*",
          "\n*/\n",
          '"',
          "\\",
          "\r\n",
          "\ufeff",
          "\u2028",
          "/* praxis",
          "//",
          "`${",
          "é",
          "😀",
        ),
        { maxLength: 20 },
      )
      .map((parts) => parts.join(""));
    const anyText = fc.oneof(text, hostile);
    const json = fc.letrec<{ value: Json }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        anyText,
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((n) => (Object.is(n, -0) ? 0 : n)),
        fc.boolean(),
        fc.constant(null),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(
          anyText.filter((key) => key !== "__proto__"),
          tie("value"),
          { maxKeys: 4, noNullPrototype: true },
        ),
      ),
    })).value;
    fc.assert(
      fc.property(anyText, json, anyText, (source, value, words) => {
        fc.pre(!source.trimStart().startsWith("/* praxis capability"));
        const manifest = manifestWith({
          description: `It does this: ${words}`.toWellFormed(),
          tests: [{ input: value, expect: value }],
        });
        const file = printSourceFile(manifest, source);
        const bytes = new TextEncoder().encode(file);
        const read = parseSourceFile(source.isWellFormed() ? new TextDecoder().decode(bytes) : file);
        expect(read).toEqual({ ok: true, value: { manifest, source } });
        if (read.ok) expect(printSourceFile(read.value.manifest, read.value.source)).toBe(file);
      }),
      { numRuns: 500, seed: 6 },
    );
  });

  it("has JSON in it that JSON.parse restores", () => {
    const value = { a: ["*/*", "\u0000\u007f\u200f\u2029\u{e0041}", "\\*/", "*\\/"], "/*": { "*/": -1.5 } };
    expect(printJson(value)).not.toMatch(/\*\/|\/\*|[\u007f\u200f\u2029]/);
    expect(JSON.parse(printJson(value))).toEqual(value);
  });
});

describe("a file is refused", () => {
  const file = printSourceFile(manifestWith(), SOURCE);
  const edited = (from: string | RegExp, to: string): string => {
    const text = file.replace(from, to);
    expect(text).not.toBe(file);
    return text;
  };

  it.each<[string, () => string, string]>([
    ["without a header", () => SOURCE, "header must begin with"],
    ["with something before it", () => `\n${file}`, "header must begin with"],
    ["of another format", () => edited("capability 1", "capability 2"), "header must be of format 1"],
    ["of a format that begins alike", () => edited("capability 1", "capability 10"), "header must be of format 1"],
    ["with line ends changed", () => file.replaceAll("\n", "\r\n"), "header must be of format 1"],
    ["cut off in its header", () => file.slice(0, 200), "header is cut off"],
    ["with a comment's end in a text", () => edited("Adds up", "Adds */ up"), "header must end with"],
    ["with code behind its end", () => edited("\n*/\n", "\n*/ evil();\n"), "header must end with"],
    [
      "with a key twice",
      () => edited('"version": 3,', '"version": 3, "version": 4,'),
      'header has the key "version" twice',
    ],
    [
      "with a key twice, once escaped",
      () => edited('"version": 3,', '"version": 3, "v\\u0065rsion": 4,'),
      'header has the key "version" twice',
    ],
    [
      "with a key twice further in",
      () => edited('"type": "array"', '"type": "array", "type": "string"'),
      'header has the key "type" twice',
    ],
    ["with __proto__", () => edited('"type": "array"', '"__proto__": {}'), 'header holds the key "__proto__"'],
    [
      "with __proto__ escaped",
      () => edited('"type": "array"', '"\\u005f_proto__": {}'),
      'header holds the key "__proto__"',
    ],
    [
      "with an unknown field",
      () => edited('"version": 3,', '"version": 3, "owner": "me",'),
      "header manifest: Unrecognized key",
    ],
    ["without a field", () => edited('"version": 3,', ""), "header version:"],
    ["of version 0", () => edited('"version": 3,', '"version": 0,'), "header version:"],
    ["of version 1.5", () => edited('"version": 3,', '"version": 1.5,'), "header version:"],
    ["with a path for a name", () => edited('"sum-orders"', '"../../other"'), "header name:"],
    ["with a time that is none", () => edited("2026-11-18T12:00:00.000Z", "yesterday"), "header created:"],
    ["that is no JSON", () => edited('"kind"', "kind"), "header is no JSON"],
    ["that is a list", () => "/* praxis capability 1\n[]\n*/\n", "header manifest:"],
    ["with two headers", () => file.replace(SOURCE, file), "header comes twice"],
    ["with a second header further down", () => file.replace(SOURCE, `\n  ${file}`), "header comes twice"],
    ["with a huge header", () => edited("Adds up", "A".repeat(200_000)), "header is longer than"],
    [
      "nested without end",
      () => edited('{ "type": "array" }', `${"[".repeat(50_000)}${"]".repeat(50_000)}`),
      "header is nested more than 70 deep",
    ],
    ["with a source too long", () => file + "x".repeat(70_000), "source is longer than"],
  ])("%s", (_, text, problem) => {
    expect(problemOf(text())).toContain(problem);
  });

  it("at every cut through its header, and never throws", () => {
    const end = file.indexOf("\n*/\n") + 4;
    for (let at = 0; at < end; at++) expect(parseSourceFile(file.slice(0, at)).ok).toBe(false);
  });
});

describe("a version's key", () => {
  it("names tenant, capability and version, and is read back", () => {
    expect(sourceKey("main", "sum-orders", 12)).toBe("main/capabilities/sum-orders/v12.ts");
    expect(readSourceKey("main/capabilities/sum-orders/v12.ts")).toEqual({
      tenant: "main",
      name: "sum-orders",
      version: 12,
    });
  });

  it.each([
    "main/capabilities/sum-orders/v0.ts",
    "main/capabilities/sum-orders/v01.ts",
    "main/capabilities/sum-orders/v1.tsx",
    "main/capabilities/sum-orders/v1e3.ts",
    "main/capabilities/../v1.ts",
    "main/capabilities/a/../b/v1.ts",
    "../capabilities/a/v1.ts",
    "a/../main/capabilities/a/v1.ts",
    "/capabilities/a/v1.ts",
    "/main/capabilities/a/v1.ts",
    "main/capabilities/A/v1.ts",
    "main/capabilities/a%2fb/v1.ts",
    "main/capabilities/a\\b/v1.ts",
    "main/capabilities/a/v1.ts\n",
    "main/capabilities/a/v99999999.ts",
    "main/workspace/a/v1.ts",
    ".hidden/capabilities/a/v1.ts",
  ])("E1: is not %j", (key) => {
    expect(readSourceKey(key)).toBeUndefined();
  });

  it("E1: can't be made of tricks", () => {
    for (const [tenant, name, version] of [
      ["..", "a", 1],
      ["a/b", "a", 1],
      ["", "a", 1],
      ["main", "../a", 1],
      ["main", "a", 0],
      ["main", "a", 1.5],
      ["main", "a", Number.NaN],
    ] as const)
      expect(() => sourceKey(tenant, name, version)).toThrow(TypeError);
  });
});

it("a hash is sha-256 of the UTF-8 bytes", () => {
  expect(hashOf("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(hashOf("é")).toBe("4a99557e4033c3539de2eb65472017cad5f9557f7a0625a09f1c3f6e2ba69c4c");
});
