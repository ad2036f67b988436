import { describe, expect, it } from "vitest";
import { moduleTokens } from "../../../src/kernel/module-tokens.ts";

const tokens = (source: string): string[] => {
  const result = moduleTokens(source);
  if (!result.ok) throw new Error(result.error.message);
  return result.value;
};

const PLAIN = `const add = (a, b) => a + b;
export default async (input) => input.items.reduce((sum, item) => add(sum, item.price), 0);`;

describe("the tokens of a module", () => {
  it.each([
    [
      "types",
      "const add = (a: number, b: number): number => a + b;\nexport default async (input: { items: { price: number }[] }): Promise<number> => input.items.reduce((sum, item) => add(sum, item.price), 0);",
    ],
    ["comments and space", `/* one */ ${PLAIN.replaceAll(" ", "  ")} // two`],
    [
      "the names of its own",
      PLAIN.replace(/\badd\b/g, "plus")
        .replace(/\bsum\b/g, "total")
        .replace(/\binput\b/g, "given"),
    ],
    ["semicolons", PLAIN.replaceAll(";", "")],
  ])("are the same whatever its %s", (_, source) => {
    expect(tokens(source)).toEqual(tokens(PLAIN));
  });

  it("are others when it reads another property, calls another function or says another text", () => {
    for (const [from, to] of [
      ["price", "weight"],
      ["reduce", "reduceRight"],
      ["a + b", "a - b"],
      ["0)", "1)"],
    ] as const)
      expect(tokens(PLAIN.replace(from, to))).not.toEqual(tokens(PLAIN));
  });

  it("tell names from outside and texts as they are", () => {
    expect(tokens("export default () => Math.max('a', `b${/c\\/d/.source}`)")).toEqual(
      'const $0 = ( ) => Math . max ( "a" ` b ${ /c\\/d/ . source } '.trim().split(" ").concat(["", "`", ")"]),
    );
  });

  it("are refused with the module", () => {
    expect(moduleTokens("export const a = 1")).toMatchObject({ ok: false, error: { kind: "forbidden" } });
  });
});
