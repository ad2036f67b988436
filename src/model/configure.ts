import { z } from "zod";
import { fail, ok } from "../contract/failure.ts";
import type { Result } from "../contract/failure.ts";
import { ModelId, type Tier } from "../contract/model.ts";
import { anthropicModel } from "./anthropic.ts";
import type { Model } from "./port.ts";

export const DEFAULT_MODELS: Record<Tier, string> = {
  small: "claude-haiku-5-5",
  medium: "claude-sonnet-5-5",
  large: "claude-opus-5-5",
};

export interface ModelEnv {
  ANTHROPIC_API_KEY?: string | undefined;
  ANTHROPIC_BASE_URL?: string | undefined;
  PRAXIS_MODELS?: string | undefined;
  PRAXIS_RETRY_BASE_MS?: string | undefined;
}

/** Which model the environment asks for: `embedded` when it names neither a key nor a base URL. Empty means unset. */
export function configureModel(env: ModelEnv, embedded: Model): Result<Model> {
  const key = env.ANTHROPIC_API_KEY?.trim() || undefined;
  const url = env.ANTHROPIC_BASE_URL?.trim() || undefined;
  if (key === undefined && url === undefined) return ok(embedded);

  if (key !== undefined && !/^[\x21-\x7e]+$/.test(key))
    return misconfigured("ANTHROPIC_API_KEY", "must be printable ASCII without spaces, for it travels in a header");
  const baseUrl = parseBaseUrl(url);
  if (!baseUrl.ok) return baseUrl;
  const models = parseModels(env.PRAXIS_MODELS?.trim() || undefined);
  if (!models.ok) return models;
  const baseDelayMs = parseDelay(env.PRAXIS_RETRY_BASE_MS?.trim() || undefined);
  if (!baseDelayMs.ok) return baseDelayMs;

  return ok(
    anthropicModel({
      apiKey: key,
      baseUrl: baseUrl.value,
      models: models.value,
      retry: baseDelayMs.value === undefined ? {} : { baseDelayMs: baseDelayMs.value },
    }),
  );
}

const misconfigured = (variable: keyof ModelEnv, problem: string) =>
  fail({ kind: "model-misconfigured", variable, problem });

function parseBaseUrl(text: string | undefined): Result<string | undefined> {
  if (text === undefined) return ok(undefined);
  const url = URL.parse(text);
  const isPlain = url !== null && url.username === "" && url.password === "" && url.search === "" && url.hash === "";
  if (!isPlain || (url.protocol !== "http:" && url.protocol !== "https:"))
    return misconfigured(
      "ANTHROPIC_BASE_URL",
      "must be an http or https address without user name, query or fragment, such as http://localhost:11434",
    );
  return ok(url.href);
}

const MODELS_FORM =
  'must be one model id, or JSON such as {"small": "…", "medium": "…", "large": "…"} with any of these three names';

const TierModels = z.strictObject({ small: ModelId, medium: ModelId, large: ModelId }).partial();

function parseModels(text: string | undefined): Result<Record<Tier, string>> {
  if (text === undefined) return ok(DEFAULT_MODELS);
  if (ModelId.safeParse(text).success) return ok({ small: text, medium: text, large: text });
  const parsed = TierModels.safeParse(parseJson(text));
  if (!parsed.success) return misconfigured("PRAXIS_MODELS", MODELS_FORM);
  const { small, medium, large } = parsed.data;
  return ok({
    small: small ?? DEFAULT_MODELS.small,
    medium: medium ?? DEFAULT_MODELS.medium,
    large: large ?? DEFAULT_MODELS.large,
  });
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function parseDelay(text: string | undefined): Result<number | undefined> {
  if (text === undefined) return ok(undefined);
  if (!/^\d{1,6}$/.test(text))
    return misconfigured("PRAXIS_RETRY_BASE_MS", "must be a whole number of milliseconds, such as 1000");
  return ok(Number(text));
}
