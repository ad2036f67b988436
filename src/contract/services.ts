import type { CoordinatorApi, RegistryApi } from "./coordinator.ts";

/** What the HTTP layer is given: the objects behind it, by tenant and name, and what it may know of the deployment. */
export interface Services {
  coordinator(tenant: string, session: string): CoordinatorApi;
  registry(tenant: string): RegistryApi;
  rootKey: string | undefined;
  modelLabel: string;
}
