import { AGENT_TOOLS } from "./agents.ts";
import { cryptoHash, cryptoHmac, cryptoRandom, cryptoUuid } from "./crypto.ts";
import { DATA_TOOLS } from "./data/index.ts";
import type { AnyTool } from "./define.ts";
import { httpGet, httpPost, httpRequest } from "./http.ts";
import { filesList, filesRead, filesWrite } from "./files.ts";
import { ask } from "./human.ts";
import { LIBRARY_TOOLS } from "./library.ts";
import { llm, llmSpawn } from "./llm.ts";
import { memoryRecall, memoryRemember } from "./memory.ts";
import { notifyEmail, notifyWebhook } from "./notify.ts";
import { TEXT_TOOLS } from "./text/index.ts";
import { TIME_TOOLS } from "./time.ts";
import { webSearch } from "./web.ts";

/** Every tool that ships with Praxis. A new one is a file and a line here. */
export const CATALOG: readonly AnyTool[] = [
  httpGet,
  httpPost,
  httpRequest,
  webSearch,
  notifyWebhook,
  notifyEmail,
  cryptoHash,
  cryptoHmac,
  cryptoRandom,
  cryptoUuid,
  llm,
  llmSpawn,
  ask,
  filesRead,
  filesWrite,
  filesList,
  memoryRecall,
  memoryRemember,
  ...AGENT_TOOLS,
  ...LIBRARY_TOOLS,
  ...TEXT_TOOLS,
  ...DATA_TOOLS,
  ...TIME_TOOLS,
];
