/** Ranges that are not the public internet (IANA special-purpose registries). */
const IPV4_RANGES: readonly (readonly [network: string, bits: number, what: string])[] = [
  ["0.0.0.0", 8, "an unspecified address"],
  ["10.0.0.0", 8, "a private address"],
  ["100.64.0.0", 10, "a carrier-grade NAT address"],
  ["127.0.0.0", 8, "a loopback address"],
  ["169.254.0.0", 16, "a link-local address"],
  ["172.16.0.0", 12, "a private address"],
  ["192.0.0.0", 24, "a reserved address"],
  ["192.0.2.0", 24, "a documentation address"],
  ["192.31.196.0", 24, "a reserved address"],
  ["192.52.193.0", 24, "a reserved address"],
  ["192.88.99.0", 24, "a reserved address"],
  ["192.168.0.0", 16, "a private address"],
  ["192.175.48.0", 24, "a reserved address"],
  ["198.18.0.0", 15, "a benchmarking address"],
  ["198.51.100.0", 24, "a documentation address"],
  ["203.0.113.0", 24, "a documentation address"],
  ["224.0.0.0", 4, "a multicast address"],
  ["240.0.0.0", 4, "a reserved address"],
];

/** Only 2000::/3 is given out at all: loopback, mapped, NAT64, unique local, link-local and multicast lie outside of it. */
const IPV6_PUBLIC = ["2000::", 3] as const;
const IPV6_RANGES: readonly (readonly [network: string, bits: number, what: string])[] = [
  ["2001::", 23, "a reserved address"], // Teredo and ORCHID among others
  ["2001:db8::", 32, "a documentation address"],
  ["2002::", 16, "a 6to4 address"],
  ["2620:4f:8000::", 48, "a reserved address"],
  ["3fff::", 20, "a documentation address"],
];

/** Where clouds keep credentials. Some are public addresses or names by their look. */
const METADATA_HOSTS: ReadonlySet<string> = new Set([
  "169.254.169.254",
  "169.254.169.253",
  "169.254.170.2",
  "169.254.170.23",
  "100.100.100.200", // Alibaba
  "168.63.129.16", // Azure
  "192.0.0.192", // Oracle
  "[fd00:ec2::254]",
  "[fd00:ec2::23]",
  "[fd20:ce::254]",
  "metadata",
  "metadata.goog",
  "metadata.google.internal",
  "metadata.azure.internal",
  "metadata.tencentyun.com",
  "metadata.packet.net",
  "metadata.platformequinix.com",
  "api.metadata.cloud.ibm.com",
  "instance-data",
  "instance-data.ec2.internal",
]);

/** Names that no public resolver should answer, and those that public resolvers answer with a loopback address. */
const LOCAL_SUFFIXES =
  "localhost localdomain local internal intranet corp home lan private svc home.arpa test invalid example onion alt".split(
    " ",
  );

/** Domains whose names resolve to whatever address they spell, or to loopback, or to two addresses in turn. */
const SPELLING_SUFFIXES =
  "nip.io sslip.io xip.io xip.name nip.direct ipq.co backname.io traefik.me plex.direct local-ip.co local-ip.sh lcl.host localhost.direct lndo.site ddev.site docksal.site smackaho.st localtest.me lvh.me vcap.me fuf.me local.gd localho.st lacolhost.com yoogle.com 42foo.com 1u.ms rbndr.us rebind.it rebind.network 127-0-0-1.org.uk ip.addr.tools".split(
    " ",
  );

/** A host that keeps credentials for the machine that asks. `host` as `canonicalHost` gives it. */
export const isMetadata = (host: string): boolean => METADATA_HOSTS.has(host);

/** The host of a parsed URL without the dots that may end it. The URL parser has made numbers dotted and hex plain. */
export const canonicalHost = (hostname: string): string => hostname.toLowerCase().replace(/\.+$/, "");

/**
 * Why a host is not one of the public internet; undefined when it is, as far as its name or number tells.
 *
 * `host` as `canonicalHost` gives it: every notation of a number was made one by the URL parser.
 */
export function whyNotPublic(host: string): string | undefined {
  if (host === "") return "an empty host";
  if (isMetadata(host)) return "a cloud metadata address";
  if (host.startsWith("[")) return whyNotPublicIpv6(host.slice(1, -1));
  if (/^\d+\.\d+\.\d+\.\d+$/.test(host)) return whyNotPublicIpv4(host);
  return whyNotPublicName(host);
}

