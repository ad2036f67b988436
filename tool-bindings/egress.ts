import { canonicalHost, isMetadata, whyNotPublic } from "./address.ts";
import { ToolFailure } from "./define.ts";

/**
 * Which hosts tools may reach: PRAXIS_EGRESS, read once per call.
 *
 * Entries are separated by commas or spaces: `example.com` (any port), `example.com:8443`, `*.example.com` (names under
 * it, not itself), `*` (any public host), `127.0.0.1:9000`. Unset: any public host. What is not public opens only by
 * naming that one host with its port; a cloud's metadata service never opens.
 *
 * Judged by name and number, before each request and each redirect. Not covered: a public name whose DNS record holds a
 * private address. A Worker can't see what a name resolves to before it connects; deployed, its requests leave from
 * Cloudflare's edge, which has no way into a private network, but `wrangler dev` connects from the machine it runs on. Set
 * an allow-list there.
 */
export interface EgressPolicy {
  /** Undefined: any public host. */
  entries: readonly HostPattern[] | undefined;
  /** Entries that could not be read. They open nothing. */
  unreadable: readonly string[];
}

export interface HostPattern {
  kind: "any" | "under" | "exact";
  /** Canonical; empty for `any`. */
  host: string;
  port: string | undefined;
}

export function parseEgress(text: string | undefined): EgressPolicy {
  if (text === undefined || text.trim() === "") return { entries: undefined, unreadable: [] };
  const { patterns, unreadable } = parseHosts(text);
  return { entries: patterns, unreadable };
}

/** A list of hosts in the notation of PRAXIS_EGRESS. */
export function parseHosts(text: string): { patterns: HostPattern[]; unreadable: string[] } {
  const patterns: HostPattern[] = [];
  const unreadable: string[] = [];
  for (const entry of text.split(/[\s,]+/).filter((part) => part !== "")) {
    const pattern = parsePattern(entry);
    if (pattern === undefined) unreadable.push(entry);
    else patterns.push(pattern);
  }
  return { patterns, unreadable };
}

function parsePattern(entry: string): HostPattern | undefined {
  if (entry === "*") return { kind: "any", host: "", port: undefined };
  const isUnder = entry.startsWith("*.");
  const rest = isUnder ? entry.slice(2) : entry;
  if (!/^(?:\[[0-9a-f:.]+\]|[^\s:/?#@\\*[\]]+)(?::\d{1,5})?$/i.test(rest)) return undefined;
  const url = URL.parse(`http://${rest}`);
  if (url === null) return undefined;
  const port = /:(\d+)$/.exec(rest.replace(/^\[.*\]/, ""))?.[1];
  return {
    kind: isUnder ? "under" : "exact",
    host: canonicalHost(url.hostname),
    port: port === undefined ? undefined : String(Number(port)),
  };
}

export function matchesHost(url: URL, pattern: HostPattern): boolean {
  const host = canonicalHost(url.hostname);
  if (pattern.port !== undefined && pattern.port !== portOf(url)) return false;
  switch (pattern.kind) {
    case "any":
      return true;
    case "under":
      return host.endsWith(`.${pattern.host}`);
    case "exact":
      return host === pattern.host;
  }
}

/** Why this URL may not be asked for, and what to do about it; undefined when it may. */
export function egressProblem(url: URL, policy: EgressPolicy): string | undefined {
  if (url.protocol !== "http:" && url.protocol !== "https:")
    return `only http and https are allowed, not ${url.protocol.slice(0, -1)}`;
  if (url.username !== "" || url.password !== "")
    return "a URL may not carry a user name or password. Use a header with {{secret:NAME}}";
  const host = canonicalHost(url.hostname);
  if (isMetadata(host)) return `${host} is a cloud metadata address, which tools never reach`;

  const isNamed = policy.entries?.some(
    (entry) => entry.kind === "exact" && entry.port !== undefined && matchesHost(url, entry),
  );
  if (isNamed === true) return undefined;
  const problem = whyNotPublic(host);
  if (problem !== undefined)
    return `${host} is ${problem}. If tools shall reach it, add ${host}:${portOf(url)} to PRAXIS_EGRESS`;
  if (policy.entries === undefined || policy.entries.some((entry) => matchesHost(url, entry))) return undefined;
  const unread = policy.unreadable.length === 0 ? "" : ` (unreadable there: ${policy.unreadable.join(", ")})`;
  return `${host} is not in the allow-list. If tools shall reach it, add it to PRAXIS_EGRESS${unread}`;
}

/** A URL that may be asked for; throws `bad-url` or `egress-refused`. */
export function permittedUrl(text: string, policy: EgressPolicy, base?: URL): URL {
  const url = URL.parse(text, base?.href);
  if (url === null) throw new ToolFailure("bad-url", `"${cut(text)}" is not a URL. Write it in full, as https://….`);
  const problem = egressProblem(url, policy);
  if (problem === undefined) return url;
  const by = base === undefined ? "" : ` ${base.host} redirected there.`;
  throw new ToolFailure("egress-refused", `Not allowed: ${cut(problem)}.${by}`, { host: url.host });
}

const portOf = (url: URL): string => url.port || (url.protocol === "https:" ? "443" : "80");
const cut = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}…` : text);
