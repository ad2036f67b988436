import { z } from "zod";
import type { VariableInfo } from "./cell.ts";

export const TIERS = ["small", "medium", "large"] as const;
export const Tier = z.enum(TIERS);
export type Tier = z.infer<typeof Tier>;

export const ModelId = z
  .string()
  .max(200)
  .regex(/^[A-Za-z0-9][\w.:@/+-]*$/, "must be a model id");

/** Tokens of one model call, as the endpoint counted them. */
export interface TokenUsage {
  input: number;
  output: number;
  cacheRead: number;
  cacheWrite: number;
}

/** What a run is about: the goal as written and the names, types and sizes of what it was given. */
export interface Brief {
  goal: string;
  variables: VariableInfo[];
  /** What earlier runs left that may serve: a line each, a few at most. */
  hints?: string[];
}

/** One past turn: what the model said, and what it was told of its cell. */
export interface Exchange {
  text: string;
  call?: { id: string; code: string };
  opaque?: unknown[];
  /** The `CellAnswer` as JSON text. Present whenever `call` is. */
  answer?: string;
  /** Set by the coordinator when a reply had neither code nor a final text. */
  nudge?: string;
}

export interface ModelRequest {
  tier: Tier;
  /** This very model, in place of the tier's. */
  model?: string;
  system: string;
  brief: Brief;
  exchanges: Exchange[];
  /** A text is wanted: no `run_code` is offered. */
  plain?: true;
}

export interface ModelReply {
  /** The id of the model that answered, as the endpoint names it. */
  model: string;
  text: string;
  /** The `run_code` call, when there is one. */
  call?: { id: string; code: string };
  /** What the endpoint wants to see again with the next request (thinking blocks), exactly as it came. */
  opaque?: unknown[];
  usage: TokenUsage;
  /** US dollars; null when no price is known for the model. */
  costUsd: number | null;
}
