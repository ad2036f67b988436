/**
 * The Messages API of Anthropic, or of anyone who speaks it.
 *
 * Owns the connection: client, headers, deadlines. What comes over it is read in `stream.ts` and becomes a reply in
 * `reply.ts`; what each way to fail means is in `trouble.ts`. Retries are in `retry.ts`, the SDK's own are off.
 * Relies on no more than `POST /v1/messages` with streaming: not on caching, `count_tokens` or server-side tools.
 * Usage is that of the attempt that succeeded: what an endpoint charges for one that broke off is not known here.
 */
import Anthropic from "@anthropic-ai/sdk";
import { Stream } from "@anthropic-ai/sdk/streaming";
import type { ModelReply, ModelRequest, Tier } from "../contract/model.ts";
import type { Model } from "./port.ts";
import { toMessages } from "./prompt.ts";
import { absorb, newDraft, settle } from "./reply.ts";
import { DEFAULT_RETRY, withRetries } from "./retry.ts";
import type { Attempt, RetryPolicy } from "./retry.ts";
import { dropped, malformed, rootCause, troubleOfError } from "./trouble.ts";

export interface AnthropicOptions {
  apiKey?: string | undefined;
  /** May have a path: `/v1/messages` is appended to it. */
  baseUrl?: string | undefined;
  models: Record<Tier, string>;
  /** Limit of one reply, thinking included. */
  maxTokens?: number;
  /** A stream without any event for so long counts as dropped. The limit of a whole call is the caller's. */
  idleMs?: number;
  retry?: Partial<RetryPolicy>;
}

const MAX_TOKENS = 16_000; // a long cell and the thinking before it; still within a 32K context of a local model
const IDLE_MS = 120_000;
const PLACEHOLDER_KEY = "none"; // local servers want some key and don't look at it

export function anthropicModel(options: AnthropicOptions): Model {
  const { models, maxTokens = MAX_TOKENS, idleMs = IDLE_MS, apiKey = PLACEHOLDER_KEY } = options;
  const policy = { ...DEFAULT_RETRY, ...options.retry };
  const client = new Anthropic({
    apiKey,
    baseURL: options.baseUrl ?? "https://api.anthropic.com",
    // Compatible endpoints want one or the other.
    defaultHeaders: { "x-api-key": apiKey, authorization: `Bearer ${apiKey}` },
    maxRetries: 0,
    logLevel: "off", // failures are values here, not lines on a console
    openTelemetry: false,
  });

  const attempt = async (request: ModelRequest, signal: AbortSignal): Promise<Attempt<ModelReply>> => {
    const connection = new AbortController();
    const wait = { ms: idleMs, signal };
    try {
      const body = {
        ...toMessages(request),
        model: request.model ?? models[request.tier],
        max_tokens: maxTokens,
        stream: true,
      } as const;
      const opened = await within(client.messages.create(body, { signal: connection.signal }).asResponse(), wait);
      if (opened.came === "nothing") return dropped(`no answer for ${idleMs} ms`);
      if (opened.came === "error") return troubleOfError(opened.error);
      const type = opened.value.headers.get("content-type");
      if (type !== null && !type.includes("event-stream")) return malformed(`answered ${type}, not an event stream`);

      const draft = newDraft(maxTokens);
      const events = Stream.rawEvents(opened.value, connection);
      while (!draft.isComplete) {
        const next = await within(events.next(), wait);
        if (next.came === "nothing") return dropped(`no event for ${idleMs} ms`);
        if (next.came === "error") return dropped(rootCause(next.error));
        if (next.value.done === true) return dropped("the stream ended before the message did");
        const trouble = absorb(draft, next.value.value.data);
        if (trouble !== undefined) return trouble;
      }
      return settle(draft);
    } finally {
      connection.abort();
    }
  };

  return {
    label: "anthropic",
    call: (request, { signal, onRetry }) => withRetries(() => attempt(request, signal), { policy, signal, onRetry }),
  };
}

type Came<T> = { came: "value"; value: T } | { came: "error"; error: unknown } | { came: "nothing" };

/** Rejects only with the signal's reason, and then at once. Whatever `work` does later is nobody's concern. */
function within<T>(work: Promise<T>, { ms, signal }: { ms: number; signal: AbortSignal }): Promise<Came<T>> {
  return new Promise((resolve, reject) => {
    const settle = (came: Came<T>) => {
      clearTimeout(timer);
      signal.removeEventListener("abort", onAbort);
      resolve(came);
    };
    const onAbort = () => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => settle({ came: "nothing" }), ms);
    signal.addEventListener("abort", onAbort, { once: true });
    if (signal.aborted) onAbort();
    work.then(
      (value) => settle({ came: "value", value }),
      (error: unknown) => settle({ came: "error", error }),
    );
  });
}
