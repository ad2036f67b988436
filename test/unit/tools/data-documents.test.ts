import { describe, expect, it } from "vitest";
import { DATA_TOOLS } from "../../../tool-bindings/data/index.ts";
import { caller, filled } from "./tool-call.ts";

const { call, failure } = caller(DATA_TOOLS);

interface Read {
  html: string;
  text: string;
  outline: unknown[];
  links: unknown[];
}
const markdown = async (text: string): Promise<Read> => (await call("data.markdown", { markdown: text })) as Read;

describe("data.markdown", { timeout: 60_000 }, () => {
  it("reads text, outline and links", async () => {
    const read = await markdown(
      "# One *two*\n\ntext  \nbreak ![alt](i.png)\n\n## [Three](https://x.org) `four`\n\n- a\n- b\n\n| h | i |\n|---|---|\n| 1 | 2 |\n\n```\ncode\n```\n",
    );
    expect(read.outline).toEqual([
      { level: 1, text: "One two", line: 1 },
      { level: 2, text: "Three four", line: 6 },
    ]);
    expect(read.links).toEqual([{ text: "Three", href: "https://x.org" }]);
    expect(read.text).toBe("One two\n\ntext\nbreak alt\n\nThree four\n\na\nb\n\nh\ti\n1\t2\ncode");
    expect(read.html).toContain("<table>");
  });

  it("lets no script through", async () => {
    const { html, links } = await markdown(
      "<script>x</script> <img src=x onerror=y> [a](javascript:x) [b](data:text/html,x)",
    );
    expect(html).not.toMatch(/<script|<img|href/);
    expect(links).toEqual([]);
  });

  it("is empty for nothing", async () => {
    expect(await markdown("")).toEqual({ html: "", text: "", outline: [], links: [] });
  });

  const half = (part: string): string => filled(part).slice(0, 500_000);

  const INLINE = [
    "[",
    "![",
    "[a](",
    "*a ",
    "**x_ ",
    "`",
    "` `` ",
    "<",
    "<a ",
    "<http:",
    "&",
    "\\",
    "~~a ",
    "\0",
    "\ud800",
  ];
  const BLOCKS = ["a|b\n", "\n", "#", "```\n", "[a]: b\n", '[a]: b "'];

  it.each(INLINE.concat(BLOCKS))("reads half a million characters of %j in one pass", async (part) => {
    const { html, outline } = await markdown(half(part));
    expect(html).toMatch(/^(?:<(?:p|h1|pre)>|$)/);
    expect(outline).toEqual([]);
  });

  it("reads lines that go on with a deep quote", async () => {
    const quoted = await markdown(`${"> ".repeat(40)}a\n${half("b\n").slice(100)}`);
    expect(quoted.text.endsWith("b")).toBe(true);
  });

  it("refuses more", async () => {
    expect((await failure("data.markdown", { markdown: "a".repeat(500_001) })).kind).toBe("too-large");
  });

  it("refuses what is nested too deep, and reads all of what is not", async () => {
    for (const part of [">", "> ", "- ", "1. ", "- > "])
      expect((await failure("data.markdown", { markdown: `${filled(part).slice(0, 400_000)}x` })).kind).toBe(
        "too-deep",
      );
    expect((await markdown(`${"> ".repeat(45)}deep`)).text).toBe("deep");
    expect((await markdown(`${"- ".repeat(22)}deep`)).text).toBe("deep");
  });
});

