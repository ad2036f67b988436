import { describe, expect, it } from "vitest";
import { z } from "zod";
import { DATA_TOOLS } from "../../../tool-bindings/data/index.ts";
import { declarationOf } from "../../../tool-bindings/declaration.ts";
import { TEXT_TOOLS } from "../../../tool-bindings/text/index.ts";
import { TIME_TOOLS } from "../../../tool-bindings/time.ts";
import { caller } from "./tool-call.ts";

const TOOLS = [...TEXT_TOOLS, ...DATA_TOOLS, ...TIME_TOOLS];
const { call } = caller(TOOLS);

describe("text, data and time", () => {
  it("have names of their own", () => {
    expect(new Set(TOOLS.map(({ name }) => name)).size).toBe(TOOLS.length);
  });

  describe.each(TOOLS.map((tool) => ({ name: tool.name, tool })))("$name", ({ tool }) => {
    it("says what it does, takes and gives", () => {
      expect(tool.summary).toMatch(/^[A-Z][^\n]{10,100}\.$/);
      expect(tool.description).toMatch(/\.$/);
      expect(tool.effect).toBe("read");
      const { properties } = z.toJSONSchema(tool.input, { io: "input" }) as {
        properties: Record<string, { description?: string }>;
      };
      for (const property of Object.values(properties)) expect(property.description).toBeTypeOf("string");
      expect(declarationOf(tool)).toContain(`tools.${tool.name}(args: {`);
    });

    it("does what its examples say", async () => {
      const examples = tool.examples ?? [];
      expect(examples.length).toBeGreaterThan(0);
      for (const { args, result } of examples) {
        const answer = await call(tool.name, args);
        if (result !== undefined) expect(answer).toEqual(result);
      }
    });
  });
});
