import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { egressProblem, parseEgress } from "../../../tool-bindings/egress.ts";
import { httpGet, httpPost } from "../../../tool-bindings/http.ts";
import { notifyWebhook } from "../../../tool-bindings/notify.ts";
import { call, confineToLoopback, failureOf, loopback, type Loopback } from "./loopback.ts";

/** What a request must never reach, however it is written. */
const FORBIDDEN: Record<string, string[]> = {
  "loopback by number": [
    "http://127.0.0.1/",
    "http://127.0.0.1:1/",
    "https://127.0.0.1/",
    "http://127.1/",
    "http://127.0.1/",
    "http://127.255.255.254/",
    "http://2130706433/",
    "http://0x7f000001/",
    "http://0x7f.0.0.1/",
    "http://0x7f.1/",
    "http://0177.0.0.1/",
    "http://0177.0.0.01/",
    "http://017700000001/",
    "http://0x7F.0x00.0x00.0x01/",
    "http://127.0.0.1./",
    "http://127.0.0.1.:80/",
    "http://%31%32%37.0.0.1/",
    "http://127%2e0%2e0%2e1/",
    "http://①②⑦.⓪.⓪.①/",
    "http://127。0。0。1/",
    "http://１２７.0.0.1/",
    "http://\t127.0.0.1/",
    "http:\\\\127.0.0.1\\",
    "http:////127.0.0.1/",
    "HTTP://127.0.0.1/",
  ],
  "the unspecified address": ["http://0/", "http://0.0.0.0/", "http://0x0/", "http://00000/", "http://0.1.2.3/"],
  "private networks": [
    "http://10.0.0.1/",
    "http://10.255.255.255/",
    "http://167772161/",
    "http://012.0.0.1/",
    "http://10.1/",
    "http://172.16.0.1/",
    "http://172.31.255.255/",
    "http://192.168.0.1/",
    "http://192.168.257/",
    "http://0xc0a80001/",
    "http://3232235521/",
  ],
  "link-local, shared, reserved and multicast ranges": [
    "http://169.254.1.1/",
    "http://100.64.0.1/",
    "http://100.127.255.255/",
    "http://192.0.0.1/",
    "http://192.0.2.1/",
    "http://192.88.99.1/",
    "http://198.18.0.1/",
    "http://198.19.255.255/",
    "http://198.51.100.7/",
    "http://203.0.113.7/",
    "http://224.0.0.1/",
    "http://239.255.255.250/",
    "http://240.0.0.1/",
    "http://255.255.255.255/",
    "http://4294967295/",
  ],
  "cloud metadata": [
    "http://169.254.169.254/latest/meta-data/",
    "http://2852039166/",
    "http://0xa9fea9fe/",
    "http://0251.0376.0251.0376/",
    "http://169.254.43518/",
    "http://169.254.170.2/",
    "http://100.100.100.200/",
    "http://168.63.129.16/",
    "http://192.0.0.192/",
    "http://[fd00:ec2::254]/",
    "http://[::ffff:169.254.169.254]/",
    "http://[64:ff9b::169.254.169.254]/",
    "http://metadata.google.internal/computeMetadata/v1/",
    "http://metadata.google.internal./",
    "http://METADATA.GOOGLE.INTERNAL/",
    "http://metadata.goog/",
    "http://metadata/",
    "http://instance-data/",
    "http://metadata.tencentyun.com/",
  ],
  "IPv6 in all forms": [
    "http://[::1]/",
    "http://[0:0:0:0:0:0:0:1]/",
    "http://[0000:0000:0000:0000:0000:0000:0000:0001]/",
    "http://[::]/",
    "http://[::127.0.0.1]/",
    "http://[::ffff:127.0.0.1]/",
    "http://[::ffff:7f00:1]/",
    "http://[::ffff:0:127.0.0.1]/",
    "http://[::ffff:10.0.0.1]/",
    "http://[::ffff:8.8.8.8]/",
    "http://[64:ff9b::10.0.0.1]/",
    "http://[64:ff9b:1::10.0.0.1]/",
    "http://[2002:7f00:1::]/",
    "http://[2002:a00:1::1]/",
    "http://[2001:0:4136:e378:8000:63bf:3fff:fdd2]/",
    "http://[2001:db8::1]/",
    "http://[3fff::1]/",
    "http://[2607:f8b0::5efe:10.0.0.1]/",
    "http://[100::1]/",
    "http://[fc00::1]/",
    "http://[fd12:3456:789a::1]/",
    "http://[fe80::1]/",
    "http://[febf::1]/",
    "http://[fec0::1]/",
    "http://[ff02::1]/",
    "http://[5f00::1]/",
    "http://[4000::1]/",
    "http://[fe80::1%25eth0]/",
    "http://[fe80::1%eth0]/",
  ],
  "local names": [
    "http://localhost/",
    "http://LOCALHOST/",
    "http://localhost./",
    "http://localhost../",
    "http://loc%61lhost/",
    "http://ｌｏｃａｌｈｏｓｔ/",
    "http://lo\tcalhost/",
    "http://a.localhost/",
    "http://a.b.localhost./",
    "http://localhost.localdomain/",
    "http://printer.local/",
    "http://vault.internal/",
    "http://db.corp/",
    "http://nas.lan/",
    "http://router.home.arpa/",
    "http://redis/",
    "http://kubernetes.default.svc/",
    "http://kubernetes.default.svc.cluster.local/",
    "http://ip6-localhost/",
  ],
  "names that spell an address": [
    "http://127.0.0.1.nip.io/",
    "http://app.10.0.0.1.nip.io/",
    "http://127-0-0-1.nip.io/",
    "http://7f000001.nip.io/",
    "http://192-168-1-250.sslip.io/",
    "http://--1.sslip.io/",
    "http://169.254.169.254.xip.io./",
    "http://localtest.me/",
    "http://any.localtest.me/",
    "http://lvh.me/",
    "http://7f000001.c0a80001.rbndr.us/",
    "http://10-0-0-1.0123456789abcdef.plex.direct/",
    "http://make-127-0-0-1-rr.1u.ms/",
    "http://127.0.0.1.wildcard.example.com/",
    "http://a.192.168.0.1.example.org/",
    "http://localhost.direct/",
    "http://app.localhost.direct/",
    "http://my.lndo.site/",
    "http://shop.ddev.site/",
    "http://anything.lvh.me/",
    "http://x.lcl.host/",
    "http://127-0-0-1.anything.org/",
    "http://app-127-0-0-1.example.org/",
    "http://10-0-0-1-8080.example.org/",
    "http://ip-169-254-169-254.example.org/",
    "http://7f000001.example.org/",
    "http://0x7f000001.example.org/",
    "http://x-c0a80001.example.org/",
    "http://a9fea9fe.dns.example.org/",
    "http://fe80--1.example.org/",
    "http://0-0-0-0-0-0-0-1.example.org/",
    "http://fd00-ec2--254.example.org/",
  ],
  "credentials, which hide the host": [
    "http://user@example.com/",
    "http://user:password@example.com/",
    "http://example.com@127.0.0.1/",
    "http://example.com:80@127.0.0.1/",
    "http://example.com%2f@127.0.0.1/",
    "http://:password@example.com/",
  ],
  "other schemes": [
    "file:///etc/passwd",
    "ftp://example.com/",
    "gopher://127.0.0.1:6379/_INFO",
    "data:text/plain,hello",
    "javascript:alert(1)",
    "ws://example.com/",
    "blob:https://example.com/0",
    "about:blank",
    "dict://127.0.0.1:11211/stats",
  ],
  "what is no URL": [
    "http://",
    "http://[::1",
    "http://256.256.256.256/",
    "http://1.2.3.4.5/",
    "http://127.0.0.1:99999/",
    "http://exa mple.com/",
    "http://a..b.example.com/",
    "http://0x100000000/",
  ],
};
const TARGETS = Object.entries(FORBIDDEN).flatMap(([what, urls]) => urls.map((url) => ({ what, url })));

