import type { AnyTool } from "./define.ts";
import { llm } from "./llm.ts";
import { sleep } from "./time.ts";

/** Every tool that ships with Praxis. A new one is a file and a line here. */
export const CATALOG: readonly AnyTool[] = [sleep, llm];
