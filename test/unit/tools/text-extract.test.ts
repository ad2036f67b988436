import { describe, expect, it } from "vitest";
import { TEXT_TOOLS } from "../../../tool-bindings/text/index.ts";
import { caller } from "./tool-call.ts";

const { call } = caller(TEXT_TOOLS);
const values = async (kind: string, text: string): Promise<unknown[]> =>
  ((await call("text.extract", { text, kind })) as { values: unknown[] }).values;

describe("text.extract", () => {
  it.each([
    ["emails", "a.b+c@mail.example.co.uk, (x@y.org). not@ @this a@b", ["a.b+c@mail.example.co.uk", "x@y.org"]],
    ["emails", ".a@b.org a..b@c.org ünï@exämple.org", ["ünï@exämple.org"]],
    [
      "urls",
      "See https://example.org/a_(b)?q=1. And (http://x.org/y), www.z.org!",
      ["https://example.org/a_(b)?q=1", "http://x.org/y", "https://www.z.org/"],
    ],
    ["urls", "http://localhost http:// https://.", []],
    ["dates", "2026-03-05, 2026-13-40, 5.3.2026 and 3/5/2026; March 5th, 2026", ["2026-03-05"]],
    ["dates", "2026-03-05T10:00:00Z; 31 February 2026; 1 May 2026", ["2026-03-05T10:00:00Z", "2026-05-01"]],
    ["numbers", "1,234.5 and -7, 3e2; v2 x10 1.2.3 +0.5", [1234.5, -7, 300, 0.5]],
    ["phones", "+41 31 123 45 67, (555) 123-4567, 2026-03-05, 12345678", ["+41311234567", "5551234567"]],
    ["hashtags", "#Tea #grüner_Tee &#123; a#b #1 https://x.org/#frag", ["tea", "grüner_tee"]],
  ])("finds %s in %j", async (kind, text, expected) => {
    expect(await values(kind, text)).toEqual(expected);
  });

  it("says where each stands", async () => {
    expect(await call("text.extract", { text: "x #a #a", kind: "hashtags" })).toEqual({
      matches: [
        { text: "#a", value: "a", index: 2 },
        { text: "#a", value: "a", index: 5 },
      ],
      values: ["a"],
      truncated: false,
    });
  });

  it("stops at ten thousand and says so", async () => {
    const result = (await call("text.extract", { text: "#a ".repeat(10_001), kind: "hashtags" })) as {
      matches: unknown[];
    };
    expect(result.matches).toHaveLength(10_000);
    expect(result).toMatchObject({ truncated: true });
  });
});
