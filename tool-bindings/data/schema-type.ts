const TYPES = ["string", "number", "integer", "boolean", "object", "array", "null"];
/** Keywords that hold a schema, a list of schemas, or schemas by name. */
const ONE = ["items", "additionalProperties", "contains", "propertyNames", "not", "if", "then", "else"];
const LISTS = ["anyOf", "oneOf", "allOf", "prefixItems", "items"];
const NAMED = ["properties", "patternProperties", "$defs", "definitions", "dependentSchemas"];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What is wrong with the first `type` of a schema that JSON Schema does not know; nothing would ever fit it. */
export function unknownType(root: unknown): string | undefined {
  const open: { schema: unknown; path: string }[] = [{ schema: root, path: "" }];
  for (let item = open.pop(); item !== undefined; item = open.pop()) {
    const { schema, path } = item;
    if (!isObject(schema)) continue;
    const { type } = schema;
    const bad = [type].flat().find((name) => !TYPES.includes(name as string));
    if (type !== undefined && bad !== undefined)
      return `has the unknown type ${JSON.stringify(bad)?.slice(0, 80)}${path === "" ? "" : ` at ${path.slice(0, 200)}`}; known are ${TYPES.join(", ")}`;
    for (const key of ONE) open.push({ schema: schema[key], path: `${path}/${key}` });
    for (const key of LISTS) {
      const list = schema[key];
      if (Array.isArray(list)) list.forEach((inner, at) => open.push({ schema: inner, path: `${path}/${key}/${at}` }));
    }
    for (const key of NAMED) {
      const named = schema[key];
      if (isObject(named))
        for (const [name, inner] of Object.entries(named)) open.push({ schema: inner, path: `${path}/${key}/${name}` });
    }
  }
  return undefined;
}
