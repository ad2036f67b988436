import type { Tier } from "../src/contract/model.ts";
import type { Grants } from "../src/orchestration/grant.ts";

/** What an agent is, beyond its task: set by its object when it begins, and by nothing it can call (G2). */
export interface AgentProfile {
  system: string;
  tier: Tier;
  model?: string;
  /** Its own grant and those of all above it. */
  grants: readonly Grants[];
  /** JSON Schema of its result. */
  output?: Record<string, unknown>;
}
