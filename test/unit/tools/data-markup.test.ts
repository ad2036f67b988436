import { describe, expect, it } from "vitest";
import { DATA_TOOLS } from "../../../tool-bindings/data/index.ts";
import { caller, filled } from "./tool-call.ts";

const { call, failure } = caller(DATA_TOOLS);

interface Page {
  text: string;
  links: { text: string; href: string }[];
  headings: unknown[];
  tables: string[][][];
  meta: Record<string, string>;
  title: string | null;
  elements: { tag: string; text: string; attributes: Record<string, string> }[];
}
const page = async (html: string, more: object = {}): Promise<Page> =>
  (await call("data.html", { html, ...more })) as Page;
const toMarkdown = async (html: string): Promise<string> =>
  ((await call("data.toMarkdown", { html })) as { markdown: string }).markdown;

describe("data.html", { timeout: 60_000 }, () => {
  it("shows what a reader sees", async () => {
    const { text, title } = await page(
      "<head><title>T &amp; U</title><style>x</style></head><body>a <b>b</b>c<script>no</script><p>one<br>two</p><ul><li>x<li>y</ul><pre> k\n  l</pre>&nbsp;end",
    );
    expect(title).toBe("T & U");
    expect(text).toBe("a bc\n\none\ntwo\n\nx\ny\n\n k\n  l\n\nend");
  });

  it("gathers headings, links, tables and meta data", async () => {
    const found = await page(
      '<meta name="description" content="d"><meta property="og:title" content="o"><h2>H <i>i</i></h2><a href=" ../x ">go</a><a>no</a><table><tr><th>a<th>b<tr><td>1<td><table><tr><td>in</table></table>',
      { base: "https://example.org/p/q" },
    );
    expect(found.meta).toEqual({ description: "d", "og:title": "o" });
    expect(found.headings).toEqual([{ level: 2, text: "H i" }]);
    expect(found.links).toEqual([{ text: "go", href: "https://example.org/x" }]);
    expect(found.tables).toEqual([
      [
        ["a", "b"],
        ["1", "in"],
      ],
      [["in"]],
    ]);
  });

  it.each([
    ["p", ["1", "2", "3"]],
    ["div > p", ["1", "3"]],
    ["div p.x", ["1"]],
    ["#two", ["2"]],
    ["p[data-n='3'], h1", ["h", "3"]],
    ["h1 + div p", ["1", "2"]],
    ["h1 ~ div > p", ["1", "3"]],
    ["p:not(.x)", ["2", "3"]],
    ["p:first-child", ["1", "2", "3"]],
    ["section :nth-child(2n+1)", ["2"]],
    ["[data-n^=a]", []],
    ["P.x.y", ["1"]],
    ["[class~=y]", ["1"]],
    ["*:is(h1, #two)", ["h", "2"]],
  ])("selects %s", async (select, texts) => {
    const html =
      "<h1>h</h1><div><p class='x y'>1</p><section><p id=two>2</p></section></div><div><p data-n=3>3</p></div>";
    expect((await page(html, { select })).elements.map(({ text }) => text)).toEqual(texts);
  });

  it("keeps to what was selected, once", async () => {
    const found = await page("<div><div>a</div></div><a href=x>no</a>", { select: "div" });
    expect(found).toMatchObject({ text: "a", links: [] });
    expect(found.elements).toHaveLength(2);
  });

  it("has __proto__ and the like as attributes and meta names, or not at all", async () => {
    const { elements, meta } = await page("<p __proto__=x constructor=y>t<meta name=__proto__ content=z>", {
      select: "p",
    });
    expect(Object.getPrototypeOf(elements[0]!.attributes)).toBe(Object.prototype);
    expect(elements[0]!.attributes["constructor"]).toBe("y");
    expect(Object.getPrototypeOf(meta)).toBe(Object.prototype);
  });

  it.each([
    "",
    "p:hover",
    "p >",
    "::before",
    "p:has(a)",
    "[",
    `${"a ".repeat(31)}b`,
    "a".repeat(301),
    ":nth-child(x)",
    "p:not(a b)",
  ])("refuses the selector %j and lists what there is", async (select) => {
    const failed = await failure("data.html", { html: "<p>", select });
    expect(failed.kind).toBe(select === "" ? "bad-arguments" : "bad-selector");
  });

  it("matches long selectors in deep pages without trying every way", async () => {
    // From right to left with backtracking this takes about 250 over 28 steps, a number of 38 digits.
    const html = `${"<b>".repeat(250)}x`;
    const { elements } = await page(html, { select: `i ${"b ".repeat(28)}` });
    expect(elements).toEqual([]);
    expect((await page(html, { select: "b ".repeat(30) })).elements).toHaveLength(250 - 29);
  });
});

