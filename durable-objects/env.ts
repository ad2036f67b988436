import type { Embedder, VectorStore } from "../src/capabilities/vectorize-index.ts";
import type { Coordinator } from "./coordinator.ts";
import type { Library } from "./library.ts";
import type { Registry } from "./registry.ts";

/** Every binding and variable of the Worker. `wrangler.toml` declares the bindings. */
export interface Env {
  COORDINATOR: DurableObjectNamespace<Coordinator>;
  REGISTRY: DurableObjectNamespace<Registry>;
  LIBRARY: DurableObjectNamespace<Library>;
  BUCKET: R2Bucket;
  LOADER: WorkerLoader;
  /** Vectorize and Workers AI: in production only. */
  VECTORS?: VectorStore;
  AI?: Embedder;
  ANTHROPIC_API_KEY?: string;
  ANTHROPIC_BASE_URL?: string;
  PRAXIS_MODELS?: string;
  PRAXIS_ROOT_KEY?: string;
  PRAXIS_RETRY_BASE_MS?: string;
  PRAXIS_EGRESS?: string;
  /** The most a run may spend, as JSON: {"cost": 1, "tokens": 200000}. */
  PRAXIS_MAX_BUDGET?: string;
  /** How long a question to a person stays open. */
  PRAXIS_DECISION_SECONDS?: string;
  /** Set by the local watchdog when it had to restart a frozen runtime: the moment it was killed, in epoch milliseconds. */
  PRAXIS_HUNG_AT?: string;
}

/** `<tenant>/<session>`. Neither part can hold a slash. */
export const coordinatorName = (tenant: string, session: string): string => `${tenant}/${session}`;