const REFUSALS = ["egress-refused", "bad-url"];

/** As a server would write it: bytes beyond ASCII are percent-encoded. */
const asLocation = (url: string): string => url.replace(/[^\t -~]+/g, encodeURIComponent);

describe("egress", () => {
  let confined: ReturnType<typeof confineToLoopback>;
  let server: Loopback;
  beforeAll(async () => {
    confined = confineToLoopback();
    server = await loopback(({ path }, response) => {
      const { pathname, searchParams } = new URL(path, "http://server");
      const target = searchParams.get("to") ?? "";
      const location = pathname === "/two" ? `/one?to=${encodeURIComponent(target)}` : asLocation(target);
      response.writeHead(Number(searchParams.get("status") ?? 302), { location }).end();
    });
  });
  afterAll(async () => {
    confined[Symbol.dispose]();
    await server.close();
  });
  const through = (hops: "one" | "two", url: string): string =>
    `${server.origin}/${hops}?to=${encodeURIComponent(url)}`;

  it("has a table of more than sixty addresses and tricks, none twice", () => {
    expect(new Set(TARGETS.map(({ url }) => url)).size).toBe(TARGETS.length);
    expect(TARGETS.length).toBeGreaterThan(60);
  });

  describe.each(TARGETS)("$what: $url", ({ url }) => {
    it("is refused, whether any public host is open, a wildcard, or one other port of loopback", async () => {
      for (const egress of [undefined, "*", `*,${server.host}`, "*.nip.io *.localhost *.me *.internal example.com"]) {
        const failure = await failureOf(call(httpGet, { url }, egress === undefined ? {} : { egress }));
        expect(REFUSALS, `${egress}: ${failure.message}`).toContain(failure.kind);
      }
      expect(confined.escaped).toEqual([]);
    });

    it("is refused at the end of a redirect", async () => {
      const egress = `*,${server.host}`;
      const seen = server.received.length;
      for (const hops of ["one", "two"] as const) {
        const failure = await failureOf(call(httpGet, { url: through(hops, url) }, { egress }));
        expect(REFUSALS, failure.message).toContain(failure.kind);
      }
      expect(server.received.length - seen).toBe(3);
      expect(confined.escaped).toEqual([]);
    });
  });

  it("refuses a host behind a scheme without slashes", async () => {
    expect((await failureOf(call(httpGet, { url: "http:127.0.0.1/" }))).kind).toBe("egress-refused");
  });

  it.each([301, 302, 303, 307, 308])("checks where a %i leads, for reads and for writes", async (status) => {
    const url = `${through("one", "http://169.254.169.254/latest/")}&status=${status}`;
    const around = { egress: server.host, secrets: { WEBHOOK_SECRET: "whsec_c2VjcmV0" } };
    expect((await failureOf(call(httpGet, { url }, around))).kind).toBe("egress-refused");
    expect((await failureOf(call(httpPost, { url, body: {} }, around))).kind).toBe("egress-refused");
    expect((await failureOf(call(notifyWebhook, { url, payload: {} }, around))).kind).toBe("too-many-redirects");
    expect(confined.escaped).toEqual([]);
  });

  it("checks a redirect against the allow-list, not only against what is private", async () => {
    const failure = await failureOf(
      call(httpGet, { url: through("two", "https://elsewhere.example.com/") }, { egress: server.host }),
    );
    expect(failure).toMatchObject({ kind: "egress-refused", data: { host: "elsewhere.example.com" } });
    expect(failure.message).toContain("redirected there");
  });

  it("does not let an open port of loopback open another", async () => {
    const other = await loopback();
    const direct = await failureOf(call(httpGet, { url: other.origin }, { egress: server.host }));
    const redirected = await failureOf(call(httpGet, { url: through("one", other.origin) }, { egress: server.host }));
    expect([direct.kind, redirected.kind]).toEqual(["egress-refused", "egress-refused"]);
    expect(other.received).toEqual([]);
    await other.close();
  });

  it("says what to set", async () => {
    expect((await failureOf(call(httpGet, { url: "http://127.0.0.1:9000/x" }))).message).toBe(
      "Not allowed: 127.0.0.1 is a loopback address. If tools shall reach it, add 127.0.0.1:9000 to PRAXIS_EGRESS.",
    );
    const listed = await failureOf(
      call(httpGet, { url: "https://example.org/" }, { egress: "example.com https://x.io/" }),
    );
    expect(listed.message).toBe(
      "Not allowed: example.org is not in the allow-list. If tools shall reach it, add it to PRAXIS_EGRESS (unreadable there: https://x.io/).",
    );
  });
});

