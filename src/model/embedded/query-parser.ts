import type { Scope } from "./clause.ts";
import { emptyQuery, type Query } from "./query.ts";
import { readClause } from "./query-clause.ts";
import { readWord } from "./query-word.ts";
import type { Source } from "./source.ts";
import { stemsOf, type Token } from "./tokens.ts";

/** Null when a clause that must be a condition can't be read as one. */
export function queryOf(tokens: readonly Token[], source: Source): Query | null {
  const { shape } = source;
  const fields = shape.kind === "table" ? shape.fields : [];
  const scope: Scope = {
    tokens,
    fields,
    isList: shape.kind === "list",
    own: namesOf(source),
    unit: shape.kind === "list" ? shape.unit : undefined,
  };
  const query = emptyQuery();
  for (let i = 0; i < tokens.length;) {
    const used = readClause(query, scope, i);
    if (used === null) return null;
    const next = used ?? readWord(query, scope, i);
    i = next;
  }
  return query;
}

const namesOf = (source: Source): Set<string> =>
  new Set([...source.names, ...(source.shape.kind === "list" ? stemsOf(source.shape.unit ?? "value") : [])]);
