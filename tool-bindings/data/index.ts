import type { AnyTool } from "../define.ts";
import { csv } from "./csv.ts";
import { diff } from "./diff.ts";
import { feed } from "./feed.ts";
import { group } from "./group.ts";
import { html } from "./html.ts";
import { json } from "./json.ts";
import { markdown } from "./markdown.ts";
import { stats } from "./stats.ts";
import { table } from "./table.ts";
import { toCsv } from "./to-csv.ts";
import { toMarkdown } from "./to-markdown.ts";
import { validate } from "./validate.ts";
import { xml } from "./xml.ts";

export const DATA_TOOLS: readonly AnyTool[] = [
  csv,
  toCsv,
  json,
  html,
  markdown,
  toMarkdown,
  feed,
  xml,
  stats,
  group,
  diff,
  validate,
  table,
];
