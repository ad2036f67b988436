import { z } from "zod";
import {
  type CapabilityDraft,
  type CapabilityState,
  type CapabilitySummary,
  type JsonSchema,
  VersionNumber,
  type VersionView,
} from "./capability.ts";
import type { Result } from "./failure.ts";

/** What an order over HTTP carries: which version it is of. */
export const VersionOrder = z.strictObject({ version: VersionNumber.optional() });

/** A library as one file. */
export const ARCHIVE_MEDIA = "application/gzip";
export const ARCHIVE_BYTES = 8 * 1024 * 1024; // one request's body

/** Why the gate refused a draft: all of it, so that the author can mend it in one go. */
export interface Refusal {
  rule: string;
  problem: string;
}

/** What became of a draft. `duplicate`: there is one that does the same; use it, or save under its name for its next version. */
export type Saved =
  /** `unchanged`: that version was there already, and nothing new was kept. */
  | { saved: true; name: string; version: number; state: CapabilityState; unchanged?: true }
  | { saved: false; reasons: Refusal[]; duplicate?: string };

/** Who saves: what it may reach limits what the capability may need (L4). */
export interface Author {
  /** The run it came from, and that run's goal, which it serves; absent from outside. */
  run?: string;
  goal?: string;
  /** Grants from the root down; empty: everything. */
  grants: readonly (readonly string[])[];
  /** How it came in. */
  by: "code" | "api" | "distillation" | "import";
  /** Model tokens the run took that made it: what each later use is measured against. */
  tokens?: number;
}

/** A version that may be run now, by its hash (L1). */
export interface Runnable {
  name: string;
  version: number;
  kind: "function" | "agent";
  hash: string;
  /** The file in R2, header and all. */
  file: string;
  description: string;
  needs: string[];
  input?: JsonSchema;
  output?: JsonSchema;
  /** An agent definition, for that kind. */
  agent?: Record<string, unknown>;
}

/** One use in a real run. */
export interface Use {
  name: string;
  version: number;
  ok: boolean;
  ms: number;
  error?: string;
  /** The run. */
  caller: string;
  /** The goal's own words: they are tied to the capability by a success, and loosened by a failure. */
  goal: string;
  /** Model tokens of the run in all, when it has ended. */
  runTokens?: number;
}

export interface CapabilityView extends CapabilitySummary {
  latest: VersionView;
}

/** What a goal may be offered: capabilities that serve goals like it, the best first, at most three, none below a confidence. */
export interface Offer {
  name: string;
  description: string;
  confidence: number;
  /** Of its one argument. */
  input?: JsonSchema;
}

export interface LessonView {
  id: string;
  text: string;
  goal: string;
  /** How the run ended that taught it. */
  outcome: "succeeded" | "failed";
  kind: "worked" | "failed" | "mended" | "remembered";
  createdAt: string;
  usedAt: string;
  weight: number;
}

/** The Library as HTTP and agents see it. One object per tenant; none of its methods throws for an expected failure. */
export interface LibraryApi {
  /** The gate (L2): everything is checked and its own tests are run before it is kept. */
  save(draft: CapabilityDraft, author: Author): Promise<Result<Saved>>;
  list(page: {
    q?: string;
    state?: CapabilityState;
    cursor?: string;
    limit: number;
  }): Promise<{ items: CapabilitySummary[]; cursor?: string }>;
  get(name: string): Promise<Result<CapabilityView>>;
  versions(name: string): Promise<Result<VersionView[]>>;
  version(name: string, version: number): Promise<Result<VersionView>>;
  /** The file of a version; of the one that is offered, or the newest, when none is named. */
  source(
    name: string,
    version?: number,
  ): Promise<Result<{ name: string; version: number; hash: string; file: string }>>;
  /** Unified diff of two versions' files. */
  diff(name: string, from: number, to: number): Promise<Result<{ patch: string; added: number; removed: number }>>;
  order(name: string, order: "promote" | "rollback" | "retire", version?: number): Promise<Result<CapabilityView>>;
  /** The version to run: the active one, or for a share of uses a newer one on probation. `version`: this very one, if it may run.
   * `roll`: from 0 to 1, drawn once for a run; which version serves it follows. */
  choose(name: string, version?: number, roll?: number): Promise<Result<Runnable>>;
  /** Statistics, lifecycle and ranking follow. Idempotent per `id`. */
  record(id: string, use: Use): Promise<void>;
  offers(goal: string): Promise<Offer[]>;
  /** A run that used capabilities has ended: what each saved it against the run it was made in. Once per run and capability. */
  credit(run: { id: string; tokens: number }, used: { name: string; version?: number }[]): Promise<number>;
  /** All files as an archive (tar, gzip). */
  pack(): Promise<Result<Uint8Array>>;
  /** Every file goes through the gate. */
  unpack(archive: Uint8Array): Promise<Result<{ saved: Saved[]; refused: { path: string; reasons: Refusal[] }[] }>>;
  /** Incremental and resumable, from what is in R2. */
  rebuild(): Promise<{ indexed: number; removed: number; done: boolean }>;

  /** One that says the same as another is merged with it. */
  remember(lesson: Pick<LessonView, "text" | "goal" | "outcome" | "kind">): Promise<Result<LessonView>>;
  recall(query: string, limit: number): Promise<LessonView[]>;
  lessons(page: { cursor?: string; limit: number }): Promise<{ items: LessonView[]; cursor?: string }>;
  forget(id: string): Promise<Result<undefined>>;
}
