import type { RegistryApi } from "../src/contract/coordinator.ts";
import type { LibraryApi } from "../src/contract/library.ts";
import type { Embedder, VectorStore } from "../src/capabilities/vectorize-index.ts";
import type { Coordinator } from "./coordinator.ts";
import type { Library } from "./library.ts";
import type { Registry } from "./registry.ts";
import type { SubAgent } from "./sub-agent.ts";

/** Every binding and variable of the Worker. `wrangler.toml` declares the bindings. */
export interface Env {
  COORDINATOR: DurableObjectNamespace<Coordinator>;
  SUB_AGENT: DurableObjectNamespace<SubAgent>;
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
  /** `off`: no capability is made from runs. */
  PRAXIS_DISTIL?: string;
  /** Set by the local watchdog when it had to restart a frozen runtime: the moment it was killed, in epoch milliseconds. */
  PRAXIS_HUNG_AT?: string;
}

/** `<tenant>/<session>`. Neither part can hold a slash. */
export const coordinatorName = (tenant: string, session: string): string => `${tenant}/${session}`;

/** `<tenant>/<agent>`: E1, an agent of one tenant can't be named by another. */
export const agentName = (tenant: string, agent: string): string => `${tenant}/${agent}`;

/** A cast: the stub's own type unfolds JSON without end, and the object implements this very interface. */
export const registryOf = (env: Env, tenant: string): RegistryApi =>
  env.REGISTRY.getByName(tenant) as unknown as RegistryApi;

/** As `registryOf`. */
export const libraryOf = (env: Env, tenant: string): LibraryApi =>
  env.LIBRARY.getByName(tenant) as unknown as LibraryApi;
