import type { VariableInfo } from "../../contract/cell.ts";
import { stemsOf } from "./tokens.ts";
import { itemTypeOf, propertiesOf } from "./type-shape.ts";

/** The field name that stands for the item itself, in lists of plain values. */
export const ITEM = "";

/** Something a recipe can compute on: an input, a part of one, or data pasted in the goal. */
export interface Source {
  /** For people. */
  name: string;
  /** A JavaScript expression for it, written outside the recipe's function. */
  expression: string;
  shape: Shape;
  /** Stems of the words by which a goal names it. */
  names: ReadonlySet<string>;
  /** Of the whole input as it is stored; absent for data pasted in the goal. */
  size?: number;
  /** The object of which it is a property, and the types of all that is in that. */
  record?: { expression: string; property: string; properties: ReadonlyMap<string, string> };
}

export type Shape =
  /** Records with named fields: an array of objects, a CSV text. */
  | {
      kind: "table";
      fields: string[];
      numeric: string[];
      isText: boolean;
      /** A text that may be a table of one column: only a goal about rows takes it for one. */
      isColumn?: true;
    }
  /** Plain values. `unit` is set when the list is made from a text, and must then be named in the goal. */
  | { kind: "list"; items: "numbers" | "texts" | "mixed"; unit?: Unit }
  | { kind: "text" }
  /** An object whose values are all texts. */
  | { kind: "texts-by-name" };

export type Unit = "line" | "sentence" | "word";
export const UNITS: readonly Unit[] = ["line", "sentence", "word"];

export function sourcesOf(variable: VariableInfo): Source[] {
  const { name, size } = variable;
  return sourcesFor(variable, { name, expression: name, names: new Set(stemsOf(name)), size });
}

type Naming = Omit<Source, "shape">;

/** What a value of this type can be used as, the most natural use first. */
export function sourcesFor(info: Pick<VariableInfo, "type" | "fields" | "format">, naming: Naming): Source[] {
  const type = info.type.trim();
  const fields = (info.fields ?? []).filter((field) => field !== ITEM);
  const as = (shape: Shape, expression = naming.expression): Source => ({ ...naming, expression, shape });
  if (type === "string") return textSources({ format: info.format, fields }, as);

  const item = itemTypeOf(type);
  const isCutArray = type.endsWith("…") && fields.length > 0;
  if (item !== undefined && !item.includes("{") && fields.length === 0) {
    const items = kindOf(item);
    return [as({ kind: "list", items }), ...(items === "texts" ? unitsOf(as) : [])];
  }
  if (item !== undefined || isCutArray) {
    const properties = propertiesOf((item ?? type).replace(/^\(/, "").split(" | {")[0] ?? "");
    const inner = nestedOf(properties);
    const all = [...(fields.length > 0 ? fields : properties.keys()), ...inner.keys()];
    for (const [name, of] of inner) properties.set(name, of);
    return [as({ kind: "table", fields: all, numeric: numericOf(properties), isText: false })];
  }
  if (!type.startsWith("{")) return [];
  return recordSources(propertiesOf(type), { fields, naming, as });
}

function textSources(
  { format, fields }: { format: VariableInfo["format"] | undefined; fields: string[] },
  as: (shape: Shape) => Source,
): Source[] {
  const isTable = format === "csv" || format === "json";
  return [
    ...(isTable ? [as({ kind: "table", fields, numeric: [], isText: true })] : []),
    as({ kind: "text" }),
    ...unitsOf(as),
    ...(isTable || format === "markdown"
      ? []
      : [as({ kind: "table", fields: [], numeric: [], isText: true, isColumn: true })]),
  ];
}

const unitsOf = (as: (shape: Shape) => Source): Source[] =>
  UNITS.map((unit) => as({ kind: "list", items: "texts", unit }));

/** An object is one record, and each array in it is a source of its own. */
function recordSources(
  properties: Map<string, string>,
  { fields, naming, as }: { fields: string[]; naming: Naming; as: (shape: Shape, expression: string) => Source },
): Source[] {
  const types = [...properties.values()];
  const inner = [...properties]
    .filter(([, type]) => itemTypeOf(type) !== undefined)
    .flatMap(([property, type]) =>
      sourcesFor(
        { type },
        {
          ...naming,
          name: `${naming.name}.${property}`,
          expression: `${naming.expression}[${JSON.stringify(property)}]`,
          names: new Set([...naming.names, ...stemsOf(property)]),
          record: { expression: naming.expression, property, properties },
        },
      ),
    );
  if (inner.length > 0) return inner;
  const entries = `Object.entries(${naming.expression}).map(([name, value]) => ({ name, value }))`;
  if (types.length > 0 && types.every((type) => type === "number"))
    return [
      as({ kind: "table", fields: ["name", "value"], numeric: ["value"], isText: false }, entries),
      as({ kind: "list", items: "numbers" }, `Object.values(${naming.expression})`),
    ];
  if (types.length > 0 && types.every((type) => type === "string"))
    return [
      as({ kind: "table", fields, numeric: [], isText: false }, `[${naming.expression}]`),
      as({ kind: "texts-by-name" }, naming.expression),
    ];
  return [as({ kind: "table", fields, numeric: numericOf(properties), isText: false }, `[${naming.expression}]`)];
}

/** `customer.country`: the fields of records in a row. */
const nestedOf = (properties: Map<string, string>): Map<string, string> =>
  new Map(
    [...properties]
      .filter(([, type]) => type.startsWith("{") && type.endsWith("}"))
      .flatMap(([name, type]) =>
        [...propertiesOf(type)].map(([inner, of]): [string, string] => [`${name}.${inner}`, of]),
      ),
  );

const numericOf = (properties: Map<string, string>): string[] =>
  [...properties].filter(([, type]) => type === "number").map(([name]) => name);

const kindOf = (item: string): "numbers" | "texts" | "mixed" => {
  if (item === "number") return "numbers";
  return item === "string" ? "texts" : "mixed";
};
