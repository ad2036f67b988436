import { withoutFences } from "./fence.ts";
import type { Entry } from "./fence.ts";
import { parseExpression } from "./parse.ts";
import { restrictionIn } from "./restrictions.ts";
import { isPseudo, scopesOf } from "./scope.ts";
import type { Scopes } from "./scope.ts";
import { isClass, isFunction, nodeAt, nodesAt } from "./syntax.ts";
import type { Node } from "./syntax.ts";

export type FunctionSource =
  | {
      ok: true;
      /** JavaScript without instrumentation, an expression. */
      source: string;
      free: string[];
      isClass: boolean;
      /** Names that are evaluated when the class itself is: `extends`, computed keys, static initialisers. */
      neededAtOnce: string[];
    }
  | { ok: false; reason: string };

/**
 * From what `Function.prototype.toString` says of an instrumented function or class, back to what is stored.
 *
 * The text is not trusted. What is answered is one expression that names nothing reserved; `emitCell` instruments it
 * anew. The function's `name` is in the source only where the source says it: one that was inferred from a variable
 * is the storing side's to keep.
 */
export function functionSource(text: string): FunctionSource {
  if (/\{\s*\[native code\]\s*\}\s*$/.test(text)) return refused("is a native or bound function");
  const bare = withoutFences(text);
  try {
    const read = readFunction(bare.text);
    return "reason" in read ? refused(read.reason) : store(read, bare.entries);
  } catch (error) {
    if (error instanceof RangeError) return refused("is nested too deeply");
    throw error;
  }
}

interface ReadFunction {
  source: string;
  /** The whole expression. */
  root: Node;
  /** The function or class in it. */
  body: Node;
  /** How far the source is ahead of the text it was read from. */
  shift: number;
}

const refused = (reason: string): { ok: false; reason: string } => ({ ok: false, reason });

const store = (read: ReadFunction, entries: Entry[]): FunctionSource => {
  const { source, root, body } = read;
  const scopes = scopesOf(root);
  const problem = restrictionIn(root, scopes);
  if (problem) return refused(`cannot be kept: ${problem.message}`);
  if (scopes.captured.get(body)?.has("super")) return refused(USES_SUPER);
  const entryAt = entryOffset(body) - read.shift;
  const entry = entries.find(({ offset }) => offset === entryAt);
  if (!entry) return refused("was not defined in a cell");
  const free = new Set(scopes.free.map(({ name }) => name));
  const locals = entry.captured.filter((name) => free.has(name));
  if (locals.length > 0) return refused(captureReason(locals));
  return {
    ok: true,
    source: source.slice(root.start, root.end),
    free: sortedNames(free),
    isClass: isClass(body),
    neededAtOnce: isClass(body) ? namesNeededAtOnce(body, scopes) : [],
  };
};

const sortedNames = (names: Iterable<string>): string[] => [...names].filter((name) => !isPseudo(name)).sort();

const captureReason = (locals: string[]): string => {
  const pseudo = locals.find((name) => isPseudo(name) || name === "arguments");
  if (pseudo !== undefined) return `uses the "${pseudo}" of the function around it`;
  const names = locals.map((name) => `"${name}"`).join(", ");
  return `closes over the local${locals.length > 1 ? "s" : ""} ${names}`;
};

/** Where instrumentation marks the entry of a function or class. */
const entryOffset = (node: Node): number => {
  const body = nodeAt(node, "body");
  if (!body) return -1;
  return body.type === "BlockStatement" || body.type === "ClassBody" ? body.start + 1 : body.start;
};

const OPENING = "({";

/** A function, arrow function or class as it stands; a method, which is no expression, out of an object literal. */
const readFunction = (text: string): ReadFunction | { reason: string } => {
  const plain = parseExpression(text);
  if (plain.ok && (isFunction(plain.value) || isClass(plain.value))) {
    return { source: text, root: plain.value, body: plain.value, shift: 0 };
  }
  const wrapped = parseExpression(`${OPENING}${text}}).x`);
  const object = wrapped.ok ? nodeAt(wrapped.value, "object") : undefined;
  const [method, ...others] = object ? nodesAt(object, "properties") : [];
  if (!method || others.length > 0) return { reason: unreadableReason([plain, wrapped]) };
  if (method["kind"] !== "init") return { reason: "is a getter or setter" };
  if (method["method"] !== true) return { reason: "is not a function" };
  return readMethod(text, method);
};

// The key of a computed method may need what is gone; the method itself does not.
const COMPUTED_METHOD_NAME = "method";

const readMethod = (text: string, method: Node): ReadFunction | { reason: string } => {
  const key = nodeAt(method, "key");
  const value = nodeAt(method, "value");
  if (!key || !value) return { reason: "cannot be read" };
  // From the name on, the text of the method; before it stand `async` and `*`.
  const flags = `${value["async"] === true ? "async " : ""}${value["generator"] === true ? "*" : ""}`;
  const name =
    method["computed"] === true
      ? COMPUTED_METHOD_NAME
      : text.slice(key.start - OPENING.length, key.end - OPENING.length);
  const rest = text.slice(value.start - OPENING.length, value.end - OPENING.length);
  const access = key.type === "Identifier" || method["computed"] === true ? `.${name}` : `[${name}]`;
  const head = `${OPENING}${flags}${name}`;
  const source = `${head}${rest}})${access}`;
  const parsed = parseExpression(source);
  const object = parsed.ok ? nodeAt(parsed.value, "object") : undefined;
  const [found] = object ? nodesAt(object, "properties") : [];
  const body = found && nodeAt(found, "value");
  if (!parsed.ok || !body) return { reason: "cannot be read" };
  return { source, root: parsed.value, body, shift: body.start - (value.start - OPENING.length) };
};

const USES_SUPER = 'uses "super" of the object it was defined in';

/** Why a text is no function by itself, from what the parser said of it as an expression and as a method. */
const unreadableReason = (attempts: { ok: boolean; reason?: string }[]): string => {
  const said = attempts.flatMap(({ reason }) => reason ?? []);
  if (said.some((reason) => reason.startsWith("Private field"))) return "uses private fields of its class";
  if (said.some((reason) => reason.startsWith("'super'"))) return USES_SUPER;
  return `cannot be read: ${said[0] ?? "it is not a function"}`;
};

const namesNeededAtOnce = (node: Node, scopes: Scopes): string[] => {
  const parts = [nodeAt(node, "superClass")];
  const body = nodeAt(node, "body");
  for (const member of body ? nodesAt(body, "body") : []) {
    if (member["computed"] === true) parts.push(nodeAt(member, "key"));
    if (member.type === "StaticBlock") parts.push(member);
    if (member.type === "PropertyDefinition" && member["static"] === true) parts.push(nodeAt(member, "value"));
  }
  const within = (at: Node): boolean => parts.some((part) => part && part.start <= at.start && at.end <= part.end);
  return sortedNames(new Set(scopes.free.filter((reference) => within(reference.node)).map(({ name }) => name)));
};
