import { ToolFailure } from "./define.ts";
import { type EgressPolicy, matchesHost, parseHosts } from "./egress.ts";
import type { ToolHost } from "./host.ts";
import type { Secret } from "./redaction.ts";

/** Secrets that tools use by themselves. Code may name one only where the host says to which hosts it may go. */
const OWNED_BY_TOOLS: ReadonlySet<string> = new Set([
  "BRAVE_API_KEY",
  "TAVILY_API_KEY",
  "RESEND_API_KEY",
  "WEBHOOK_SECRET",
]);

const NAME = /^[A-Za-z][A-Za-z0-9_]{0,63}$/;
const OPENING = "{{secret:";
const REFERENCE = /\{\{secret:([^{}]*)\}\}/g;

/**
 * Puts secrets in the place of `{{secret:NAME}}`, on the host's side, just before a request is sent.
 *
 * A secret goes to the hosts that SECRET_<NAME>_HOSTS lists (over https, unless an entry names the port), else to https
 * hosts that PRAXIS_EGRESS names. Where neither is set it goes nowhere: code that was talked into it could send it to
 * anyone.
 */
export function injectSecrets(
  headers: Headers,
  url: URL,
  { host, policy }: { host: ToolHost; policy: EgressPolicy },
): Secret[] {
  const used = new Map<string, Secret>();
  const wanted = [...headers]; // apart: headers are set on the way
  for (const [header, value] of wanted) {
    if (!value.includes(OPENING)) continue;
    if (value.replace(REFERENCE, "").includes(OPENING))
      throw new ToolFailure("unknown-secret", `The header ${header} holds a ${OPENING} that is not closed.`);
    const filled = value.replace(REFERENCE, (_, name: string) => {
      const secret = findSecret(name, host);
      const problem = whyNotSent(secret, url, { host, policy });
      if (problem !== undefined) throw new ToolFailure("secret-refused", problem);
      used.set(name, secret);
      return secret.value;
    });
    headers.set(header, filled);
  }
  return [...used.values()];
}

/** A secret by the name that code asked for. Throws `unknown-secret`. */
export function findSecret(name: string, host: ToolHost): Secret {
  if (!NAME.test(name) || name.endsWith("_HOSTS"))
    throw new ToolFailure("unknown-secret", "A secret's name is letters, digits and '_', and doesn't end in _HOSTS.");
  const value = host.secret(name);
  if (value === undefined)
    throw new ToolFailure("unknown-secret", `No secret "${name}" is set. It is set on the host, as SECRET_${name}.`);
  return { name, value };
}

/** Whether a request to this host may be signed with a secret: to any, unless SECRET_<NAME>_HOSTS lists some. */
export function maySign(name: string, url: URL, host: ToolHost): boolean {
  const listed = host.secret(`${name}_HOSTS`);
  return listed === undefined || parseHosts(listed).patterns.some((pattern) => matchesHost(url, pattern));
}

/** A secret that is for certain hosts or for one tool, and for nothing else. */
export const isBound = (name: string, host: ToolHost): boolean =>
  OWNED_BY_TOOLS.has(name) || host.secret(`${name}_HOSTS`) !== undefined;

function whyNotSent(
  { name, value }: Secret,
  url: URL,
  { host, policy }: { host: ToolHost; policy: EgressPolicy },
): string | undefined {
  if (!/^[\t\x20-\x7e]+$/.test(value) || value.trim() !== value)
    return `The secret ${name} can't be sent in a header: it holds line breaks, spaces around it or characters beyond ASCII.`;
  const isSecure = url.protocol === "https:";
  const listed = host.secret(`${name}_HOSTS`);
  if (listed !== undefined) {
    const { patterns } = parseHosts(listed);
    const fits = patterns.some(
      (pattern) => pattern.kind !== "any" && matchesHost(url, pattern) && (isSecure || pattern.port !== undefined),
    );
    return fits ? undefined : `The secret ${name} may not go to ${url.origin}: SECRET_${name}_HOSTS doesn't list it.`;
  }
  const way = `Set SECRET_${name}_HOSTS to the hosts it is for.`;
  if (OWNED_BY_TOOLS.has(name)) return `The secret ${name} is used by tools of their own. ${way}`;
  if (!isSecure) return `The secret ${name} may not go to ${url.origin} without https. ${way}`;
  const isNamed = policy.entries?.some((entry) => entry.kind !== "any" && matchesHost(url, entry)) ?? false;
  return isNamed ? undefined : `The secret ${name} may not go to any host. ${way}`;
}
