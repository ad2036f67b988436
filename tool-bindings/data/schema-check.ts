import { ToolFailure } from "../define.ts";
import { FORMATS } from "./formats.ts";
import { valueAt } from "./json-path.ts";
import { Pattern } from "./pattern.ts";

/**
 * Checks a value against a JSON Schema (2020-12, and the older spellings of tuples and definitions).
 *
 * Not by a library, for all of them follow `$ref`, `anyOf` and `pattern` as long as it takes, and a schema of a few lines
 * can make that for ever. Every step here is paid for from one allowance of work.
 */
const MAX_WORK = 5_000_000;
const MAX_PROBLEMS = 100;
const MAX_CALLS = 400; // schemas and values inside one another, references included

export interface Problem {
  /** JSON Pointer to the value. */
  path: string;
  keyword: string;
  problem: string;
}

type Schema = Record<string, unknown>;
type Item = Record<string, unknown> | unknown[];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const badSchema = (problem: string): ToolFailure =>
  new ToolFailure("bad-schema", `The schema can't be used: ${problem}.`);

export class SchemaCheck {
  readonly #root: unknown;
  readonly #patterns = new Map<string, Pattern>();
  readonly #references = new Map<string, unknown>();
  #work = 0;
  #depth = 0;
  #failures = 0;
  #silent = 0; // above 0 while it is only asked whether a value fits
  #problems: Problem[] = [];

  constructor(root: unknown) {
    this.#root = root;
  }

  /** What is wrong with the value, at most a hundred things. Fails as `bad-schema`, `too-complex`, `unsupported-pattern`. */
  problems(value: unknown): Problem[] {
    this.#problems = [];
    this.#check(this.#root, value, "");
    return this.#problems;
  }