function whyNotPublicIpv4(address: string): string | undefined {
  const value = ipv4Value(address);
  return IPV4_RANGES.find(([network, bits]) => isWithin(value, ipv4Value(network), { bits, size: 32 }))?.[2];
}

function whyNotPublicIpv6(address: string): string | undefined {
  const value = ipv6Value(address);
  if (value === undefined) return "an unreadable address";
  const isIn = (network: string, bits: number): boolean =>
    isWithin(value, ipv6Value(network) ?? 0n, { bits, size: 128 });
  if (!isIn(...IPV6_PUBLIC)) return "an address that is not public";
  const special = IPV6_RANGES.find(([network, bits]) => isIn(network, bits))?.[2];
  if (special !== undefined) return special;
  // ISATAP: an interface identifier of 0000:5efe or 0200:5efe carries an IPv4 address behind it
  const interfaceHead = (value >> 32n) & 0xffff_ffffn;
  const isIsatap = interfaceHead === 0x5efen || interfaceHead === 0x0200_5efen;
  return isIsatap ? "an ISATAP address" : undefined;
}

function whyNotPublicName(name: string): string | undefined {
  const labels = name.split(".");
  if (labels.includes("")) return "a name with an empty label";
  if (isUnder(name, LOCAL_SUFFIXES)) return "a local name";
  if (isUnder(name, SPELLING_SUFFIXES)) return "a name that resolves to the address it spells";
  if (labels.length === 1) return "a name without a domain";
  const dotted = labels.map((_, at) => labels.slice(at, at + 4).join(".")).filter(isIpv4);
  const isSpelled =
    dotted.some((address) => whyNotPublicIpv4(address) !== undefined) || labels.some((label) => spellsInside(label));
  return isSpelled ? "a name that spells an address that is not public" : undefined;
}

/** Whether a label spells an address of a private network, by dashes (`10-0-0-1`, `fd00--1`) or as a hexadecimal number. */
function spellsInside(label: string): boolean {
  const parts = label.split("-");
  const dashed = parts.map((_, at) => parts.slice(at, at + 4).join(".")).filter(isIpv4);
  if (dashed.some((address) => whyNotPublicIpv4(address) !== undefined)) return true;
  const hex = parts.flatMap((part) => /^(?:0x)?([0-9a-f]{8})$/.exec(part)?.[1] ?? []);
  // Hashes look like this too: only what lies inside a network counts, not every range that is reserved.
  if (hex.some((number) => INSIDE_IPV4.test(whyNotPublicIpv4(dottedOf(number)) ?? ""))) return true;
  const value = label.includes("-") ? ipv6Value(parts.join(":")) : undefined;
  return value !== undefined && INSIDE_IPV6.some(([network, bits]) => isWithin(value, network, { bits, size: 128 }));
}

const INSIDE_IPV4 = /private|loopback|link-local|NAT/;
/** Loopback and mapped addresses, unique local and link-local ones. */
const INSIDE_IPV6: readonly (readonly [network: bigint, bits: number])[] = [
  [0n, 80],
  [0xfcn << 120n, 7],
  [0xfe80n << 112n, 10],
];

const dottedOf = (hex: string): string => (hex.match(/../g) ?? []).map((byte) => parseInt(byte, 16)).join(".");

const isUnder = (name: string, suffixes: readonly string[]): boolean =>
  suffixes.some((suffix) => name === suffix || name.endsWith(`.${suffix}`));

const isIpv4 = (text: string): boolean =>
  /^\d{1,3}(?:\.\d{1,3}){3}$/.test(text) && text.split(".").every((part) => Number(part) <= 255);

const isWithin = (value: bigint, network: bigint, { bits, size }: { bits: number; size: number }): boolean =>
  value >> BigInt(size - bits) === network >> BigInt(size - bits);

const ipv4Value = (address: string): bigint =>
  address.split(".").reduce((value, part) => (value << 8n) | BigInt(part), 0n);

/** Of an address as the URL parser writes it: hexadecimal groups, at most one `::`, no zone. */
function ipv6Value(address: string): bigint | undefined {
  const [head = "", tail] = address.split("::");
  const groups = (text: string): string[] => (text === "" ? [] : text.split(":"));
  const before = groups(head);
  const after = groups(tail ?? "");
  const missing = tail === undefined ? 0 : 8 - before.length - after.length;
  if (missing < 0) return undefined;
  const all = [...before, ...Array<string>(missing).fill("0"), ...after];
  if (all.length !== 8 || !all.every((group) => /^[0-9a-f]{1,4}$/.test(group))) return undefined;
  return all.reduce((value, group) => (value << 16n) | BigInt(`0x${group}`), 0n);
}
