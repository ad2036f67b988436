/**
 * Makes an isolate that serves several runs one in which none can leave anything for the next: every object that code can
 * reach without having made it is closed and fixed. Runs tell one another nothing, and a replay sees what it saw (J6).
 */

/** Assigned to by ordinary code on objects of its own (`error.name = …`): with a plain fixed property that would throw. */
const OFTEN_SHADOWED: ReadonlySet<object> = new Set([Object.prototype, Function.prototype, Error.prototype]);
/** State of the platform that code could use as a drawer. */
const CLOSED = ["addEventListener", "removeEventListener", "dispatchEvent", "onmessage", "BroadcastChannel"];
/** What the last match was: a text of another run. */
const LAST_MATCH = /^(?:\$[\d&_`'+]|input|lastMatch|lastParen|leftContext|rightContext)$/;

let isHard = false;

/** Does it once. After everything is installed: nothing can be changed any more. */
export function harden(): void {
  if (isHard) return;
  isHard = true;
  for (const name of Reflect.ownKeys(RegExp)) if (LAST_MATCH.test(String(name))) Reflect.deleteProperty(RegExp, name);
  for (const owner of [globalThis, Object.getPrototypeOf(globalThis) as object])
    for (const name of CLOSED)
      Object.defineProperty(owner, name, { value: undefined, writable: true, configurable: true });
  const waiting = new Set<object>([globalThis, ...hidden()]);
  const seen = new Set<object>();
  for (const object of waiting) {
    if (seen.has(object)) continue;
    seen.add(object);
    for (const next of reached(object)) waiting.add(next);
  }
  for (const object of seen) fix(object);
}

/** Intrinsics that no global names. */
function hidden(): object[] {
  const made = [
    function* () {},
    async function* () {},
    async () => {},
    [][Symbol.iterator](),
    new Map()[Symbol.iterator](),
    new Set()[Symbol.iterator](),
    ""[Symbol.iterator](),
    "".matchAll(/x/g),
    (function* () {})(),
    (async function* () {})(),
    Uint8Array,
  ];
  return made.flatMap((value) => {
    const chain: object[] = [];
    for (let at: unknown = Object.getPrototypeOf(value); at !== null; at = Object.getPrototypeOf(at))
      chain.push(at as object);
    return chain;
  });
}

function reached(object: object): object[] {
  const found: unknown[] = [Object.getPrototypeOf(object)];
  for (const key of Reflect.ownKeys(object)) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property === undefined) continue;
    if ("value" in property) found.push(property.value);
    else found.push(property.get, property.set, object === globalThis ? globalValue(key) : undefined);
  }
  return found.filter(
    (value): value is object => (typeof value === "object" && value !== null) || typeof value === "function",
  );
}

/** The platform makes some of its objects when they are first asked for. */
function globalValue(key: string | symbol): unknown {
  try {
    return Reflect.get(globalThis, key);
  } catch {
    return undefined;
  }
}

function fix(object: object): void {
  const isShadowed = OFTEN_SHADOWED.has(object) || object instanceof Error;
  for (const key of Reflect.ownKeys(object)) {
    const property = Object.getOwnPropertyDescriptor(object, key);
    if (property === undefined) continue;
    if (property.configurable !== true)
      Reflect.defineProperty(object, key, "value" in property ? { writable: false } : {});
    else if (!("value" in property)) Reflect.defineProperty(object, key, { configurable: false });
    else if (isShadowed && property.writable === true)
      Reflect.defineProperty(object, key, shadowable(object, key, property));
    else Reflect.defineProperty(object, key, { writable: false, configurable: false });
  }
  Reflect.preventExtensions(object);
}

/** Reads as before; an assignment on an object that inherits it gives that object a property of its own. */
function shadowable(
  owner: object,
  key: string | symbol,
  { value, enumerable }: PropertyDescriptor,
): PropertyDescriptor {
  return {
    get: () => value as unknown,
    set(this: unknown, given: unknown) {
      if (this === owner || (typeof this !== "object" && typeof this !== "function") || this === null)
        throw new TypeError(`${String(key)} can't be changed`);
      Object.defineProperty(this, key, { value: given, writable: true, enumerable: true, configurable: true });
    },
    enumerable: enumerable ?? false,
    configurable: false,
  };
}