describe("data.toMarkdown", { timeout: 60_000 }, () => {
  it.each([
    ["<h1>a<br>b</h1><p>c</p>", "# a b\n\nc\n"],
    ["<p>a <strong>b </strong>c <em>d</em> <del>e</del></p>", "a **b** c *d* ~~e~~\n"],
    ["<p>1*2_3 [x] &lt;b&gt; `c` \\</p>", "1\\*2\\_3 \\[x\\] \\<b\\> \\`c\\` \\\\\n"],
    ["<p># no</p><p>1. no</p><p>- no</p>", "\\# no\n\n1\\. no\n\n\\- no\n"],
    ["<ul><li>a<ul><li>b</li></ul></li><li>c</li></ul>", "- a\n  - b\n- c\n"],
    ["<ol start=3><li>a<li>b</ol>", "3. a\n4. b\n"],
    ["<blockquote><p>a</p><p>b</p></blockquote>", "> a\n>\n> b\n"],
    ["<pre><code class='language-ts'>let a = `x`;\n</code></pre>", "```ts\nlet a = `x`;\n```\n"],
    ["<pre>```</pre>", "````\n```\n````\n"],
    ["<p><code>a`b</code></p>", "`` a`b ``\n"],
    ["<a href='/x (1)'>t</a> <img src=i.png alt='[a]'>", "[t](/x%20%281%29) ![\\[a\\]](i.png)\n"],
    ["<a href='java\nscript:alert(1)'>t</a><img src='data:x,y'>", "t\n"],
    ["<table><tr><th>a<th>b<tr><td>1|2</table>", "| a | b |\n| --- | --- |\n| 1\\|2 |  |\n"],
    ["a<br>b<hr>c", "a  \nb\n\n---\n\nc\n"],
    ["<script>x</script><style>y</style>", ""],
  ])("writes %j", async (html, markdown) => {
    expect(await toMarkdown(html)).toBe(markdown);
  });

  it("gives Markdown that means the same page", async () => {
    const original =
      "# Title\n\nSome *text* with [a link](https://example.org) and `code`.\n\n- one\n- two\n  - three\n\n> quoted\n\n```js\nx < 1\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n";
    const { html } = (await call("data.markdown", { markdown: original })) as { html: string };
    expect(await toMarkdown(html)).toBe(original);
  });
});

describe("2 MB of markup", { timeout: 60_000 }, () => {
  const SMALL = ["a", "&", "&amp", "<", "</b>", "<!--", "<!d", "<?x", "\0", "\ud800", " ", "<title>"];
  const LARGE = ["<p>", "</p>", "<a href=x>y</a>", "<b> </b>", "<img src=x>"];

  it("is read when it holds few elements", async () => {
    for (const part of SMALL) {
      expect((await page(filled(part))).links).toEqual([]);
      expect(typeof (await toMarkdown(filled(part)))).toBe("string");
    }
  });

  it("is refused when it holds too many", async () => {
    for (const part of LARGE) {
      expect((await failure("data.html", { html: filled(part) })).kind).toBe("too-large");
      expect((await failure("data.toMarkdown", { html: filled(part) })).kind).toBe("too-large");
    }
    expect((await failure("data.html", { html: `<p ${filled("a ").slice(10)}` })).kind).toBe("too-large");
    expect((await failure("data.html", { html: `${filled("a")}b` })).kind).toBe("too-large");
  });

  it("is refused when it is nested too deep", async () => {
    for (const part of ["<div>", "<b>", "<ul><li>", "<blockquote>", "<table><tr><td>", "<svg>"]) {
      expect((await failure("data.html", { html: filled(part) })).kind).toBe("too-deep");
      expect((await failure("data.toMarkdown", { html: filled(part) })).kind).toBe("too-deep");
      expect((await failure("data.feed", { xml: filled(part) })).kind).toBe("too-deep");
    }
  });

  it("does not multiply its text by its depth", async () => {
    const text = "x ".repeat(500_000);
    const links = `${"<h1><a href=x>".repeat(100)}${text}`;
    expect((await failure("data.html", { html: links })).kind).toBe("too-large");
    expect((await failure("data.toMarkdown", { html: `${"<blockquote>".repeat(200)}${text}` })).kind).toBe("too-large");
    expect((await failure("data.html", { html: `${"<div>".repeat(200)}${text}`, select: "div" })).kind).toBe(
      "too-large",
    );
    const base = `https://example.org/${"b".repeat(1_900)}/`;
    expect((await failure("data.html", { html: "<a href=x>".repeat(20_000), base })).kind).toBe("too-large");
  });

  it("finds no end to closing tags that were never opened", async () => {
    const html = `${"<a>".repeat(200)}${filled("</b>").slice(0, 1_900_000)}`;
    expect((await page(html)).text).toBe("");
  });
});