  /** A list of the schema to go through, paid for. Nothing when it is no list. */
  #paid(list: unknown): unknown[] {
    if (!Array.isArray(list)) return [];
    this.#spend(list.length);
    return list;
  }

  #entries(value: unknown): [string, unknown][] {
    if (!isObject(value)) return [];
    const entries = Object.entries(value);
    this.#spend(entries.length);
    return entries;
  }

  #spend(steps: number): void {
    this.#work += steps;
    if (this.#work > MAX_WORK)
      throw new ToolFailure("too-complex", "Checking this value against this schema takes too much work.");
  }

  /** The words are made only when they are wanted: they may hold a large part of the schema. */
  #report(path: string, keyword: string, words: () => string): void {
    this.#spend(1);
    this.#failures++;
    if (this.#silent > 0 || this.#problems.length >= MAX_PROBLEMS) return;
    this.#spend(path.length); // a long name is repeated for all that is wrong below it
    this.#problems.push({ path, keyword, problem: words() });
  }

  /** Whether a value fits, without a word about why not. */
  #fits(schema: unknown, value: unknown): boolean {
    const before = this.#failures;
    this.#silent++;
    this.#check(schema, value, "");
    this.#silent--;
    const isFit = this.#failures === before;
    this.#failures = before;
    return isFit;
  }

  #check(schema: unknown, value: unknown, path: string): void {
    this.#spend(1);
    if (schema === true) return;
    if (schema === false) return this.#report(path, "false", () => "nothing is allowed here");
    if (!isObject(schema)) throw badSchema("a schema must be an object or true or false");
    if (++this.#depth > MAX_CALLS) throw new ToolFailure("too-complex", "Schemas refer to one another without an end.");
    if (typeof schema["$ref"] === "string") this.#check(this.#resolve(schema["$ref"]), value, path);
    this.#checkKind(schema, value, path);
    if (typeof value === "string") this.#checkText(schema, value, path);
    else if (typeof value === "number") this.#checkNumber(schema, value, path);
    else if (Array.isArray(value)) this.#checkList(schema, value, path);
    else if (isObject(value)) this.#checkObject(schema, value, path);
    this.#checkCombined(schema, value, path);
    this.#depth--;
  }

  #resolve(reference: string): unknown {
    if (reference === "#") return this.#root;
    if (this.#references.has(reference)) return this.#references.get(reference);
    this.#spend(reference.length);
    if (!reference.startsWith("#/"))
      throw badSchema(`only references inside it are followed, not "${reference.slice(0, 80)}"`);
    try {
      const target = valueAt(this.#root, decodeURIComponent(reference.slice(1)));
      this.#references.set(reference, target);
      return target;
    } catch {
      throw badSchema(`there is no "${reference.slice(0, 80)}"`);
    }
  }

  #checkKind(schema: Schema, value: unknown, path: string): void {
    const { type, enum: allowed } = schema;
    const types = typeof type === "string" ? [type] : Array.isArray(type) ? this.#paid(type) : undefined;
    if (types !== undefined && !types.some((one) => isType(one, value)))
      this.#report(path, "type", () => `must be ${types.join(" or ")}, is ${typeName(value)}`);
    if (schema["nullable"] === true && value === null) return;
    if (Array.isArray(allowed) && !allowed.some((one) => this.#equal(one, value)))
      this.#report(path, "enum", () => `must be one of ${shown(allowed)}`);
    if (Object.hasOwn(schema, "const") && !this.#equal(schema["const"], value))
      this.#report(path, "const", () => `must be ${shown(schema["const"])}`);
  }

  #checkText(schema: Schema, value: string, path: string): void {
    const min = numberIn(schema, "minLength");
    const max = numberIn(schema, "maxLength");
    if (min !== undefined || max !== undefined) {
      this.#spend(value.length / 100);
      const length = lengthOf(value);
      if (min !== undefined && length < min)
        this.#report(path, "minLength", () => `must have at least ${min} characters`);
      if (max !== undefined && length > max)
        this.#report(path, "maxLength", () => `must have at most ${max} characters`);
    }
    const { pattern, format } = schema;
    if (typeof pattern === "string" && !this.#matches(pattern, value))
      this.#report(path, "pattern", () => `must match ${pattern}`);
    const isFormat = typeof format === "string" && Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    if (isFormat !== undefined) {
      this.#spend(value.length / 10);
      if (!isFormat(value)) this.#report(path, "format", () => `must be a ${String(format)}`);
    }
  }

  #matches(source: string, text: string): boolean {
    let pattern = this.#patterns.get(source);
    if (pattern === undefined) {
      this.#spend(1_000);
      pattern = new Pattern(source);
      this.#patterns.set(source, pattern);
    }
    this.#spend(text.length / 10);
    return pattern.test(text, (steps) => this.#spend(steps));
  }

  #checkNumber(schema: Schema, value: number, path: string): void {
    const limits: [string, (limit: number) => boolean, string][] = [
      ["minimum", (limit) => value >= limit, "at least"],
      ["maximum", (limit) => value <= limit, "at most"],
      ["exclusiveMinimum", (limit) => value > limit, "more than"],
      ["exclusiveMaximum", (limit) => value < limit, "less than"],
      ["multipleOf", (step) => isMultiple(value, step), "a multiple of"],
    ];
    for (const [keyword, isMet, words] of limits) {
      const limit = numberIn(schema, keyword);
      if (limit !== undefined && !isMet(limit)) this.#report(path, keyword, () => `must be ${words} ${limit}`);
    }
  }

  #checkCount(schema: Schema, count: number, names: { path: string; of: "Items" | "Properties" }): void {
    const min = numberIn(schema, `min${names.of}`);
    const max = numberIn(schema, `max${names.of}`);
    const what = names.of.toLowerCase();
    if (min !== undefined && count < min)
      this.#report(names.path, `min${names.of}`, () => `must have at least ${min} ${what}`);
    if (max !== undefined && count > max)
      this.#report(names.path, `max${names.of}`, () => `must have at most ${max} ${what}`);
  }

  #checkList(schema: Schema, value: unknown[], path: string): void {
    this.#checkCount(schema, value.length, { path, of: "Items" });
    const tuple = [schema["prefixItems"], schema["items"]].find((part) => Array.isArray(part));
    const rest = Array.isArray(schema["items"]) ? schema["additionalItems"] : schema["items"];
    for (const [index, item] of value.entries()) {
      const part = tuple !== undefined && index < tuple.length ? tuple[index] : rest;
      if (part !== undefined) this.#check(part, item, `${path}/${index}`);
    }
    if (schema["uniqueItems"] === true) {
      const seen = new Set(value.map((item) => this.#text(item)));
      if (seen.size < value.length) this.#report(path, "uniqueItems", () => "must not hold the same item twice");
    }
    if (schema["contains"] !== undefined) {
      const count = value.filter((item) => this.#fits(schema["contains"], item)).length;
      const min = numberIn(schema, "minContains") ?? 1;
      if (count < min || count > (numberIn(schema, "maxContains") ?? count))
        this.#report(path, "contains", () => `has ${count} matching items`);
    }
  }

  #checkObject(schema: Schema, value: Record<string, unknown>, path: string): void {
    const { required, propertyNames, additionalProperties: rest } = schema;
    const names = Object.keys(value);
    this.#checkCount(schema, names.length, { path, of: "Properties" });
    for (const name of this.#paid(required))
      if (!Object.hasOwn(value, String(name))) this.#report(path, "required", () => `must have ${shown(name)}`);
    const properties = isObject(schema["properties"]) ? schema["properties"] : {};
    const patterns = this.#entries(schema["patternProperties"]);
    for (const name of names) {
      const at = `${path}/${name.replaceAll("~", "~0").replaceAll("/", "~1")}`;
      this.#spend(1 + at.length / 100);
      const parts = Object.hasOwn(properties, name) ? [properties[name]] : [];
      for (const [pattern, part] of patterns) if (this.#matches(pattern, name)) parts.push(part);
      if (propertyNames !== undefined) this.#check(propertyNames, name, at);
      if (parts.length === 0 && rest === false)
        this.#report(at, "additionalProperties", () => "is not a known property");
      else if (parts.length === 0 && rest !== undefined) parts.push(rest);
      for (const part of parts) this.#check(part, value[name], at);
    }
    for (const [name, others] of this.#entries(schema["dependentRequired"]))
      for (const other of Object.hasOwn(value, name) ? this.#paid(others) : [])
        if (!Object.hasOwn(value, String(other)))
          this.#report(path, "dependentRequired", () => `must have ${shown(other)}`);
  }

  #checkCombined(schema: Schema, value: unknown, path: string): void {
    for (const part of listIn(schema, "allOf")) this.#check(part, value, path);
    const any = listIn(schema, "anyOf");
    if (any.length > 0 && !any.some((part) => this.#fits(part, value)))
      this.#report(path, "anyOf", () => `must fit one of ${any.length} alternatives`);
    const one = listIn(schema, "oneOf");
    if (one.length > 0) {
      const fitting = one.filter((part) => this.#fits(part, value)).length;
      if (fitting !== 1)
        this.#report(path, "oneOf", () => `must fit exactly one of ${one.length} alternatives, fits ${fitting}`);
    }
    if (schema["not"] !== undefined && this.#fits(schema["not"], value))
      this.#report(path, "not", () => "must not fit `not`");
    if (schema["if"] === undefined) return;
    const branch = this.#fits(schema["if"], value) ? schema["then"] : schema["else"];
    if (branch !== undefined) this.#check(branch, value, path);
  }

  /** Names in order, so that equal values have equal texts. */
  #text(value: unknown): string {
    const text = JSON.stringify(value, (_key, item: unknown) =>
      isObject(item) ? Object.fromEntries(Object.entries(item).sort(([a], [b]) => (a < b ? -1 : 1))) : item,
    );
    this.#spend(text.length / 10);
    return text;
  }

  #equal(a: unknown, b: unknown): boolean {
    this.#spend(1);
    if (a === b) return true;
    return typeof a === "object" && typeof b === "object" && this.#text(a as Item) === this.#text(b as Item);
  }
}

/** Characters, not UTF-16 units. */
function lengthOf(text: string): number {
  let length = 0;
  for (let i = 0; i < text.length; i++, length++) if (text.codePointAt(i)! > 0xffff) i++;
  return length;
}

function isType(type: unknown, value: unknown): boolean {
  if (type === "integer") return Number.isInteger(value);
  return type === typeName(value);
}

const typeName = (value: unknown): string => (value === null ? "null" : Array.isArray(value) ? "array" : typeof value);

function isMultiple(value: number, step: number): boolean {
  const quotient = value / step;
  return Math.abs(quotient - Math.round(quotient)) <= 1e-9 * Math.max(1, Math.abs(quotient)); // 0.3 is a multiple of 0.1
}

function numberIn(schema: Schema, keyword: string): number | undefined {
  const value = schema[keyword];
  return typeof value === "number" ? value : undefined;
}

const listIn = (schema: Schema, keyword: string): unknown[] => {
  const value = schema[keyword];
  return Array.isArray(value) ? value : [];
};

function shown(value: unknown): string {
  const text = JSON.stringify(value);
  return text.length > 200 ? `${text.slice(0, 200)}…` : text;
}
