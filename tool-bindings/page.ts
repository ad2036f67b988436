import { declarationOf } from "./declaration.ts";
import { type AnyTool, grantOf } from "./define.ts";

/** The catalogue as a page to read: what each tool is, does to the world, and how it is called. */
export function toolsPage(tools: readonly AnyTool[]): string {
  const families = Map.groupBy(tools, ({ name }) => name.slice(0, name.indexOf(".")));
  const sections = [...families]
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([family, members]) => `## ${family}\n\n${members.map(toolEntry).join("\n\n")}`);
  return `# Tools\n\nMade from the catalogue by \`npm run docs\`. A cell finds them with \`tools.search\` and reads this of each with \`tools.describe\`.\n\n${sections.join("\n\n")}\n`;
}

const toolEntry = (tool: AnyTool): string =>
  [
    `### ${tool.name}`,
    `Effect: ${tool.effect}. Approval: ${tool.approval ?? "never"}. Grant: ${grantOf(tool)}.`,
    `\`\`\`ts\n${declarationOf(tool)}\n\`\`\``,
  ].join("\n\n");
