import type { AnyTool } from "../define.ts";
import { chunk } from "./chunk.ts";
import { diff } from "./diff.ts";
import { extract } from "./extract.ts";
import { keywords } from "./keywords.ts";
import { sentences } from "./sentences.ts";
import { similarity } from "./similarity.ts";
import { summary } from "./summary.ts";
import { tokens } from "./tokens.ts";

export const TEXT_TOOLS: readonly AnyTool[] = [chunk, tokens, diff, similarity, keywords, sentences, extract, summary];