describe("data.xml", { timeout: 60_000 }, () => {
  it("reads elements, attributes, text, CDATA, comments and entities", async () => {
    const xml =
      '<?xml version="1.0"?><!DOCTYPE r><r a="1 &lt; 2"><!-- c --><x:y> t &#65;<![CDATA[<z>]]> </x:y>tail<e/></r>';
    expect(await call("data.xml", { xml })).toEqual({
      root: {
        name: "r",
        attributes: { a: "1 < 2" },
        text: "tail",
        children: [
          { name: "x:y", attributes: {}, text: "t A<z>", children: [] },
          { name: "e", attributes: {}, text: "", children: [] },
        ],
      },
    });
  });

  it.each([
    ["", 1],
    ["text", 1],
    ["<a>", 1],
    ["<a>\n<b>\n</a>", 3],
    ["<a b=c/>", 1],
    ["<a b='1' b='2'/>", 1],
    ["<a>&nbsp;</a>", 1],
    ["<a/>\n<b/>", 2],
    ["<a>\0</a>", 1],
    ["<a>\ud800</a>", 1],
  ])("says on which line %j is wrong", async (xml, line) => {
    expect(await failure("data.xml", { xml })).toMatchObject({ kind: "bad-xml", data: { line } });
  });

  it("has no entities but its own: neither bombs nor files", async () => {
    const bomb = `<!DOCTYPE a [<!ENTITY a "ha"><!ENTITY b "&a;&a;"><!ENTITY c "&b;&b;">]><a>&c;</a>`;
    expect((await failure("data.xml", { xml: bomb })).kind).toBe("bad-xml");
    const file = '<!DOCTYPE a [<!ENTITY x SYSTEM "file:///etc/passwd">]><a>&x;</a>';
    expect((await failure("data.xml", { xml: file })).message).toContain("entity");
    expect(
      await call("data.feed", {
        xml: `<!DOCTYPE rss [<!ENTITY x "boom">]><rss><channel><title>&x;</title></channel></rss>`,
      }),
    ).toMatchObject({
      title: "&x;",
    });
  });

  it("has __proto__ as a name like any other", async () => {
    const { root } = (await call("data.xml", { xml: '<__proto__ __proto__="x" constructor="y"/>' })) as {
      root: { name: string; attributes: object };
    };
    expect(root.name).toBe("__proto__");
    expect(Object.getPrototypeOf(root.attributes)).toBe(Object.prototype);
    expect(Object.keys(root.attributes)).toEqual(["__proto__", "constructor"]);
  });

  it("reads or refuses 2 MB of anything", async () => {
    expect((await failure("data.xml", { xml: filled("<a>") })).kind).toBe("too-deep");
    expect((await failure("data.xml", { xml: `<a>${filled("<b/>").slice(20)}` })).kind).toBe("too-large");
    const attributes = Array.from({ length: 160_000 }, (_, i) => `a${i}=""`).join(" ");
    expect((await failure("data.xml", { xml: `<a ${attributes}/>` })).kind).toBe("too-large");
    for (const part of ["<", "&", "<!--", "<![CDATA[", "<?x", "\0"])
      expect((await failure("data.xml", { xml: `<a>${filled(part).slice(10)}` })).kind).toBe("bad-xml");
    const entities = `<a>${filled("&lt;").slice(0, 1_999_992)}</a>`;
    expect(await call("data.xml", { xml: entities })).toMatchObject({ root: { children: [] } });
    expect((await failure("data.xml", { xml: `<a>${filled("x")}</a>` })).kind).toBe("too-large");
  });
});

