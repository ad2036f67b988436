import { LIMITS } from "../contract/goal.ts";

export type Schema = Record<string, unknown>;
export type Parameter = {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description: string;
  schema: Schema;
};
/** One route as /openapi.json tells it. */
export interface Operation {
  summary: string;
  parameters?: Parameter[];
  body?: Schema;
  /** What the body is, when it is not JSON or may be left out. */
  bodyMedia?: string;
  bodyOptional?: true;
  answers: Record<string, string>;
  /** What a success carries: JSON unless said. */
  media?: string;
}

export const text: Schema = { type: "string" };
export const number: Schema = { type: "integer", minimum: 0 };

export const page: Parameter[] = [
  {
    name: "limit",
    in: "query",
    description: "How many at most; 50 when left out",
    schema: { type: "integer", minimum: 1, maximum: LIMITS.listPage },
  },
  { name: "cursor", in: "query", description: "Where the last page ended", schema: text },
];
