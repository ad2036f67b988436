import { readFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { countTokens } from "gpt-tokenizer/encoding/o200k_base";
import { describe, expect, it } from "vitest";
import { estimateTokens } from "../../../tool-bindings/text/tokens.ts";

const ROOT = resolve(import.meta.dirname, "../../..");
const file = (name: string): string => readFileSync(join(ROOT, name), "utf8");

const CLOSE = {
  prose: file("LICENSE"),
  markdown: file("README.md"),
  code: file("tool-bindings/desk.ts"),
  "more code": file("src/kernel/codec.ts"),
  json: file("package.json"),
  csv: Array.from({ length: 200 }, (_, i) => `${i},Name ${i},2026-01-${10 + (i % 20)},${(i * 1.37).toFixed(2)}`).join(
    "\n",
  ),
  html: '<div class="card"><a href="https://example.org/a?b=1">Read more</a><span data-id="12">text</span></div>'.repeat(
    20,
  ),
};

const FURTHER = {
  German:
    "Die Bundesregierung hat am Mittwoch beschlossen, die Fördermittel für erneuerbare Energien deutlich zu erhöhen. Viele Verbände begrüßten die Entscheidung.",
  French:
    "Le gouvernement a annoncé mercredi une augmentation importante des aides aux énergies renouvelables, que de nombreuses associations ont saluée.",
  Russian: "Правительство в среду решило значительно увеличить субсидии на возобновляемую энергетику.",
  Chinese: "政府周三决定大幅提高对可再生能源的资助。许多协会对这一决定表示欢迎，而企业代表则警告成本上升。",
  Japanese: "政府は水曜日、再生可能エネルギーへの補助金を大幅に増やすことを決定した。",
};

describe("text.tokens, against a real tokenizer", () => {
  it.each(Object.entries(CLOSE))("is within 15 %% for %s", (_name, text) => {
    expect(Math.abs(estimateTokens(text) / countTokens(text) - 1)).toBeLessThan(0.15);
  });

  it.each(Object.entries(FURTHER))("is within 20 %% for %s", (_name, text) => {
    expect(Math.abs(estimateTokens(text) / countTokens(text) - 1)).toBeLessThan(0.2);
  });

  it("counts space by the run", () => {
    expect(estimateTokens(" ".repeat(80))).toBe(1);
    expect(estimateTokens("")).toBe(0);
  });
});
