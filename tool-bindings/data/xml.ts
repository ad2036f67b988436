import { SaxesParser } from "saxes";
import { z } from "zod";
import { defineTool, ToolFailure } from "../define.ts";
import { boundedText, tooDeep } from "../text/size.ts";

const MAX_DEPTH = 100;
const MAX_NODES = 150_000;

export interface XmlElement {
  name: string;
  attributes: Record<string, string>;
  text: string;
  children: XmlElement[];
}

const XmlElement: z.ZodType<XmlElement> = z.object({
  name: z.string().describe("with its prefix"),
  attributes: z.record(z.string(), z.string()),
  text: z.string().describe("its own text, trimmed, without that of its children"),
  get children() {
    return z.array(XmlElement);
  },
});

interface Open {
  name: string;
  attributes: Record<string, string>;
  texts: string[];
  children: XmlElement[];
}

const finished = ({ name, attributes, texts, children }: Open): XmlElement => ({
  name,
  attributes,
  text: texts.join("").trim(),
  children,
});

/** Strict: the first mistake ends it. A document type is passed over; entities of its own don't exist here. */
function xmlTree(xml: string): XmlElement {
  const parser = new SaxesParser();
  const open: Open[] = [];
  let root: XmlElement | undefined;
  let nodes = 0;
  const count = (more: number): void => {
    nodes += more;
    if (nodes > MAX_NODES)
      throw new ToolFailure("too-large", `\`xml\` has more than ${MAX_NODES} elements and attributes.`, {
        limit: MAX_NODES,
      });
  };
  parser.on("error", (error) => {
    const { line, column } = parser;
    const problem = error.message.replace(/^\d+:\d+: /, "").replace(/\.$/, "");
    throw new ToolFailure("bad-xml", `${problem}, at line ${line}, column ${column + 1}.`, {
      line,
      column: column + 1,
    });
  });
  parser.on("opentag", ({ name, attributes }) => {
    const entries = Object.entries(attributes);
    count(1 + entries.length);
    if (open.length >= MAX_DEPTH) throw tooDeep("xml", MAX_DEPTH);
    open.push({ name, attributes: Object.fromEntries(entries), texts: [], children: [] });
  });
  const text = (part: string): void => void open.at(-1)?.texts.push(part);
  parser.on("text", text);
  parser.on("cdata", text);
  parser.on("closetag", () => {
    const element = finished(open.pop()!);
    const parent = open.at(-1);
    if (parent === undefined) root = element;
    else parent.children.push(element);
  });
  parser.write(xml).close();
  return root!; // without one the parser has reported a mistake
}

export const xml = defineTool({
  name: "data.xml",
  summary: "Parses XML into a tree of elements.",
  description:
    "Strict. Fails as `bad-xml` with line and column. Nothing is loaded and no entity beyond the five of XML is expanded: others fail as `bad-xml`. `too-large` above 2,000,000 characters or 150,000 elements and attributes, `too-deep` above 100 levels. For web pages use data.html, for feeds data.feed.",
  input: z.strictObject({ xml: z.string().describe("the document") }),
  output: z.object({ root: XmlElement }),
  effect: "read",
  examples: [
    {
      args: { xml: '<order id="7"><item>Tea &amp; milk</item></order>' },
      result: {
        root: {
          name: "order",
          attributes: { id: "7" },
          text: "",
          children: [{ name: "item", attributes: {}, text: "Tea & milk", children: [] }],
        },
      },
    },
  ],
  execute: async ({ xml }) => ({ root: xmlTree(boundedText(xml, "xml")) }),
});
