import { cryptoHash, cryptoHmac, cryptoRandom, cryptoUuid } from "./crypto.ts";
import type { AnyTool } from "./define.ts";
import { httpGet, httpPost, httpRequest } from "./http.ts";
import { filesList, filesRead, filesWrite } from "./files.ts";
import { ask } from "./human.ts";
import { llm } from "./llm.ts";
import { notifyEmail, notifyWebhook } from "./notify.ts";
import { sleep } from "./time.ts";
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
  sleep,
  llm,
  ask,
  filesRead,
  filesWrite,
  filesList,
];
