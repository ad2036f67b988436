import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";
import { WAITING_TOOLS } from "../../../src/contract/cell.ts";
import { CATALOG } from "../../../tool-bindings/catalog.ts";
import { declarationOf } from "../../../tool-bindings/declaration.ts";
import { entryOf } from "../../../tool-bindings/discovery.ts";
import { openapiFragment } from "../../../tool-bindings/openapi-fragment.ts";
import { toolsPage } from "../../../tool-bindings/page.ts";

const PAGE = resolve(import.meta.dirname, "../../../docs/tools.md");

describe("the catalogue", () => {
  it.each(CATALOG.map((tool) => [tool.name, tool] as const))("%s says all there is to say about it", (name, tool) => {
    expect(name).toMatch(/^[a-z]+\.[a-zA-Z]+$/);
    expect(tool.summary).toMatch(/^[A-Z].{10,119}\.$/);
    expect(tool.output).toBeDefined();
    expect(tool.examples?.length).toBeGreaterThan(0);
    for (const { args } of tool.examples ?? []) expect(tool.input.safeParse(args).error).toBeUndefined();
    expect(declarationOf(tool)).toContain(`tools.${name}(args: `);
    expect(entryOf(tool).summary).toBe(tool.summary);
  });

  it("gives each tool a fragment of OpenAPI whose references lead somewhere", () => {
    const { schemas, tools } = openapiFragment(CATALOG);
    expect(tools.map(({ name }) => name)).toEqual(CATALOG.map(({ name }) => name));
    for (const { input, output } of tools)
      for (const schema of [input, output]) {
        const { $ref } = schema as { $ref: string };
        expect($ref).toMatch(/^#\/components\/schemas\/[A-Za-z0-9._-]+$/);
        expect(schemas).toHaveProperty([$ref.slice("#/components/schemas/".length)]);
      }
    expect(schemas["tools.http.get.input"]).toMatchObject({ type: "object", required: ["url"] });
  });

  it("marks as waiting what the guest lets wait by itself", () => {
    const waits = CATALOG.filter(({ waits: isSo, answeredBy }) => isSo === true || answeredBy === "person");
    expect(waits.map(({ name }) => name).sort()).toEqual([...WAITING_TOOLS].sort());
  });

  it("names each tool once", () => {
    expect(new Set(CATALOG.map(({ name }) => name)).size).toBe(CATALOG.length);
  });

  it("is what docs/tools.md shows", () => {
    if (process.env["WRITE_DOCS"] === "1") writeFileSync(PAGE, toolsPage(CATALOG));
    expect(readFileSync(PAGE, "utf8")).toBe(toolsPage(CATALOG));
  });
});
