import type { AgentDefinition } from "./agent.ts";
import type { CoordinatorApi, RegistryApi } from "./coordinator.ts";
import type { LibraryApi } from "./library.ts";

/** What the tools add to /openapi.json: their schemas by name, and what there is to know of each. */
export interface OpenApiFragment {
  schemas: Record<string, Record<string, unknown>>;
  tools: {
    name: string;
    summary: string;
    effect: string;
    approval: string;
    grant: string;
    input: object;
    output?: object;
  }[];
}

/** What the HTTP layer is given: the objects behind it, by tenant and name, and what it may know of the deployment. */
export interface Services {
  coordinator(tenant: string, session: string): CoordinatorApi;
  registry(tenant: string): RegistryApi;
  library(tenant: string): LibraryApi;
  rootKey: string | undefined;
  modelLabel: string;
  /** The agent definitions that ship with Praxis. */
  specialists: readonly AgentDefinition[];
  /** Made when it is asked for: few requests need it. */
  tools(): OpenApiFragment;
}