const allows = (url: string, egress?: string): boolean =>
  egressProblem(new URL(url), parseEgress(egress)) === undefined;

describe("what may be reached", () => {
  it.each([
    ["https://example.com/"],
    ["http://example.com/"],
    ["https://example.com:8443/path?q=127.0.0.1"],
    ["https://example.com./"],
    ["https://EXAMPLE.com/"],
    ["https://münchen.de/"],
    ["https://1.1.1.1/"],
    ["http://8.8.8.8:53/"],
    ["https://134744072/"],
    ["https://9.255.255.255/"],
    ["https://11.0.0.0/"],
    ["https://100.63.255.255/"],
    ["https://100.128.0.0/"],
    ["https://126.255.255.255/"],
    ["https://128.0.0.1/"],
    ["https://169.253.255.255/"],
    ["https://169.255.0.0/"],
    ["https://172.15.255.255/"],
    ["https://172.32.0.0/"],
    ["https://192.167.255.255/"],
    ["https://192.169.0.0/"],
    ["https://198.17.255.255/"],
    ["https://198.20.0.0/"],
    ["https://223.255.255.255/"],
    ["https://[2606:4700:4700::1111]/"],
    ["https://[2001:4860:4860::8888]/"],
    ["https://[2a00:1450:4001:80b::200e]/"],
    ["https://localhost.example.com/"],
    ["https://internal.example.com/"],
    ["https://notlocalhost.com/"],
    ["https://mylocal.net/"],
    ["https://ec2-8-8-8-8.compute-1.amazonaws.com/"],
    ["https://8.8.8.8.example.com/"],
    ["https://metadata.example.com/"],
    ["https://xn--bcher-kva.example.com/"],
  ])("%s, when nothing is set or everything public is", (url) => {
    expect(allows(url)).toBe(true);
    expect(allows(url, "")).toBe(true);
    expect(allows(url, "*")).toBe(true);
    expect(allows(url, "other.com")).toBe(false);
  });

  it.each([
    ["example.com", "https://example.com/", true],
    ["example.com", "https://example.com:8443/", true],
    ["example.com", "https://EXAMPLE.COM./", true],
    ["Example.COM", "https://example.com/", true],
    ["example.com", "https://a.example.com/", false],
    ["example.com", "https://example.com.evil.org/", false],
    ["example.com", "https://notexample.com/", false],
    ["*.example.com", "https://a.example.com/", true],
    ["*.example.com", "https://a.b.example.com/", true],
    ["*.example.com", "https://example.com/", false],
    ["*.example.com", "https://badexample.com/", false],
    ["*.example.com:8443", "https://a.example.com:8443/", true],
    ["*.example.com:8443", "https://a.example.com/", false],
    ["example.com:443", "https://example.com/", true],
    ["example.com:443", "http://example.com/", false],
    ["a.com,b.com", "https://b.com/", true],
    ["a.com, b.com\n c.com", "https://c.com/", true],
    ["münchen.de", "https://xn--mnchen-3ya.de/", true],
    ["127.0.0.1:9000", "http://127.0.0.1:9000/", true],
    ["127.0.0.1:9000", "http://2130706433:9000/", true],
    ["127.0.0.1:9000", "http://127.0.0.1:9001/", false],
    ["127.0.0.1:9000", "http://127.0.0.2:9000/", false],
    ["127.0.0.1:9000", "http://localhost:9000/", false],
    ["127.0.0.1:9000", "http://[::ffff:127.0.0.1]:9000/", false],
    ["127.0.0.1:9000", "https://example.com/", false],
    ["127.0.0.1:80", "http://127.0.0.1/", true],
    ["localhost:9000", "http://localhost:9000/", true],
    ["localhost:9000", "http://127.0.0.1:9000/", false],
    ["[::1]:9000", "http://[::1]:9000/", true],
    ["[0:0::1]:9000", "http://[::1]:9000/", true],
    ["db.internal:5000", "http://db.internal:5000/", true],
    ["db.internal:5000", "http://user:pass@db.internal:5000/", false],
    ["*,127.0.0.1:9000", "https://example.com/", true],
    ["*,127.0.0.1:9000", "http://127.0.0.1:9000/", true],
    // Names that only look like an address of the inside
    [undefined, "https://1-2-3-4.example.org/", true],
    [undefined, "https://deadbeef.example.org/", true],
    [undefined, "https://dead--beef.example.org/", true],
    [undefined, "https://api-v10-0.example.org/", true],
    [undefined, "https://2026-11-18.example.org/", true],
    ["10-0-0-1.example.org:443", "https://10-0-0-1.example.org/", true],
    // A private host without its port, or behind a wildcard, opens nothing
    ["127.0.0.1", "http://127.0.0.1/", false],
    ["10.0.0.5", "http://10.0.0.5:80/", false],
    ["localhost", "http://localhost/", false],
    ["*.internal", "http://db.internal/", false],
    ["*.internal:5000", "http://db.internal:5000/", false],
    ["*.nip.io", "http://127.0.0.1.nip.io/", false],
    ["*", "http://127.0.0.1/", false],
    // Metadata never opens
    ["169.254.169.254:80", "http://169.254.169.254/", false],
    ["metadata.google.internal:80", "http://metadata.google.internal/", false],
    ["[fd00:ec2::254]:80", "http://[fd00:ec2::254]/", false],
    ["168.63.129.16:80", "http://168.63.129.16/", false],
    // What can't be read opens nothing
    ["https://example.com", "https://example.com/", false],
    ["example.com/path", "https://example.com/", false],
    ["example.com:99999", "https://example.com/", false],
    ["user@example.com", "https://example.com/", false],
    ["ex*mple.com", "https://example.com/", false],
    ["**", "https://example.com/", false],
    [",", "https://example.com/", false],
  ])("PRAXIS_EGRESS=%j: %s → %s", (egress, url, allowed) => {
    expect(allows(url, egress)).toBe(allowed);
  });
});