describe("data.feed", { timeout: 60_000 }, () => {
  it("reads RSS with everything", async () => {
    const xml = `<?xml version="1.0"?><rss version="2.0"><channel><title>News &amp; more</title><link>https://x.org</link><description>d</description>
      <item><guid>1</guid><title><![CDATA[A <b>bold</b> one]]></title><link>https://x.org/1</link><dc:creator>Ada</dc:creator><pubDate>Thu, 05 Mar 2026 14:30:00 +0100</pubDate>
      <description>&lt;p&gt;short&lt;/p&gt;</description><content:encoded><![CDATA[<p>long</p>]]></content:encoded><category>a</category><category>b</category>
      <enclosure url="https://x.org/1.mp3" type="audio/mpeg"/></item></channel></rss>`;
    expect(await call("data.feed", { xml })).toEqual({
      format: "rss",
      title: "News & more",
      link: "https://x.org",
      description: "d",
      items: [
        {
          id: "1",
          title: "A bold one",
          link: "https://x.org/1",
          author: "Ada",
          published: "2026-03-05T13:30:00.000Z",
          updated: null,
          summary: "short",
          content: "<p>long</p>",
          categories: ["a", "b"],
          enclosures: [{ url: "https://x.org/1.mp3", type: "audio/mpeg" }],
        },
      ],
    });
  });

  it("reads Atom", async () => {
    const xml = `<feed xmlns="http://www.w3.org/2005/Atom"><title>T</title><link rel="self" href="s"/><link href="https://x.org"/>
      <entry><id>urn:1</id><title>E</title><link rel="alternate" href="https://x.org/e"/><updated>2026-03-05T10:00:00Z</updated><author><name>Bo</name></author><summary>s</summary><category term="t"/></entry></feed>`;
    expect(await call("data.feed", { xml })).toMatchObject({
      format: "atom",
      link: "https://x.org",
      items: [
        { id: "urn:1", link: "https://x.org/e", author: "Bo", updated: "2026-03-05T10:00:00.000Z", categories: ["t"] },
      ],
    });
  });

  it("reads RDF and JSON feeds", async () => {
    const rdf = `<rdf:RDF><channel><title>R</title></channel><item rdf:about="u"><title>I</title><dc:date>2026-03-05</dc:date></item></rdf:RDF>`;
    expect(await call("data.feed", { xml: rdf })).toMatchObject({
      format: "rdf",
      title: "R",
      items: [{ id: "u", published: "2026-03-05T00:00:00.000Z" }],
    });
    const json = JSON.stringify({
      title: "J",
      items: [
        {
          id: 7,
          url: "u",
          content_html: "<b>x</b>",
          date_published: "2026-03-05T00:00:00Z",
          tags: "wrong",
          authors: [{ name: "N" }],
        },
      ],
    });
    expect(await call("data.feed", { xml: json })).toMatchObject({
      format: "json",
      items: [{ id: "7", summary: "x", author: "N", categories: [], published: "2026-03-05T00:00:00.000Z" }],
    });
  });

  it("forgives what feeds get wrong", async () => {
    const xml = "\n junk <rss><channel><title>A & B</title><item><title>open<pubDate>whenever</pubDate></item>";
    const { items } = (await call("data.feed", { xml })) as { items: { published: string | null }[] };
    expect(items).toHaveLength(1);
    expect(items[0]!.published).toBe(null);
  });

  it("says what is no feed", async () => {
    expect(await failure("data.feed", { xml: "<html><body/></html>" })).toMatchObject({
      kind: "not-a-feed",
      message: expect.stringContaining("<html>") as string,
    });
    for (const xml of ["", "text", '{"a": 1}', '{"items": 5}'])
      expect((await failure("data.feed", { xml })).kind).toBe("not-a-feed");
    expect((await failure("data.feed", { xml: "{" })).kind).toBe("bad-json");
  });

  it("reads or refuses 2 MB of anything", async () => {
    const inside = (content: string): string =>
      `<rss><channel><item><description><![CDATA[${content}]]></description></item>`;
    expect(await call("data.feed", { xml: inside(filled("x").slice(200)) })).toMatchObject({
      items: [{ summary: "x".repeat(1_000) }],
    });
    expect((await failure("data.feed", { xml: inside(filled("<b>").slice(200)) })).kind).toBe("too-deep");
    expect((await failure("data.feed", { xml: `<rss>${filled("<item/>").slice(5)}` })).kind).toBe("too-large");
    expect((await failure("data.feed", { xml: filled('{"a":') })).kind).toBe("too-deep");
    for (const part of ["<", "&", "\0", "<!", "<?"])
      expect((await failure("data.feed", { xml: filled(part) })).kind).toBe("not-a-feed");
  });
});
