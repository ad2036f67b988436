import type { SearchEntry } from "../../src/capabilities/search-index.ts";

/** What Node asks of the bench Worker, one request each. `count` is how often the thing is done before it answers. */
export type Task =
  | { do: "nothing" }
  | { do: "wait"; ms: number }
  | { do: "cells"; object: string; source: string; count: number }
  | { do: "stored-cells"; count: number }
  | { do: "capability-runs"; count: number }
  | { do: "bare-loads"; count: number }
  | { do: "bare-gets"; count: number }
  | { do: "codemode"; code: string; count: number }
  | { do: "fill"; object: string; from: number; to: number; chars: number }
  | { do: "index"; entries: SearchEntry[] }
  | { do: "search"; queries: string[] }
  | { do: "library-put"; library: string; entries: SearchEntry[] }
  | { do: "library-learn"; library: string; goals: { query: string; tool: string }[] }
  | LibrarySearch
  | { do: "library-reindex"; library: string; entries: SearchEntry[]; pageSize: number }
  | { do: "compile"; chars: number; count: number }
  | { do: "parse"; chars: number; count: number };

/** Answers the names found, a list for each query. */
export interface LibrarySearch {
  do: "library-search";
  library: string;
  queries: string[];
  limit: number;
}
